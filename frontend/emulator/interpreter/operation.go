// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// operation is one lowered instruction: everything about opcode, types and
// operands is decided when the kernel is loaded.
type operation struct {
	kind operationKind
	// wide says that the result of a lane loop is 64 bits per lane.
	wide bool
	// guarded operations execute in the lanes where predicate guard, exclusive-or
	// guardFlip, holds. Flag traceGuard says that the trace has that mask; always says
	// that the operation runs even with no lane, because the trace has it.
	guarded, traceGuard, always bool
	guard, guardFlip            uint32

	// d, a, b and c are byte offsets of slots in the register file. For
	// predicates they are indices.
	d, a, b, c uint32
	// target is where a branch goes, offset the address of a parameter.
	target int
	offset uint64

	loop    lanes.Loop
	compare *comparison
	run     runFunc
	// branch is the one that follows a comparison.
	branch *operation
	// meets, of operations with a member mask or for the whole warp, says which lanes wait
	// for which.
	meets *meetingOperation
	// instruction is the index in the kernel's body.
	instruction int
	// extra is what run needs beyond the above.
	extra any
}

// runFunc executes an operation in the lanes of mask.
type runFunc func(c *warpContext, op *operation, mask uint32) error

type operationKind uint8

const (
	kindLanes     operationKind = iota // loop
	kindCompare                        // compare, without loop
	kindRun                            // run
	kindBranch                         // to segment target
	kindParameter                      // trace the load of a parameter
	kindNothing
	kindCompareBranch // compare, then branch
	kindMeeting       // run, when all members are there
)

// comparison is what setp does with the lanes for which relation holds.
type comparison struct {
	relation     lanes.Relation
	swap, invert bool
	combine      combination
	// third is the predicate operand of the combination.
	third     uint32
	thirdFlip uint32
	// p and q are the results; q is sink without one.
	p, q uint32
}

// comparisonOf is the comparison of setp or set on operands of type t; nil when there is
// none for the type.
func comparisonOf(in *ptx.Instruction, t ptx.Type) *comparison {
	relation, swap, invert := lanes.RelationOf(in, t)
	if relation == nil {
		return nil
	}
	return &comparison{relation: relation, swap: swap, invert: invert}
}

// sink is the index of a result that no operation reads.
const sink = ^uint32(0)

// combination is the boolean operation of setp and set (9.7.6).
type combination uint8

const (
	combineNone combination = iota
	combineAnd
	combineOr
	combineXor
)

func (o combination) apply(t, c uint32) uint32 {
	switch o {
	case combineAnd:
		return t & c
	case combineOr:
		return t | c
	case combineXor:
		return t ^ c
	}
	return t
}

// lowering turns the instructions of one kernel into operations.
type lowering struct {
	kernel *ptx.Kernel
	layout *layout
	shared map[*ptx.Variable]uint64
	local  map[*ptx.Variable]uint64
	// dynamicShared is where extern shared arrays start.
	dynamicShared uint64
	// segmentOf gives the segment that starts at an instruction.
	segmentOf func(instruction int) int
	// caches counts the accesses that remember their last allocation,
	// reductions the barriers with a result.
	caches, reductions int
	// patterns numbers the base registers of accesses, by their slots.
	patterns map[uint32]int
	// clocks are the clock registers that the instruction at hand reads, frames
	// the addresses in a function's frame.
	clocks []clockOperand
	frames []frameOperand
	// contaminated is the kernel, unit the one of its units that the
	// instruction at hand belongs to; framed has the variables whose places are
	// relative to a frame.
	contaminated *contaminator.Kernel
	unit         int
	// index is that of the instruction at hand in the kernel's body.
	index  int
	ahead  uint64 // instructions of its segment before it
	framed map[*ptx.Variable]bool
}
