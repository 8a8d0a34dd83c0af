// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
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

// A register that nothing has written on any way is not affine, also where ways meet: the branch
// that reads it is the warps'. Registers start as zeros.
func TestRegistersThatNothingWritesAreNotAffine(t *testing.T) {
	tid, a, never, p, q := reg("tid", 0, 1), reg("a", 1, 1), reg("never", 2, 1), predicate("p", 0), predicate("q", 1)
	operand := func(r trace.Register) trace.Operand { return trace.Operand{Kind: trace.OperandRegister, Register: r} }
	load := op("ld.global", "u32", trace.ClassLoad, reg("x", 3, 1), at(a))
	load.Space, load.LaneBytes = trace.SpaceGlobal, 4
	k := &trace.Kernel{Name: "unwritten", RegistersPerThread: 4, Instructions: []trace.Instruction{
		op("mov", "u32", trace.ClassMove, tid, specialRegister("tid.x")),
		op("mul.lo", "u32", trace.ClassIntMul, a, tid, imm(4)),
		op("setp.lt", "u32", trace.ClassIntAdd, operand(p), tid, imm(8)),
		branch(operand(p), false, 2),
		op("add", "u32", trace.ClassIntAdd, a, a, imm(64)),
		op("setp.eq", "u32", trace.ClassIntAdd, operand(q), never, imm(0)),
		branch(operand(q), false, 4),
		op("add", "u32", trace.ClassIntAdd, a, a, imm(256)),
		load,
		{Opcode: "ret", Class: trace.ClassExit},
	}}
	k.Blocks = []trace.BasicBlock{
		{First: 0, Count: 4, Successors: []uint32{2, 1}, PostDominator: 2}, {First: 4, Count: 1, Successors: []uint32{2}, PostDominator: 2},
		{First: 5, Count: 2, Successors: []uint32{4, 3}, PostDominator: 4}, {First: 7, Count: 1, Successors: []uint32{4}, PostDominator: 4},
		{First: 8, Count: 2, PostDominator: trace.NoBlock},
	}
	if err := k.Validate(); err != nil {
		t.Fatal(err)
	}
	f := Compile(k).Fates
	if want := "a register that nothing has written"; f[5].Affine || f[5].Enqueue != NoQueue || !strings.Contains(f[5].Reason, want) || f[6].Affine && !f[6].Supplied {
		t.Errorf("the comparison: %+v, want %q; the branch: %+v", f[5], want, f[6])
	}
	_, err := Measure(runOnce(t, k, func(w *wtape.Writer) {
		w.Visit(0, 0, ^uint32(0))
		w.Visit(0, 1, 0xffffff00)
		w.Visit(0, 2, ^uint32(0))
		w.Visit(0, 4, ^uint32(0))
		var lanes [trace.WarpSize]uint64
		for i := range lanes {
			if lanes[i] = 4 * uint64(i); i >= 8 {
				lanes[i] += 64
			}
		}
		w.Access(0, ^uint32(0), &lanes)
	}), Options{})
	if err != nil {
		t.Error(err)
	}
}
