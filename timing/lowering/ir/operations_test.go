// SPDX-License-Identifier: Apache-2.0

package ir

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// An operation reads the registers of its sources, its base and its guard. Others take their places there and where
// instructions find variables, and what is no register stays.
func TestOperationsReadWhatTheyName(t *testing.T) {
	draw := rand.New(rand.NewPCG(2, 33))
	kinds := []Kind{None, Reg, Immediate, Constant, Special}
	operand := func() Operand {
		return Operand{Kind: kinds[draw.IntN(len(kinds))], Register: Register(draw.IntN(9)), Value: int64(draw.IntN(9)), Negated: draw.IntN(2) == 0}
	}
	for range 500 {
		op := Op{Base: operand(), Guard: operand()}
		for range draw.IntN(4) {
			op.Src = append(op.Src, operand())
		}
		for range draw.IntN(3) {
			op.Reads = append(op.Reads, Read{Variable: Register(draw.IntN(9)), Operand: operand()})
		}
		var want []Register
		for _, o := range append(slices.Clone(op.Src), op.Base, op.Guard) {
			if o.Kind == Reg {
				want = append(want, o.Register)
			}
		}
		var visited []Register
		op.EachRead(func(r Register) { visited = append(visited, r) })
		if got := op.AppendReads([]Register{77}); !slices.Equal(visited, want) || !slices.Equal(got, append([]Register{77}, want...)) {
			t.Fatalf("%+v reads %v, and %v in a list, want %v", op, visited, got, want)
		}
		was := op
		was.Src, was.Reads = slices.Clone(op.Src), slices.Clone(op.Reads)
		op.Replace(func(o Operand) Operand {
			o.Register += 100
			return o
		})
		before, after := append(slices.Clone(was.Src), was.Base, was.Guard), append(slices.Clone(op.Src), op.Base, op.Guard)
		for i := range was.Reads {
			before, after = append(before, was.Reads[i].Operand), append(after, op.Reads[i].Operand)
		}
		for i, o := range before {
			if o.Kind == Reg {
				o.Register += 100
			}
			if after[i] != o {
				t.Fatalf("operand %d of %+v is now %+v, want %+v", i, was, after[i], o)
			}
		}
	}
}
