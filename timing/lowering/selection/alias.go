// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// findAliases finds what costs no operation: moves, conversions between spaces of
// addresses and between 32 and 64 bits, constants, parameters, and negations of
// predicates. Where a variable has several definitions, each has to be the same.
func (s *selector) findAliases() {
	alike := make([]definitions, len(s.vars.defs))
	for i := range s.k.Instructions {
		in := &s.k.Instructions[i]
		if in.Guard.Present || in.Destinations != 1 {
			continue
		}
		if d := &in.Operands[0]; d.Kind == trace.OperandVector {
			s.aliasElements(in)
		} else if d.Kind == trace.OperandRegister {
			r := s.vars.of(s.f, &d.Register)
			switch a := s.aliasOf(in, r); {
			case s.vars.once(r):
				s.vars.alias[r] = a
			case alike[r].defs == 0:
				alike[r] = definitions{1, a}
			case alike[r].alias == a:
				alike[r].defs++
			}
		}
	}
	for r, d := range alike {
		if d.defs > 1 && d.defs == s.vars.defs[r] {
			s.vars.alias[r] = d.alias
		}
	}
	for r := range s.vars.alias {
		s.vars.alias[r] = s.resolve(ir.Register(r), 0)
	}
}

// definitions are those of a variable that give the same, and what they give.
type definitions struct {
	defs  int32
	alias ir.Operand
}

// maxChain bounds chains of aliases: a chain of single definitions has no cycle, unless
// the kernel reads what it never writes.
const maxChain = 64

// resolve follows aliases to the end; None when a variable is itself.
func (s *selector) resolve(r ir.Register, depth int) ir.Operand {
	o := s.vars.alias[r]
	if o.Kind != ir.Reg || depth > maxChain {
		if depth > maxChain {
			return ir.Operand{}
		}
		return o
	}
	next := s.resolve(o.Register, depth+1)
	if next.Kind == ir.None {
		return o
	}
	if c, ok := compose(next, o, s.f.Registers[r].Words); ok {
		return c
	}
	return o
}

// compose reads outer of inner's value: words is what the result has.
func compose(inner, outer ir.Operand, words uint8) (ir.Operand, bool) {
	c := inner
	c.Negated = inner.Negated != outer.Negated
	switch {
	case outer.Part == ir.Whole:
	case inner.Kind == ir.Constant && (outer.Part == ir.Low || outer.Part == ir.High):
		c.Words = 1
		if outer.Part == ir.High {
			c.Value += 4
		}
	case inner.Kind == ir.Constant && outer.Part == ir.ZeroExtended && words == 2:
		c.Words = 1
	case inner.Kind == ir.Immediate && inner.Symbol == "":
		switch outer.Part {
		case ir.Low:
			c.Value = int64(int32(inner.Value))
		case ir.High:
			c.Value = inner.Value >> 32
		case ir.ZeroExtended:
			c.Value = int64(uint32(inner.Value))
		}
	case outer.Part == ir.Low && inner.Kind == ir.Reg && (inner.Part == ir.ZeroExtended):
		c.Part = ir.Whole
	case inner.Kind == ir.Reg && inner.Part == ir.Whole:
		c.Part = outer.Part
	default:
		return outer, false
	}
	return c, true
}

// aliasOf is what the result of an instruction with one definition always equals.
func (s *selector) aliasOf(in *trace.Instruction, d ir.Register) ir.Operand {
	words := s.f.Registers[d].Words
	none := ir.Operand{}
	switch in.Opcode {
	case "mov", "cvta":
		if in.Opcode == "cvta" && in.Space == trace.SpaceGeneric {
			return none
		}
		return s.copyOf(in, words)
	case "ld":
		o := &in.Operands[1]
		fixed := o.Kind == trace.OperandAddress && !o.HasBase
		if fixed && (in.Space == trace.SpaceParam || in.Space == trace.SpaceConst) && (in.LaneBytes == 4 || in.LaneBytes == 8) && !has(in, "volatile") {
			return s.constant(in.Space, o, 0, words)
		}
	case "not":
		if kindOf(in, 0) == 'p' && in.Operands[1].Kind == trace.OperandRegister {
			o := s.register(&in.Operands[1])
			o.Negated = !o.Negated
			return s.steady(o)
		}
	case "cvt":
		if kindOf(in, 0) == 'f' || kindOf(in, 1) == 'f' || has(in, "sat") || in.Operands[1].Kind != trace.OperandRegister {
			return none
		}
		to, from := bitsOf(in, 0), bitsOf(in, 1)
		o := s.register(&in.Operands[1])
		switch {
		case to == from && to >= 32:
			return s.steady(o)
		case to == 32 && from == 64:
			if s.f.Registers[o.Register].Words > 1 {
				o.Part = ir.Low
			}
			return s.steady(o)
		case to == 64 && from == 32 && s.vars.narrow[d]:
			return s.steady(o)
		case to == 64 && from == 32 && kindOf(in, 1) != 's':
			o.Part = ir.ZeroExtended
			return s.steady(o)
		}
	}
	return none
}

// constant is the word of the constant bank at an address.
func (s *selector) constant(space trace.Space, o *trace.Operand, more int64, words uint8) ir.Operand {
	c := ir.Operand{Kind: ir.Constant, Words: words, Value: o.Value + more, Symbol: o.Symbol}
	if space == trace.SpaceParam {
		for i := range s.k.Params {
			if p := &s.k.Params[i]; p.Name == o.Symbol {
				c.Value += int64(p.Offset)
				c.Symbol = ""
			}
		}
	}
	return c
}

// aliasElements gives the elements of a vector that is read from the constant bank, or
// the halves of a register, their aliases.
func (s *selector) aliasElements(in *trace.Instruction) {
	elements := in.Operands[0].Elements
	for n := range elements {
		if elements[n].Kind != trace.OperandRegister {
			continue
		}
		r := s.vars.of(s.f, &elements[n].Register)
		if !s.vars.once(r) {
			continue
		}
		o := &in.Operands[1]
		switch {
		case in.Opcode == "ld" && (in.Space == trace.SpaceParam || in.Space == trace.SpaceConst) && o.Kind == trace.OperandAddress && !o.HasBase &&
			int(in.LaneBytes) == 4*len(elements) && !has(in, "volatile"):
			s.vars.alias[r] = s.constant(in.Space, o, int64(4*n), 1)
		case in.Opcode == "mov" && wide(in) && len(elements) == 2 && o.Kind == trace.OperandRegister && !s.vars.narrow[s.vars.of(s.f, &o.Register)]:
			half := s.register(o)
			half.Part = []ir.Part{ir.Low, ir.High}[n]
			s.vars.alias[r] = s.steady(half)
		}
	}
}

// copyOf is what a move copies.
func (s *selector) copyOf(in *trace.Instruction, words uint8) ir.Operand {
	if len(in.Operands) < 2 {
		return ir.Operand{}
	}
	switch o := &in.Operands[1]; o.Kind {
	case trace.OperandRegister:
		c := s.register(o)
		from := s.f.Registers[c.Register].Words
		if words < from && words == 1 {
			c.Part = ir.Low
		} else if words != from {
			return ir.Operand{}
		}
		return s.steady(c)
	case trace.OperandImmediate:
		return ir.Operand{Kind: ir.Immediate, Value: o.Value, Words: words}
	case trace.OperandSymbol, trace.OperandParam:
		if words > 1 { // an address of the generic space, from the constant bank
			return ir.Operand{Kind: ir.Constant, Symbol: "&" + o.Symbol, Value: o.Value, Words: words}
		}
		return ir.Operand{Kind: ir.Immediate, Symbol: o.Symbol, Value: o.Value, Words: words}
	case trace.OperandSpecial:
		if dimension(o.Symbol) {
			return ir.Operand{Kind: ir.Constant, Symbol: "%" + o.Symbol, Words: words}
		}
	}
	return ir.Operand{}
}

// dimension reports whether a special register is a word of the constant bank.
func dimension(symbol string) bool {
	switch symbol {
	case "ntid.x", "ntid.y", "ntid.z", "nctaid.x", "nctaid.y", "nctaid.z":
		return true
	}
	return false
}

// steady gives an operand that never changes, None for a register that does.
func (s *selector) steady(o ir.Operand) ir.Operand {
	if o.Kind == ir.Reg && !s.vars.once(o.Register) {
		return ir.Operand{}
	}
	return o
}

// register is a register operand as it stands.
func (s *selector) register(o *trace.Operand) ir.Operand {
	return ir.Operand{Kind: ir.Reg, Register: s.vars.of(s.f, &o.Register), Negated: o.Negated}
}
