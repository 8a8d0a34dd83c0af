// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"slices"
	"strings"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// instruction selects for one instruction.
func (s *selector) instruction(i int, in *trace.Instruction) {
	if s.f.Costless[i] {
		return
	}
	switch {
	case in.Class.IsMemory() || in.Class == trace.ClassFence || in.Class == trace.ClassBarrier || in.Class == trace.ClassTensor || in.Class == trace.ClassShuffle || in.Class == trace.ClassCall:
		s.kept(i, in)
		return
	case in.Class == trace.ClassBranch || in.Class == trace.ClassExit:
		s.control(i, in)
		return
	}
	if select32 := table[in.Opcode]; select32 != nil && simple(in) {
		select32(s, i, in)
		return
	}
	s.other(i, in)
}

// simple reports whether an instruction has one register as its result.
func simple(in *trace.Instruction) bool {
	return in.Destinations == 1 && in.Operands[0].Kind == trace.OperandRegister && !has(in, "cc")
}

// dst is the result of an instruction that is simple.
func (s *selector) dst(in *trace.Instruction) []ir.Register {
	return append(s.registers.Make(1), s.vars.of(s.f, &in.Operands[0].Register))
}

// sources are the operands behind the result: their low words where those of a result of 64 bits
// are enough. A comparison or a count of 64 bits has a narrow result of its own, and reads both.
func (s *selector) sources(i int, in *trace.Instruction) []ir.Operand {
	narrow := s.vars.narrow[s.writes(i)[0]]
	list := s.operands.Make(len(in.Operands) - 1)
	for n := 1; n < len(in.Operands); n++ {
		o := s.source(&in.Operands[n], narrow)
		if o.Kind == ir.Special {
			o = s.step(ir.S2R, i, trace.FileGeneral, 1, o)
		}
		list = append(list, o)
	}
	return list
}

// table has the instructions with forms of their own by opcode; others are one operation
// of their class.
var table map[string]func(s *selector, i int, in *trace.Instruction)

func init() {
	table = map[string]func(*selector, int, *trace.Instruction){
		"add": selectAdd, "sub": selectAdd, "mul": selectMultiply, "mad": selectMultiply, "fma": selectMultiply,
		"mul24": selectMultiply, "mad24": selectMultiply,
		"and": selectLogic, "or": selectLogic, "xor": selectLogic, "not": selectLogic, "lop3": selectLogic,
		"shl": selectShift, "shr": selectShift, "setp": selectCompare, "selp": selectSelect,
		"min": selectExtreme, "max": selectExtreme, "neg": selectNegate, "abs": selectNegate,
		"mov": selectMove, "cvta": selectMove, "cvt": selectConvert,
		"div": selectDivide, "rem": selectDivide, "rcp": selectDivide, "sqrt": selectDivide, "rsqrt": selectDivide,
		"sin": selectFunction, "cos": selectFunction, "ex2": selectFunction, "lg2": selectFunction, "tanh": selectFunction,
		"popc": selectCount, "clz": selectCount, "bfind": selectCount, "brev": selectCount, "bfe": selectField, "bfi": selectField,
	}
}

func selectAdd(s *selector, i int, in *trace.Instruction) {
	dst, src := s.dst(in), s.sources(i, in)
	if len(src) != 2 {
		s.other(i, in)
		return
	}
	switch {
	case kindOf(in, 0) == 'f' || kindOf(in, 0) == 'b' && strings.HasPrefix(in.Types[0], "bf"):
		s.emit(floatCode(in, ir.FADD, ir.DADD, "HADD2"), i, dst, src...)
	case s.f.Registers[dst[0]].Words == 2:
		if in.Opcode == "sub" {
			s.difference64(i, dst, src[0], src[1])
			return
		}
		s.add64(i, dst, src[0], src[1])
	case in.Opcode == "sub":
		s.emit(ir.IADD3, i, dst, src...)
	default:
		s.add32(i, dst, src[0], src[1])
	}
}

// half are the codes of two values of 16 bits in a register.
var half = map[string]*ir.Code{
	"HADD2": ir.MemoryCode("HADD2", trace.ClassF16), "HMUL2": ir.MemoryCode("HMUL2", trace.ClassF16), "HFMA2": ir.MemoryCode("HFMA2", trace.ClassF16),
	"HMNMX2": ir.MemoryCode("HMNMX2", trace.ClassF16), "HSETP2": ir.MemoryCode("HSETP2", trace.ClassF16),
}

// floatCode chooses by the width of floating-point numbers.
func floatCode(in *trace.Instruction, single, double *ir.Code, of16 string) *ir.Code {
	switch {
	case strings.Contains(in.Types[0], "16"):
		return half[of16]
	case wide(in):
		return double
	}
	return single
}

func selectMultiply(s *selector, i int, in *trace.Instruction) {
	dst, src := s.dst(in), s.sources(i, in)
	if kindOf(in, 0) == 'f' || strings.HasPrefix(in.Types[0], "bf") {
		if len(src) == 2 {
			s.emit(floatCode(in, ir.FMUL, ir.DMUL, "HMUL2"), i, dst, src...)
		} else {
			s.emit(floatCode(in, ir.FFMA, ir.DFMA, "HFMA2"), i, dst, src...)
		}
		return
	}
	words := s.f.Registers[dst[0]].Words
	switch {
	case has(in, "wide") && words == 2:
		if !s.target.WideMultiply {
			s.emit(ir.IMADPair, i, dst, src...)
			return
		}
		s.emit(ir.IMADWide, i, dst, src...)
	case wide(in) && words == 2 && s.target.WideMultiply:
		s.product64(i, in, dst, src)
	case wide(in) && words == 2 && has(in, "hi"):
		s.emit(ir.IMADHi64, i, dst, src...)
	case wide(in) && words == 2:
		s.emit(ir.IMAD64, i, dst, src...)
	case has(in, "hi"):
		s.emit(ir.IMADHi, i, dst, src...)
	default:
		s.emit(ir.IMAD, i, dst, src...)
	}
}

func selectLogic(s *selector, i int, in *trace.Instruction) {
	dst, src := s.dst(in), s.sources(i, in)
	switch {
	case kindOf(in, 0) == 'p' && in.Opcode == "not":
		src[0].Negated = !src[0].Negated
		s.emit(ir.PLOP3, i, dst, src...)
	case kindOf(in, 0) == 'p':
		s.predicates(i, dst, src...)
	case s.f.Registers[dst[0]].Words == 2:
		s.emit(ir.LOP64, i, dst, src...)
	case in.Opcode == "lop3":
		s.emit(ir.LOP3, i, dst, src[:min(3, len(src))]...)
	default:
		s.logic(i, dst, src...)
	}
}

func selectShift(s *selector, i int, in *trace.Instruction) {
	dst, src := s.dst(in), s.sources(i, in)
	if s.f.Registers[dst[0]].Words == 1 {
		s.emit(ir.SHF, i, dst, src...)
		return
	}
	if in.Opcode == "shl" && len(src) == 2 {
		s.shift64(i, dst, src[0], src[1])
		return
	}
	s.emit(ir.SHF64, i, dst, src...)
}

func selectCompare(s *selector, i int, in *trace.Instruction) {
	dst, src := s.dst(in), s.sources(i, in)
	code := ir.ISETP
	switch {
	case kindOf(in, 0) == 'f' || strings.HasPrefix(in.Types[0], "bf"):
		code = floatCode(in, ir.FSETP, ir.DSETP, "HSETP2")
	case wide(in):
		code = ir.ISETP64
	}
	s.emit(code, i, dst, src...)
}

func selectSelect(s *selector, i int, in *trace.Instruction) {
	dst, src := s.dst(in), s.sources(i, in)
	switch {
	case s.f.Registers[dst[0]].Words == 2:
		s.emit(ir.SEL64, i, dst, src...)
	case kindOf(in, 0) == 'f':
		s.emit(ir.FSEL, i, dst, src...)
	default:
		s.emit(ir.SEL, i, dst, src...)
	}
}

func selectExtreme(s *selector, i int, in *trace.Instruction) {
	dst, src := s.dst(in), s.sources(i, in)
	switch {
	case (kindOf(in, 0) == 'f' || strings.HasPrefix(in.Types[0], "bf")) && !wide(in):
		s.emit(floatCode(in, ir.FMNMX, nil, "HMNMX2"), i, dst, src...)
	case wide(in) && len(src) >= 2: // a comparison and a choice of both words
		code := ir.ISETP64
		if kindOf(in, 0) == 'f' {
			code = ir.DSETP
		}
		p := s.step(code, i, trace.FilePredicate, 1, src[0], src[1])
		s.emit(ir.SEL64, i, dst, append(src, p)...)
	default:
		s.emit(ir.IMNMX, i, dst, src...)
	}
}

func selectNegate(s *selector, i int, in *trace.Instruction) {
	dst, src := s.dst(in), s.sources(i, in)
	switch {
	case kindOf(in, 0) == 'f':
		s.emit(floatCode(in, ir.FADD, ir.DADD, "HADD2"), i, dst, src...)
	case s.f.Registers[dst[0]].Words == 2:
		s.emit(ir.IADD64, i, dst, src...)
	case in.Opcode == "abs":
		s.emit(ir.IABS, i, dst, src...)
	default:
		s.emit(ir.IADD3, i, dst, src...)
	}
}

func selectMove(s *selector, i int, in *trace.Instruction) {
	dst := s.dst(in)
	words := s.f.Registers[dst[0]].Words
	o := &in.Operands[1]
	if o.Kind == trace.OperandVector { // halves or bytes into one
		var src []ir.Operand
		for n := range o.Elements {
			src = append(src, s.source(&o.Elements[n], false))
		}
		if words == 2 && len(src) == 2 {
			s.emit(ir.MOV64, i, dst, src...)
		} else {
			s.emit(ir.PRMT, i, dst, src...)
		}
		return
	}
	src := s.source(o, words == 1)
	switch {
	case src.Kind == ir.Special:
		s.emit(ir.S2R, i, dst, src)
	case s.f.Registers[dst[0]].File == trace.FilePredicate:
		s.emit(ir.PLOP3, i, dst, src)
	case words >= 2:
		s.emit(ir.MOV64, i, dst, src)
	default:
		s.emit(ir.MOV, i, dst, src)
	}
}

func selectConvert(s *selector, i int, in *trace.Instruction) {
	dst, src := s.dst(in), s.sources(i, in)
	toFloat, fromFloat := kindOf(in, 0) == 'f' || strings.HasPrefix(in.Types[0], "bf"), kindOf(in, 1) == 'f' || len(in.Types) > 1 && strings.HasPrefix(in.Types[1], "bf")
	to, from := bitsOf(in, 0), bitsOf(in, 1)
	switch {
	case toFloat && fromFloat:
		s.emit(ir.F2F, i, dst, src...)
	case toFloat:
		s.emit(ir.I2F, i, dst, src...)
	case fromFloat:
		s.emit(ir.F2I, i, dst, src...)
	case has(in, "pack"):
		s.emit(ir.I2IP, i, dst, src...)
	case has(in, "sat"):
		s.emit(ir.I2I, i, dst, src...)
	case to == 64 && s.f.Registers[dst[0]].Words == 2 && from <= 32 && kindOf(in, 1) == 's':
		s.emit(ir.SignExtend, i, dst, src...)
	case s.f.Registers[dst[0]].Words == 2:
		s.emit(ir.MOV64, i, dst, src...)
	case to < from || to < 32 || from < 32 && !s.loadedNarrow(in):
		s.emit(ir.LOP3, i, dst, s.low(src[0]))
	default:
		s.emit(ir.MOV, i, dst, src...)
	}
}

// loadedNarrow reports whether an instruction converts what an unsigned load of its width
// has read: hardware extends it by zeros.
func (s *selector) loadedNarrow(in *trace.Instruction) bool {
	if in.Operands[1].Kind != trace.OperandRegister || kindOf(in, 1) == 's' {
		return false
	}
	r := s.vars.of(s.f, &in.Operands[1].Register)
	if !s.vars.once(r) {
		return false
	}
	d := &s.k.Instructions[s.vars.def[r]]
	return d.Opcode == "ld" && bitsOf(d, 0) == bitsOf(in, 1) && kindOf(d, 0) != 's'
}

func selectCount(s *selector, i int, in *trace.Instruction) {
	dst, src := s.dst(in), s.sources(i, in)
	code := map[string]*ir.Code{"popc": ir.POPC, "clz": ir.FLO, "bfind": ir.FLO, "brev": ir.BREV}[in.Opcode]
	switch {
	case wide(in): // each word, and what puts both together
		a := s.step(code, i, trace.FileGeneral, 1, half64(s, src[0], ir.Low))
		b := s.step(code, i, trace.FileGeneral, 1, half64(s, src[0], ir.High))
		if s.f.Registers[dst[0]].Words == 2 {
			s.emit(ir.MOV64, i, dst, a, b, src[0])
		} else {
			s.emit(ir.IADD3, i, dst, a, b, src[0])
		}
	case in.Opcode == "clz":
		a := s.step(code, i, trace.FileGeneral, 1, src[0])
		s.emit(ir.IADD3, i, dst, a, src[0])
	default:
		s.emit(code, i, dst, src...)
	}
}

// half64 is a word of an operand of two.
func half64(s *selector, o ir.Operand, part ir.Part) ir.Operand {
	if o.Kind == ir.Reg && o.Part == ir.Whole && s.f.Registers[o.Register].Words == 2 {
		o.Part = part
	}
	return o
}

// selectField selects bit fields: a shift and a mask, or for an insertion a mask, a shift
// and a choice of bits.
func selectField(s *selector, i int, in *trace.Instruction) {
	dst, src := s.dst(in), s.sources(i, in)
	if wide(in) || len(src) < 3 {
		s.other(i, in)
		return
	}
	first := s.step(ir.SHF, i, trace.FileGeneral, 1, src[0], src[1])
	s.emit(ir.LOP3, i, dst, append([]ir.Operand{first}, src...)...)
}

// other selects one operation of an instruction's class, or one a word of its result.
func (s *selector) other(i int, in *trace.Instruction) {
	writes := slices.Clone(s.writes(i))
	words := uint8(1)
	for _, r := range writes {
		words = max(words, s.f.Registers[r].Words)
	}
	var src []ir.Operand
	for n := int(in.Destinations); n < len(in.Operands); n++ {
		src = s.flatten(src, i, &in.Operands[n])
	}
	name := strings.ToUpper(in.Opcode)
	op := s.emitWide(&ir.Code{Name: name, Class: in.Class, Slots: max(words, 1)}, i, writes, src...)
	if in.Opcode == "mbarrier" || in.Opcode == "cp" || strings.HasPrefix(in.Opcode, "barrier") || in.Opcode == "elect" || in.Opcode == "setmaxnreg" || in.Opcode == "griddepcontrol" {
		op.Effect, op.Keep = ir.Ordered, in
	} else if len(writes) == 0 {
		op.Effect, op.Keep = ir.Ordered, in
	}
}

// emitWide is emit of an operation that may have any sources.
func (s *selector) emitWide(code *ir.Code, i int, dst []ir.Register, src ...ir.Operand) *ir.Op {
	op := s.add(ir.Op{Code: code, Dst: dst, Src: src, Origin: uint32(i)})
	s.covers(op, i)
	return s.define()
}

// flatten appends an operand, or the elements of a vector.
func (s *selector) flatten(list []ir.Operand, i int, o *trace.Operand) []ir.Operand {
	switch o.Kind {
	case trace.OperandVector:
		for n := range o.Elements {
			list = s.flatten(list, i, &o.Elements[n])
		}
	case trace.OperandAddress, trace.OperandBlock, trace.OperandSink, trace.OperandInvalid:
	case trace.OperandSpecial:
		v := s.source(o, false)
		if v.Kind == ir.Special {
			v = s.step(ir.S2R, i, trace.FileGeneral, 1, v)
		}
		list = append(list, v)
	default:
		if v := s.source(o, false); v.Kind != ir.None {
			list = append(list, v)
		}
	}
	return list
}

// control selects branches and exits.
func (s *selector) control(i int, in *trace.Instruction) {
	code := ir.BRA
	if in.Class == trace.ClassExit {
		code = ir.EXIT
	}
	if in.Opcode != "bra" && in.Class == trace.ClassBranch {
		code = &ir.Code{Name: strings.ToUpper(in.Opcode), Class: in.Class, Slots: 1}
	}
	op := s.add(ir.Op{Code: code, Origin: uint32(i), Effect: ir.Ends, Keep: in})
	if in.Guard.Present {
		op.Guard = s.value(s.vars.of(s.f, &in.Guard.Register))
		op.Guard.Negated = op.Guard.Negated != in.Guard.Negated
		if op.Guard.Kind != ir.Reg {
			op.Guard = ir.Operand{}
		}
	}
	for n := range in.Operands {
		if o := &in.Operands[n]; o.Kind == trace.OperandRegister {
			op.Src = append(op.Src, s.source(o, false))
		}
	}
	s.covers(op, i)
	s.define()
}
