// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// product64 selects the low or the high half of a product of 64-bit integers, with a sum if
// there is one, where products of two words are one operation. The low half is the product of
// the low words, and two cross products that are added to its upper word. The high half needs
// carries of all four products. cuobjdump shows both so for sm_70 (recalled and not looked up).
func (s *selector) product64(i int, in *trace.Instruction, dst []ir.Register, src []ir.Operand) {
	step := func(code *ir.Code, words uint8, more ...ir.Operand) ir.Operand {
		return s.step(code, i, trace.FileGeneral, words, append([]ir.Operand{src[0], src[1]}, more...)...)
	}
	last, parts := ir.IADD3, []ir.Operand{}
	if has(in, "hi") {
		cross := step(ir.IMADWide, 2, step(ir.IMADWide, 2))
		carry := s.step(ir.IADD3, i, trace.FileGeneral, 1, cross, step(ir.IMADWide, 2))
		upper := s.step(ir.IMAD, i, trace.FileGeneral, 1, cross)
		last, parts = ir.IMADWide, []ir.Operand{s.step(ir.IMADMov, i, trace.FileGeneral, 1, upper), carry}
	} else {
		parts = append(parts, step(ir.IMAD, 1, step(ir.IMAD, 1)), step(ir.IMADWide, 2, src[2:]...))
	}
	s.legal(s.emitWide(last, i, dst, append(append([]ir.Operand(nil), src...), parts...)...))
	s.define()
}
