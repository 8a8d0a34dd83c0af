// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"testing"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// products is a chain of sums of loaded values. So many sums read each value.
func products(loads, readers int) (*ir.Function, *ir.Block, []ir.Register) {
	f, b := new(ir.Function), new(ir.Block)
	general := func() ir.Register { return f.NewRegister(trace.FileGeneral, 1) }
	base, sum := general(), general()
	for n := range loads {
		v := general()
		b.Ops = append(b.Ops, ir.Op{Code: ir.LDL, Dst: []ir.Register{v}, Base: ir.RegOperand(base), Offset: int64(4 * n), Effect: ir.Loads, Memory: true, Space: trace.SpaceShared, Bytes: 4})
		for range readers {
			next := general()
			b.Ops = append(b.Ops, ir.Op{Code: ir.FADD, Dst: []ir.Register{next}, Src: []ir.Operand{ir.RegOperand(sum), ir.RegOperand(v)}})
			sum = next
		}
	}
	return f, b, []ir.Register{sum, base}
}

// As many loads go ahead as the target says, beside the one that is needed first. Of those
// whose values are read twice, as many go as the registers hold. The counts are those of the
// vendor's compiler (ptxas): where sums of the convolution share values, threads have the registers
// with which all threads of an SM fit.
func TestLoadsThatAreReadTwiceAreBoundByRegistersAlone(t *testing.T) {
	target := Target{Registers: 40, InFlight: 10, Latency: 4, Late: 22}
	for readers, most := range map[int]int{1: 10 + 3, 2: 40, 3: 40} {
		f, b, out := products(100, readers)
		s := New(f)
		s.Ahead(b, out, target)
		if got := s.Most(b, out); got > most || got < most-2 {
			t.Errorf("values read by %d sums: %d registers live, want %d", readers, got, most)
		}
	}
}

// In front of each sum stand the loads of the sums up to it, and as many more as go ahead at a time.
func TestLoadsStayAsFarAheadAsTheTargetSays(t *testing.T) {
	const loads = 100
	for _, ahead := range []int{1, 5, 10} {
		f, b, out := products(loads, 1)
		New(f).Ahead(b, out, Target{Registers: 99, InFlight: ahead, Latency: 4, Late: 22})
		loaded, sums := 0, 0
		for i := range b.Ops {
			if b.Ops[i].Memory {
				loaded++
				continue
			}
			if sums++; loaded != min(loads, sums+ahead) {
				t.Errorf("%d at a time: %d loads stand in front of sum %d", ahead, loaded, sums)
			}
		}
	}
}

// A look at a block counts each operation once, and each time that an order weighs one.
func TestStepsCountWhatIsLookedAt(t *testing.T) {
	x := newSums(8, 5, 15, 1)
	s := New(x.f)
	s.Most(x.block, x.out)
	if n := uint64(len(x.block.Ops)); s.Steps != n {
		t.Errorf("%d steps for %d operations", s.Steps, n)
	}
	s.Pressure(x.block, x.out)
	s.Steps, s.order.rule = 0, rule{}
	if s.order.keyOf(0); s.Steps != 1 {
		t.Errorf("%d steps for one operation", s.Steps)
	}
}

// Nothing passes the call of a subroutine: it ends a block of the machine's.
func TestNothingPassesACall(t *testing.T) {
	f, first, _ := products(8, 1)
	before := len(first.Ops)
	first.Ops = append(first.Ops, ir.Op{Code: ir.CALL})
	_, second, _ := products(8, 1)
	apart := ir.Register(len(f.Registers))
	for i := range second.Ops { // the same again, with registers of its own
		op := second.Ops[i]
		op.Dst = []ir.Register{op.Dst[0] + apart}
		op.Replace(func(o ir.Operand) ir.Operand { o.Register += apart; return o })
		first.Ops = append(first.Ops, op)
	}
	for range apart {
		f.NewRegister(trace.FileGeneral, 1)
	}
	out := []ir.Register{apart - 1, 2*apart - 1}
	s := New(f)
	s.Pressure(first, out)
	s.Ahead(first, out, Target{Registers: 40, InFlight: 30, Latency: 4, Late: 22})
	if len(first.Ops) != 2*before+1 {
		t.Fatalf("%d operations", len(first.Ops))
	}
	for i := range first.Ops {
		op := &first.Ops[i]
		if is := op.Code == ir.CALL; is != (i == before) {
			t.Errorf("place %d has %s", i, op.Code.Name)
		}
		if len(op.Dst) > 0 && (op.Dst[0] < apart) != (i < before) {
			t.Errorf("place %d has an operation of the other side of the call", i)
		}
	}
}
