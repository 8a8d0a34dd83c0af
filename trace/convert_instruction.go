package trace

import "github.com/warptape/warptape/proto/wtapepb"

func instructionToProto(in *Instruction) *wtapepb.Instruction {
	m := &wtapepb.Instruction{
		Opcode: in.Opcode, Modifiers: in.Modifiers, Types: in.Types,
		Class: wtapepb.OpClass(in.Class), Destinations: uint32(in.Destinations),
		Space: wtapepb.Space(in.Space), LaneBytes: uint32(in.LaneBytes),
		Line: in.Line, SourceFile: in.SourceFile, SourceLine: in.SourceLine,
	}
	if in.Guard.Present {
		m.Guard = &wtapepb.Guard{Negated: in.Guard.Negated, Register: registerToProto(in.Guard.Register)}
	}
	for i := range in.Operands {
		m.Operands = append(m.Operands, operandToProto(&in.Operands[i]))
	}
	return m
}

func instructionFromProto(m *wtapepb.Instruction) Instruction {
	in := Instruction{
		Opcode: m.Opcode, Modifiers: m.Modifiers, Types: m.Types,
		Class: OpClass(clampByte(uint32(m.Class))), Destinations: clampByte(m.Destinations),
		Space: Space(clampByte(uint32(m.Space))), LaneBytes: clampByte(m.LaneBytes),
		Line: m.Line, SourceFile: m.SourceFile, SourceLine: m.SourceLine,
	}
	if m.Guard != nil {
		in.Guard = Guard{Present: true, Negated: m.Guard.Negated, Register: registerFromProto(m.Guard.Register)}
	}
	for _, o := range m.Operands {
		in.Operands = append(in.Operands, operandFromProto(o, true))
	}
	return in
}

// clampByte keeps an out-of-range number out of range of every enum (255), so
// that validation sees it instead of a wrapped, valid value.
func clampByte(v uint32) uint8 { return uint8(min(v, 255)) }

// hasRegister reports whether the register field of an operand means something.
func hasRegister(o *Operand) bool {
	return o.Kind == OperandRegister || o.Kind == OperandAddress && o.HasBase
}

func operandToProto(o *Operand) *wtapepb.Operand {
	m := &wtapepb.Operand{Kind: wtapepb.OperandKind(o.Kind), Negated: o.Negated, Symbol: o.Symbol, Value: o.Value}
	if hasRegister(o) {
		m.Register = registerToProto(o.Register)
	}
	for i := range o.Elements {
		m.Elements = append(m.Elements, operandToProto(&o.Elements[i]))
	}
	return m
}

// operandFromProto converts one level of elements: vectors do not nest.
func operandFromProto(m *wtapepb.Operand, elements bool) Operand {
	o := Operand{Kind: OperandKind(clampByte(uint32(m.Kind))), Negated: m.Negated, Symbol: m.Symbol, Value: m.Value}
	if m.Register != nil {
		o.Register = registerFromProto(m.Register)
		o.HasBase = o.Kind == OperandAddress
	}
	if elements {
		for _, e := range m.Elements {
			o.Elements = append(o.Elements, operandFromProto(e, false))
		}
	}
	return o
}

func registerToProto(r Register) *wtapepb.Register {
	return &wtapepb.Register{File: wtapepb.RegisterFile(r.File), Number: uint32(r.Number), Words: uint32(r.Words), Virtual: r.Virtual}
}

func registerFromProto(m *wtapepb.Register) Register {
	return Register{
		File: RegisterFile(clampByte(uint32(m.GetFile()))), Number: uint16(min(m.GetNumber(), 0xffff)),
		Words: clampByte(m.GetWords()), Virtual: m.GetVirtual(),
	}
}
