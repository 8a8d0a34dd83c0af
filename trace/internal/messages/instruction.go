// SPDX-License-Identifier: Apache-2.0

package messages

import (
	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
)

func fromInstruction(in *trace.Instruction) *wtapepb.Instruction {
	m := &wtapepb.Instruction{
		Opcode: in.Opcode, Modifiers: in.Modifiers, Types: in.Types,
		Class: wtapepb.OpClass(in.Class), Destinations: uint32(in.Destinations),
		Space: wtapepb.Space(in.Space), LaneBytes: uint32(in.LaneBytes),
		Line: in.Line, SourceFile: in.SourceFile, SourceLine: in.SourceLine,
	}
	if in.Values {
		m.Class = wtapepb.OpClass_OP_CLASS_BARRIER_VALUES
	}
	if in.Guard.Present {
		m.Guard = &wtapepb.Guard{Negated: in.Guard.Negated, Register: fromRegister(in.Guard.Register)}
	}
	for i := range in.Operands {
		m.Operands = append(m.Operands, fromOperand(&in.Operands[i]))
	}
	return m
}

func toInstruction(m *wtapepb.Instruction) trace.Instruction {
	in := trace.Instruction{
		Opcode: m.Opcode, Modifiers: m.Modifiers, Types: m.Types,
		Class: trace.OpClass(clampByte(uint32(m.Class))), Destinations: clampByte(m.Destinations),
		Space: trace.Space(clampByte(uint32(m.Space))), LaneBytes: clampByte(m.LaneBytes),
		Line: m.Line, SourceFile: m.SourceFile, SourceLine: m.SourceLine,
	}
	if m.Class == wtapepb.OpClass_OP_CLASS_BARRIER_VALUES {
		in.Class, in.Values = trace.ClassBarrier, true
	}
	if m.Guard != nil {
		in.Guard = trace.Guard{Present: true, Negated: m.Guard.Negated, Register: toRegister(m.Guard.Register)}
	}
	for _, o := range m.Operands {
		in.Operands = append(in.Operands, toOperand(o, true))
	}
	return in
}

// clampByte keeps an out-of-range number out of range of every enum (255), so
// that validation sees it instead of a wrapped, valid value.
func clampByte(v uint32) uint8 { return uint8(min(v, 255)) }

func fromOperand(o *trace.Operand) *wtapepb.Operand {
	m := &wtapepb.Operand{Kind: wtapepb.OperandKind(o.Kind), Negated: o.Negated, Symbol: o.Symbol, Value: o.Value}
	if o.HasRegister() {
		m.Register = fromRegister(o.Register)
	}
	for i := range o.Elements {
		m.Elements = append(m.Elements, fromOperand(&o.Elements[i]))
	}
	return m
}

// toOperand converts one level of elements: vectors do not nest.
func toOperand(m *wtapepb.Operand, elements bool) trace.Operand {
	o := trace.Operand{Kind: trace.OperandKind(clampByte(uint32(m.Kind))), Negated: m.Negated, Symbol: m.Symbol, Value: m.Value}
	if m.Register != nil {
		o.Register = toRegister(m.Register)
		o.HasBase = o.Kind == trace.OperandAddress
	}
	if elements {
		for _, e := range m.Elements {
			o.Elements = append(o.Elements, toOperand(e, false))
		}
	}
	return o
}

func fromRegister(r trace.Register) *wtapepb.Register {
	return &wtapepb.Register{File: wtapepb.RegisterFile(r.File), Number: uint32(r.Number), Words: uint32(r.Words), Virtual: r.Virtual}
}

func toRegister(m *wtapepb.Register) trace.Register {
	return trace.Register{
		File: trace.RegisterFile(clampByte(uint32(m.GetFile()))), Number: uint16(min(m.GetNumber(), 0xffff)),
		Words: clampByte(m.GetWords()), Virtual: m.GetVirtual(),
	}
}
