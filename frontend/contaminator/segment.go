// SPDX-License-Identifier: Apache-2.0

// Package contaminator cuts kernels at basic-block boundaries, as §3.2.2 of the
// GPSim thesis describes ("application contamination"). It turns a checked PTX
// kernel into annotated segments that a coexecutor runs one at a time.
//
// Each segment is annotated with its id, its successors, its immediate
// post-dominator, where the lanes of a divergent branch join again, and whether
// the branch that ends it can diverge. The kernel is annotated with the
// registers that it needs after allocation by liveness, and with the static
// part of its trace.
package contaminator

import (
	"sync"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// Exit stands for the end of the kernel where a segment id is expected.
const Exit = -1

// Kernel is a contaminated kernel.
type Kernel struct {
	// PTX is the kernel with the code of all functions that it can call (see
	// ptx.Link).
	PTX *ptx.Kernel
	// Units are the kernel's own code and those of its functions, in the order
	// of PTX.Units; one unit for a kernel without calls.
	Units []Unit
	// Segments[0] is the entry. A segment's id is its index, and equals the
	// basic block id in the trace.
	Segments []Segment
	// Static is the kernel's static part, as the trace stores it. Its
	// instructions correspond one to one to PTX.Body.
	Static *trace.Kernel
	// SharedOffsets, LocalOffsets give the place of each variable of
	// PTX.Variables and of the module's shared variables in the thread block's
	// shared, and the thread's local memory. Dynamic shared memory
	// (.extern .shared) starts at SharedBytes rounded up to its alignment.
	// Variables of a function, and argument variables everywhere, have places in
	// their unit's frame.
	SharedOffsets, LocalOffsets map[*ptx.Variable]uint64
	// LocalBytes is the local memory of a thread, with the frames of the deepest
	// chain of calls; where calls recurse, with a stack of StackBytes.
	SharedBytes, LocalBytes uint64
	// FrameAlign is the alignment of frames in bytes.
	FrameAlign uint64
	// DynamicSharedAlign is the alignment of extern shared arrays; zero when
	// the kernel uses none.
	DynamicSharedAlign uint32

	unitNumbers   map[*ptx.Function]int
	constants     []bool // what ConstantParams has found
	findConstants sync.Once
}

// Unit is the code of the kernel itself or of a function that it calls.
type Unit struct {
	PTX *ptx.Unit
	// Entry is the segment that the unit begins with.
	Entry int
	// FrameBytes is what one activation takes of local memory, a multiple of the
	// frames' alignment; the kernel's own frame is at the start.
	FrameBytes uint64
	// Callees are the units that it can call, Returns the segments that follow
	// calls of it, both ascending.
	Callees, Returns []int
	// Cycle numbers the sets of units that can call each other (alone, a unit is a
	// set of its own). Recursive says that an activation can be below another of
	// the same unit.
	Cycle     int
	Recursive bool
	// Registers is the number of register slots that a call saves when it may
	// come back to this unit, in words of 32 bits.
	Registers uint32
}

// Segment is one basic block, cut after barriers and calls as well.
type Segment struct {
	// Unit is the index of the unit that the segment belongs to.
	Unit int
	// First and Count delimit the instructions in PTX.Body.
	First, Count int
	// Successors in order: the fall-through first, then branch targets. The
	// successor of a call is the segment that it returns to.
	Successors []int
	// FallThrough is the next segment when the terminator is not taken, or
	// Exit when there is none.
	FallThrough int
	// PostDominator is the immediate post-dominator's id, or Exit.
	PostDominator int
	// Joins are the segments at which lanes that the segment's branch parts meet
	// again, the outermost first. They are the immediate post-dominator, where there
	// is one, and those for which paths that leave do not count (see setJoins). Lanes
	// that go to an outer one do not come to the inner one. Empty where lanes do not
	// meet again.
	Joins []int
	// Tail says that lanes do nothing from here on but leave, in a straight line.
	Tail bool
	// Divergent reports whether the lanes of a warp can leave the segment for
	// different successors: its terminator's predicate is not uniform by
	// construction.
	Divergent bool
	// Barrier reports that the segment ends with a barrier.
	Barrier bool
}
