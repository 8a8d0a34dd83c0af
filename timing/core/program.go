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
// own kind compiles it. At most one of the two is there.
type Compilation struct {
	Rewriting   *Rewriting
	Arrangement *Arrangement
}

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
