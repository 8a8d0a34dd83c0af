// SPDX-License-Identifier: Apache-2.0

package selection

import "github.com/warptape/warptape/timing/lowering/ir"

// add64 selects a sum of 64 bits: one operation where a product of two words is made for
// it alone, else two that take in what is made for them alone.
func (s *selector) add64(i int, dst []ir.Register, a, b ir.Operand) {
	if s.k.Instructions[i].Guard.Present {
		s.emit(ir.IADD64, i, dst, a, b)
		return
	}
	for n := range 2 {
		x, y := a, b
		if n == 1 {
			x, y = b, a
		}
		if m := s.maker(x, ir.IMADWide); m != nil && len(m.Src) == 2 {
			src := append(m.Src[:2:2], y)
			if !fits(src) && src[1].Kind == ir.Immediate && y.Kind == ir.Constant { // a factor that many products share
				src[1] = ir.RegOperand(s.hold(src[1], 1))
				m = s.maker(x, ir.IMADWide)
			}
			if m != nil && fits(src) {
				s.fuse(ir.IMADWide, i, dst, []*ir.Op{m}, src...)
				return
			}
		}
		if m := s.shifted(x); m != nil && fits([]ir.Operand{m.Src[0], y}) {
			s.fuse(ir.LEA64, i, dst, []*ir.Op{m}, m.Src[0], y)
			return
		}
	}
	s.sum64(i, dst, a, b)
}

// sum64 selects a sum of 64 bits with what extends its words, and with a third input.
//
//   - A word that zeros extend is its own lower word, and RZ is the upper one.
//   - LEA.HI.X.SX32 adds the sign of a word and a carry to the upper word.
//   - IADD3 and IADD3.X have two carries, so that a sum has three inputs.
//
// cuobjdump shows all three for sm_70 and later (recalled and not looked up).
func (s *selector) sum64(i int, dst []ir.Register, a, b ir.Operand) {
	code := ir.IADD64
	src, makers := s.extend(a, b)
	for n, o := range src {
		if m := s.maker(o, ir.SignExtend); m != nil && s.target.WideMultiply && code == ir.IADD64 && s.fromWord(m) {
			code, src[n], makers = ir.AddSigned64, m.Src[0], append(makers, m)
		}
	}
	for n := 0; n < 2 && s.target.ThreeInputs && code == ir.IADD64; n++ {
		m := s.maker(src[n], ir.IADD64)
		if m == nil || len(m.Src) != 2 || s.last(m).Opcode != "add" {
			continue
		}
		if all := append(m.Src[:2:2], src[1-n]); fits(all) {
			src, makers = all, append(makers, m)
			break
		}
	}
	if len(makers) == 0 || !fits(src) {
		s.emit(ir.IADD64, i, dst, a, b)
		return
	}
	s.fuse(code, i, dst, makers, src...)
}

// difference64 selects a difference of 64 bits with what extends its words by zeros.
func (s *selector) difference64(i int, dst []ir.Register, a, b ir.Operand) {
	if !s.k.Instructions[i].Guard.Present {
		if src, makers := s.extend(a, b); len(makers) > 0 && fits(src) {
			s.fuse(ir.IADD64, i, dst, makers, src...)
			return
		}
	}
	s.emit(ir.IADD64, i, dst, a, b)
}

// extend puts words in the place of operands that extend them by zeros, and gives the
// operations that do so.
func (s *selector) extend(src ...ir.Operand) ([]ir.Operand, []*ir.Op) {
	var makers []*ir.Op
	for n, o := range src {
		if m := s.extended(o); m != nil {
			src[n], makers = m.Src[0], append(makers, m)
			src[n].Part = ir.ZeroExtended
		}
	}
	return src, makers
}

// extended is the operation that extends a word by zeros for a sum alone.
func (s *selector) extended(o ir.Operand) *ir.Op {
	m := s.maker(o, ir.MOV64)
	if m == nil || len(m.Src) != 1 || m.Src[0].Kind != ir.Reg || m.Src[0].Part != ir.Whole || s.last(m).Opcode != "cvt" || !s.fromWord(m) {
		return nil
	}
	return m
}

// fromWord reports whether an operation converts an integer of 32 bits.
func (s *selector) fromWord(m *ir.Op) bool {
	return bitsOf(s.last(m), 1) == 32 && s.f.Registers[m.Src[0].Register].Words == 1
}

// shifted is the operation that shifts 64 bits to the left for a sum alone, on generations
// that do both at once (LEA and LEA.HI.X, which takes the carry).
func (s *selector) shifted(o ir.Operand) *ir.Op {
	m := s.maker(o, ir.SHF64)
	if !s.target.WideMultiply || m == nil || len(m.Src) != 2 || m.Src[1].Kind != ir.Immediate || m.Src[1].Symbol != "" || m.Src[1].Value < 1 || m.Src[1].Value > 31 {
		return nil
	}
	if s.last(m).Opcode != "shl" {
		return nil
	}
	return m
}
