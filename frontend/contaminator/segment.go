// Package contaminator cuts kernels at basic-block boundaries, as §3.2.2 of the
// GPSim thesis describes ("application contamination"): it turns a checked
// PTX kernel into annotated segments that a coexecutor runs one at a time.
//
// Each segment is annotated with its id, its successors, its immediate
// post-dominator (the reconvergence point of a divergent branch) and whether
// the branch that ends it can diverge; the kernel with the registers that it
// needs after allocation by liveness, and with the static part of its trace.
package contaminator

import (
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// Exit stands for the end of the kernel where a segment id is expected.
const Exit = -1

// Kernel is a contaminated kernel.
type Kernel struct {
	PTX *ptx.Kernel
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
	SharedOffsets, LocalOffsets map[*ptx.Variable]uint64
	SharedBytes, LocalBytes     uint64
	// DynamicSharedAlign is the alignment of extern shared arrays; zero when
	// the kernel uses none.
	DynamicSharedAlign uint32
}

// Segment is one basic block, cut after barriers as well.
type Segment struct {
	// First and Count delimit the instructions in PTX.Body.
	First, Count int
	// Successors in order: the fall-through first, then branch targets.
	Successors []int
	// FallThrough is the next segment when the terminator is not taken, or
	// Exit when there is none.
	FallThrough int
	// PostDominator is the immediate post-dominator's id, or Exit.
	PostDominator int
	// Divergent reports whether the lanes of a warp can leave the segment for
	// different successors: its terminator's predicate is not uniform by
	// construction.
	Divergent bool
	// Barrier reports that the segment ends with a barrier.
	Barrier bool
}
