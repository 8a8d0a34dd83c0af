// SPDX-License-Identifier: Apache-2.0

package core

import "github.com/warptape/warptape/trace"

// Program is a kernel as the cores of one kind execute it. It is immutable and shared
// by all cores of a machine.
type Program interface {
	// Kernel has the instructions in the order in which they lie in memory.
	Kernel() *trace.Kernel
	// Instructions is their number.
	Instructions() int
	// Recorded is the number of the instructions of the recorded kernel, to which
	// profiles charge.
	Recorded() int
}

// Compilation is what mechanisms' compilers have made of a kernel before the core's
// own kind compiles it. At most one of them is there.
type Compilation struct {
	Rewriting   *Rewriting
	Arrangement *Arrangement
	Lowering    *Lowering
}

// Lowering is a kernel in the operations of a machine's generation (see timing/lowering).
// Its basic blocks have the numbers of the recorded ones; those that are part of another
// have no operations, and no visit names them.
type Lowering struct {
	Kernel *trace.Kernel
	// Origin gives, per operation, the recorded instruction to which counts and profiles
	// charge it.
	Origin []uint32
	// Guarded marks the operations with a mask of their own, which the stream gives
	// (seam.Stream.Guard), whatever the class.
	Guarded []bool
	// Visits says, per basic block, what of the recorded visits its operations take.
	Visits []LoweredVisit
}

// LoweredVisit is how the visits of a lowered basic block are made of recorded ones.
type LoweredVisit struct {
	// Parts are the recorded basic blocks whose visits make one of this block, in order.
	Parts []VisitPart
	// Guards gives, for each guarded operation in order of issue, the number of its mask.
	// The parts have one after the other their visit's mask, and those of their guarded
	// instructions.
	Guards []uint32
	// Accesses gives, for each memory operation in order of issue, the number of the
	// recorded access whose addresses it takes, counted through all parts.
	// NoAccess: it has those of local memory at Spills.
	Accesses []uint32
	// Spills gives, for each memory operation without a recorded access, in order of
	// issue, the offset in the thread's local memory.
	Spills []uint32
}

// VisitPart is a recorded basic block of a LoweredVisit. Lanes need not come to an
// Optional one.
type VisitPart struct {
	Block    uint32
	Optional bool
}

// NoAccess stands for the number of a recorded access where an operation has none.
const NoAccess = ^uint32(0)

// Rewriting is a kernel that a mechanism's compiler has changed. Its basic blocks may
// be others, and some may have no instructions, which no visit names then.
type Rewriting struct {
	Kernel *trace.Kernel
	// Origin gives, per instruction, that of the recorded kernel to which counts and
	// profiles charge it.
	Origin []uint32
	// Assisted marks the instructions for which the core's assistant is asked.
	Assisted []bool
}

// Arrangement is what a mechanism's compiler makes of a kernel without changing
// what it computes: another order of instructions, and runs of them that belong
// together.
type Arrangement struct {
	// Order lists the instructions of the trace by their place, a permutation
	// inside each basic block that keeps guarded instructions in their order.
	Order []uint32
	// Runs tags instructions, by their number in the trace. While a warp is fetched
	// or issues from First to Last, it goes before all others.
	Runs []Run
}

// Run is an instruction's place in a run; a run lies in one basic block without
// gaps.
type Run uint8

// The tags.
const (
	RunNone   Run = 0b00
	RunFirst  Run = 0b01
	RunInside Run = 0b10
	RunLast   Run = 0b11
)
