// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"testing"

	"github.com/warptape/warptape/trace"
)

// A load of global or local memory is one, and one by a generic address perhaps; of other memory none is, and no store.
func TestWhatIsALoad(t *testing.T) {
	want := map[trace.Space]bool{trace.SpaceGlobal: true, trace.SpaceLocal: true, trace.SpaceGeneric: true}
	for _, space := range []trace.Space{trace.SpaceGlobal, trace.SpaceLocal, trace.SpaceGeneric, trace.SpaceShared, trace.SpaceConst, trace.SpaceParam, trace.SpaceTexture} {
		load, store := trace.Instruction{Class: trace.ClassLoad, Space: space}, trace.Instruction{Class: trace.ClassStore, Space: space}
		if isLoad(&load) != want[space] || isLoad(&store) {
			t.Errorf("%v: a load is one: %t, a store: %t", space, isLoad(&load), isLoad(&store))
		}
	}
}

// A predicate operand that is a constant holds in all lanes or in none, of whatever warp; a register in those that it has.
func TestPredicateOperandsByLane(t *testing.T) {
	var e Evaluator
	e.predicates = make([]bitVector, 2)
	e.predicates[1].lanes.Masks[3] = 0xf0
	register := trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{File: trace.FilePredicate, Number: 1}}
	for _, c := range []struct {
		o       trace.Operand
		negated bool
		want    uint32
	}{
		{register, false, 0xf0}, {register, true, ^uint32(0xf0)},
		{trace.Operand{Kind: trace.OperandImmediate, Value: 1}, false, ^uint32(0)}, {trace.Operand{Kind: trace.OperandImmediate, Value: 1}, true, 0},
		{trace.Operand{Kind: trace.OperandImmediate, Value: -1}, false, ^uint32(0)},
		{trace.Operand{Kind: trace.OperandImmediate}, false, 0}, {trace.Operand{Kind: trace.OperandImmediate}, true, ^uint32(0)},
	} {
		c.o.Negated = c.negated
		if got := e.predicateOf(&c.o, 3); got != c.want {
			t.Errorf("%+v holds in lanes %#x, want %#x", c.o, got, c.want)
		}
	}
}
