// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// maker gives the operation of one of the codes that makes an operand, if this one alone
// reads it and its sources are still what they were: its work can be done here.
func (s *selector) maker(o ir.Operand, codes ...*ir.Code) *ir.Op {
	if o.Kind != ir.Reg || o.Part != ir.Whole || int(o.Register) >= len(s.vars.defs) || !s.vars.once(o.Register) || s.vars.uses[o.Register] != 1 {
		return nil
	}
	at := s.vars.maker(o.Register)
	if at < 0 {
		return nil
	}
	op := &s.block.Ops[at]
	if op.Code == nil || op.Part != s.part || op.Guard.Kind != ir.None || len(op.Dst) != 1 || len(op.Covers) == 0 {
		return nil
	}
	found := false
	for _, c := range codes {
		found = found || op.Code == c
	}
	if !found {
		return nil
	}
	fresh := true
	op.EachRead(func(r ir.Register) {
		fresh = fresh && s.vars.lastOf(r) < at
	})
	if !fresh {
		return nil
	}
	return op
}

// last is the last instruction whose work an operation does.
func (s *selector) last(m *ir.Op) *trace.Instruction {
	return &s.k.Instructions[m.Covers[len(m.Covers)-1]]
}

// fuse adds an operation that does the work of an instruction and of the makers of some
// of its sources, which it takes away.
func (s *selector) fuse(code *ir.Code, i int, dst []ir.Register, makers []*ir.Op, src ...ir.Operand) *ir.Op {
	op := ir.Op{Code: code, Dst: dst, Src: src, Origin: uint32(i)}
	inside := map[ir.Register]bool{}
	for _, m := range makers {
		op.Covers = append(op.Covers, m.Covers...)
		op.Reads = append(op.Reads, m.Reads...)
		inside[m.Dst[0]] = true
		m.Code = nil
	}
	p := s.add(op)
	p.Covers = append(p.Covers, uint32(i))
	for _, r := range s.readsOf(i) {
		if v := s.value(r); v.Kind != ir.Reg || !inside[v.Register] || v.Register != r {
			p.Reads = append(p.Reads, ir.Read{Variable: r, Operand: v})
		}
	}
	s.legal(p)
	return s.define()
}

// fits reports whether sources are at most three, with at most one that is no register.
func fits(src []ir.Operand) bool {
	fixed := 0
	for i := range src {
		if src[i].Kind == ir.Constant || src[i].Kind == ir.Immediate && (src[i].Value != 0 || src[i].Symbol != "") {
			fixed++
		}
	}
	return len(src) <= 3 && fixed <= 1
}

// add32 selects a sum of 32 bits: with a third input, a product or a shift where one of
// the two is made for it alone.
func (s *selector) add32(i int, dst []ir.Register, a, b ir.Operand) {
	guarded := s.k.Instructions[i].Guard.Present
	for n := range 2 {
		x, y := a, b
		if n == 1 {
			x, y = b, a
		}
		if guarded || !s.target.ThreeInputs {
			if m := s.maker(x, ir.IMAD); m != nil && !guarded && len(m.Src) == 2 {
				if src := append(m.Src[:2:2], y); fits(src) {
					s.fuse(ir.IMAD, i, dst, []*ir.Op{m}, src...)
					return
				}
			}
			continue
		}
		if m := s.maker(x, ir.SEL); m != nil && y.Kind == ir.Reg && counts(m) {
			s.fuse(ir.IADD3, i, dst, []*ir.Op{m}, y, m.Src[2])
			return
		}
		m := s.maker(x, ir.IMAD, ir.SHF, ir.IADD3)
		if m == nil || len(m.Src) != 2 || x.Negated {
			continue
		}
		code := m.Code
		if code == ir.SHF {
			if code = ir.LEA; m.Src[1].Kind != ir.Immediate || s.last(m).Opcode != "shl" {
				continue
			}
		}
		src := append(m.Src[:2:2], y)
		if code == ir.LEA && fits([]ir.Operand{m.Src[0], y}) || code != ir.LEA && fits(src) {
			s.fuse(code, i, dst, []*ir.Op{m}, src...)
			return
		}
	}
	s.emit(ir.IADD3, i, dst, a, b)
}

// counts reports whether an operation makes one of a predicate that is true, and zero of another: a
// sum takes the predicate in as its carry (IADD3.X).
func counts(m *ir.Op) bool {
	return len(m.Src) == 3 && m.Src[2].Kind == ir.Reg && m.Src[0] == ir.Operand{Kind: ir.Immediate, Value: 1} && m.Src[1] == ir.Operand{Kind: ir.Immediate}
}

// shift64 selects a shift to the left of 64 bits by an immediate: of an extended word it
// is a product.
func (s *selector) shift64(i int, dst []ir.Register, a, by ir.Operand) {
	if by.Kind == ir.Immediate && by.Value < 31 && !s.k.Instructions[i].Guard.Present && s.target.WideMultiply {
		factor := ir.Operand{Kind: ir.Immediate, Value: 1 << by.Value}
		if a.Kind == ir.Reg && a.Part == ir.ZeroExtended {
			a.Part = ir.Whole
			s.emit(ir.IMADWide, i, dst, a, factor)
			return
		}
		if m := s.maker(a, ir.SignExtend); m != nil {
			s.fuse(ir.IMADWide, i, dst, []*ir.Op{m}, m.Src[0], factor)
			return
		}
	}
	s.emit(ir.SHF64, i, dst, a, by)
}

// logic selects an operation on bits: with a third input where a logic operation is made
// for it alone.
func (s *selector) logic(i int, dst []ir.Register, src ...ir.Operand) {
	if s.target.ThreeInputs && len(src) == 2 && !s.k.Instructions[i].Guard.Present {
		for n := range 2 {
			if m := s.maker(src[n], ir.LOP3); m != nil && len(m.Src) <= 2 && !src[n].Negated {
				if all := append(m.Src[:len(m.Src):len(m.Src)], src[1-n]); fits(all) {
					s.fuse(ir.LOP3, i, dst, []*ir.Op{m}, all...)
					return
				}
			}
		}
	}
	s.emit(ir.LOP3, i, dst, src...)
}

// predicates selects an operation on predicates: the comparison that makes one of them
// alone does it with its result.
func (s *selector) predicates(i int, dst []ir.Register, src ...ir.Operand) {
	if len(src) == 2 && !s.k.Instructions[i].Guard.Present {
		for n := 1; n >= 0; n-- {
			m := s.maker(src[n], ir.FSETP, ir.ISETP, ir.DSETP)
			if m == nil || combined(m) || src[1-n].Kind != ir.Reg {
				continue
			}
			s.fuse(m.Code, i, dst, []*ir.Op{m}, append(m.Src[:len(m.Src):len(m.Src)], src[1-n])...)
			return
		}
		if n := s.older(src); n >= 0 {
			s.compareAgain(i, dst, *s.comparison(src[n]), src[n], src[1-n])
			return
		}
	}
	s.emit(ir.PLOP3, i, dst, src...)
}

// older gives the place of the source whose comparison lies farther back, of those that can
// be made again; -1: none can. A comparison takes a predicate as its input, so that it does
// an operation on predicates as well, and the predicate that was made before need not be
// kept. There are seven of them.
func (s *selector) older(src []ir.Operand) int {
	best := -1
	for n := range src {
		if src[1-n].Kind == ir.Reg && s.comparison(src[n]) != nil && (best < 0 || s.vars.maker(src[n].Register) < s.vars.maker(src[best].Register)) {
			best = n
		}
	}
	return best
}

// comparison is the operation that made a predicate and would still make it; nil: none.
func (s *selector) comparison(o ir.Operand) *ir.Op {
	if o.Kind != ir.Reg || int(o.Register) >= len(s.vars.defs) || !s.vars.once(o.Register) {
		return nil
	}
	at := s.vars.maker(o.Register)
	if at < 0 {
		return nil
	}
	op := &s.block.Ops[at]
	if op.Code != ir.ISETP && op.Code != ir.FSETP || op.Guard.Kind != ir.None || s.block.Parts[op.Part].Optional || len(op.Dst) != 1 || len(op.Covers) != 1 || combined(op) {
		return nil
	}
	fresh := true
	op.EachRead(func(r ir.Register) {
		fresh = fresh && s.vars.lastOf(r) < at
	})
	if !fresh {
		return nil
	}
	return op
}

// compareAgain adds an operation that does a comparison again, and with it the work of an
// instruction on its result and another predicate.
func (s *selector) compareAgain(i int, dst []ir.Register, m ir.Op, made, other ir.Operand) {
	op := ir.Op{Code: m.Code, Dst: dst, Src: append(m.Src[:len(m.Src):len(m.Src)], other), Origin: uint32(i)}
	op.Covers, op.Reads = append([]uint32(nil), m.Covers...), append([]ir.Read(nil), m.Reads...)
	p := s.add(op)
	p.Covers = append(p.Covers, uint32(i))
	for _, r := range s.readsOf(i) {
		if v := s.value(r); v.Kind != ir.Reg || v.Register != made.Register {
			p.Reads = append(p.Reads, ir.Read{Variable: r, Operand: v})
		}
	}
	s.define()
}

// combined reports whether a comparison has a predicate among its sources already.
func combined(m *ir.Op) bool { return len(m.Src) > 2 }
