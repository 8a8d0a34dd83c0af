// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"testing"

	"github.com/warptape/warptape/timing/lowering/ir"
)

// What reads a quotient needs it, and so does what reads that. A register that is written anew holds no quotient any
// more, unless lanes may keep the old value.
func TestWhatNeedsAQuotientByHand(t *testing.T) {
	op := func(code *ir.Code, to ir.Register, from ...ir.Register) ir.Op {
		o := ir.Op{Code: code, Dst: []ir.Register{to}, Origin: 9}
		for _, r := range from {
			o.Src = append(o.Src, ir.Operand{Kind: ir.Reg, Register: r})
		}
		return o
	}
	division, other, partial := op(ir.FADD, 1, 2), op(ir.FADD, 6, 2), op(ir.FADD, 1, 2)
	division.Origin, division.Covers = 5, []uint32{5}
	other.Covers = []uint32{9} // of an instruction that calls nothing
	partial.Partial = true
	helper := op(ir.FADD, 7, 2)
	helper.Origin = 5 // of the subroutine, and covers nothing
	b := &ir.Block{Ops: []ir.Op{
		{Code: ir.RET, Origin: 5}, helper, other,
		op(ir.FADD, 3, 1), // in front of the quotient
		division,
		op(ir.FADD, 3, 1), op(ir.FADD, 4, 3, 2), op(ir.FADD, 5, 2),
		partial, op(ir.FADD, 8, 1), // in some lanes it is the quotient
		op(ir.FADD, 1, 2), op(ir.FADD, 8, 1), // and in none any more
	}}
	want := []bool{false, false, false, false, true, true, true, false, false, true, false, false}
	for i, got := range needsQuotient(b.Ops) {
		if got != want[i] {
			t.Errorf("operation %d needs a quotient: %t", i, got)
		}
	}
}
