// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"testing"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// sums is a part of an unrolled convolution: count sums that go on over a loop. Each sum
// adds rows of values; the next sum begins apart rows later, and shares the values of the
// rows that both need.
type sums struct {
	f     *ir.Function
	block *ir.Block
	out   []ir.Register
}

func newSums(count, rows, columns, apart int) *sums {
	s := &sums{f: new(ir.Function), block: new(ir.Block)}
	general := func() ir.Register { return s.f.NewRegister(trace.FileGeneral, 1) }
	base, now := general(), make([]ir.Register, count)
	for n := range now {
		now[n] = general()
		s.out = append(s.out, now[n])
	}
	s.out = append(s.out, base)
	values, constants := map[[2]int]ir.Register{}, map[[2]int]ir.Register{}
	load := func(of map[[2]int]ir.Register, at [2]int, effect ir.Effect) ir.Register {
		if r, ok := of[at]; ok {
			return r
		}
		r := general()
		of[at] = r
		space := trace.SpaceShared
		if effect == ir.Pure {
			space = trace.SpaceConst
		}
		s.block.Ops = append(s.block.Ops, ir.Op{Code: ir.LDL, Dst: []ir.Register{r}, Base: ir.RegOperand(base), Offset: int64(4 * (64*at[0] + at[1])),
			Effect: effect, Memory: true, Space: space, Bytes: 4})
		return r
	}
	for i := range rows {
		for j := range columns {
			for n := range count {
				c, v := load(constants, [2]int{i, j}, ir.Pure), load(values, [2]int{apart*n + i, j}, ir.Loads)
				r := general()
				if i == rows-1 && j == columns-1 {
					r = s.out[n]
				}
				s.block.Ops = append(s.block.Ops, ir.Op{Code: ir.FFMA, Dst: []ir.Register{r}, Src: []ir.Operand{ir.RegOperand(v), ir.RegOperand(c), ir.RegOperand(now[n])}})
				now[n] = r
			}
		}
	}
	return s
}

// Values that several sums need, in rows far apart in the order of the program, are read
// and used up row by row. What is live is the sums, the constants and a few values.
func TestSumsThatShareRowsBeginOneAfterTheOther(t *testing.T) {
	for _, apart := range []int{1, 4} {
		s := newSums(8, 5, 15, apart)
		scheduler := New(s.f)
		before := scheduler.Most(s.block, s.out)
		operations := len(s.block.Ops)
		scheduler.Pressure(s.block, s.out)
		most := scheduler.Most(s.block, s.out)
		if least := 8 + 5*15; most > least+12 || most >= before || len(s.block.Ops) != operations {
			t.Errorf("rows %d apart: %d registers live, in the program's order %d; the sums and constants are %d", apart, most, before, least)
		}
	}
}

// Twelve sums are stored where their comparisons say so. Comparisons that are made where they
// are read leave few predicates live; made as soon as they can be, they are twelve.
func TestComparisonsAreMadeWhereTheyAreRead(t *testing.T) {
	const count = 12
	s := newSums(count, 5, 15, 1)
	base := s.out[count]
	var compares, stores []ir.Op
	for n := range count {
		p := s.f.NewRegister(trace.FilePredicate, 1)
		compares = append(compares, ir.Op{Code: ir.ISETP, Dst: []ir.Register{p}, Src: []ir.Operand{ir.RegOperand(base), {Kind: ir.Immediate, Value: int64(n)}}})
		stores = append(stores, ir.Op{Code: ir.STL, Src: []ir.Operand{ir.RegOperand(s.out[n])}, Base: ir.RegOperand(base), Offset: int64(1<<16 + 4*n), Guard: ir.RegOperand(p),
			Effect: ir.Stores, Memory: true, Space: trace.SpaceGlobal, Bytes: 4})
	}
	s.block.Ops = append(append(compares, s.block.Ops...), stores...)
	out := []ir.Register{base}
	scheduler := New(s.f)
	scheduler.Pressure(s.block, out)
	scheduler.table.list(s.block.Ops)
	if most, _ := scheduler.walk(s.block.Ops, out, nil); most.predicates > Predicates {
		t.Errorf("%d predicates are live, of %d", most.predicates, Predicates)
	}
}
