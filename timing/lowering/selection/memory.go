// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"slices"
	"strings"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// memoryNames are the opcodes of loads and stores by space.
var memoryNames = map[trace.Space][2]string{
	trace.SpaceGlobal: {"LDG", "STG"}, trace.SpaceShared: {"LDS", "STS"}, trace.SpaceLocal: {"LDL", "STL"}, trace.SpaceGeneric: {"LD", "ST"},
	trace.SpaceConst: {"LDC", "STC"}, trace.SpaceParam: {"LDC", "ST"}, trace.SpaceNone: {"LD", "ST"}, trace.SpaceTexture: {"TEX", "SUST"},
}

// kept selects for an instruction that the machine has to recognise: one operation,
// with a register and an offset as its address.
func (s *selector) kept(i int, in *trace.Instruction) {
	writes := slices.Clone(s.writes(i))
	op := ir.Op{Code: s.keptCode(in), Dst: writes, Origin: uint32(i), Keep: in, Space: in.Space, Bytes: in.LaneBytes}
	var values, others []ir.Operand
	addressed := false
	for n := range in.Operands {
		o := &in.Operands[n]
		switch {
		case o.Kind == trace.OperandAddress:
			if addressed { // of a copy: the recorded address is the last one
				others = append(others, besides(op.Base, op.Offset))
			}
			addressed = true
			op.Base, op.Offset = s.address(in, o)
			if op.Base.Kind != ir.Reg && op.Base.Kind != ir.None {
				op.Base = ir.RegOperand(s.hold(op.Base, max(op.Base.Words, 1)))
			}
		case n >= int(in.Destinations):
			values = s.flatten(values, i, o)
		}
	}
	for n := range values {
		if values[n].Kind == ir.Constant || values[n].Kind == ir.Immediate && (values[n].Value != 0 || values[n].Symbol != "") && in.Class.IsMemory() {
			words := uint8(1)
			if in.LaneBytes == 8 && len(values) == 1 || values[n].Words == 2 {
				words = 2
			}
			values[n] = ir.RegOperand(s.hold(values[n], words))
		}
	}
	op.Src = append(others, values...)
	op.Memory = in.Class.IsMemory()
	if in.HasAccess() {
		op.Accesses = append(s.accessed.Make(1), ir.Access{Part: s.part, Ordinal: s.accesses})
	}
	op.Effect, op.Aligned = effectOf(in), s.aligned(i, in)
	p := s.add(op)
	s.covers(p, i)
	s.define()
}

// besides is an address that an operation has besides that of its access.
func besides(base ir.Operand, offset int64) ir.Operand {
	if base.Kind != ir.Reg {
		base = ir.Operand{Kind: ir.Immediate}
	}
	base.Address, base.Value = true, offset
	return base
}

// keptCode is the code of such an instruction.
func (s *selector) keptCode(in *trace.Instruction) *ir.Code {
	name := strings.ToUpper(in.Opcode)
	switch {
	case in.Opcode == "ld":
		name = memoryNames[in.Space][0]
	case in.Opcode == "st":
		name = memoryNames[in.Space][1]
	case in.Class == trace.ClassBarrier:
		name = "BAR"
	}
	return &ir.Code{Name: name, Class: in.Class, Slots: 1}
}

// effectOf says what orders an instruction.
func effectOf(in *trace.Instruction) ir.Effect {
	switch in.Class {
	case trace.ClassBarrier, trace.ClassCall:
		return ir.Ends
	case trace.ClassShuffle, trace.ClassTensor, trace.ClassTexture:
		if in.Destinations == 0 || in.Opcode == "wgmma" { // it is of a group, and reads shared memory
			return ir.Ordered
		}
		return ir.Pure
	case trace.ClassLoad:
		switch {
		case in.Opcode != "ld" && in.Opcode != "ldu" || has(in, "volatile") || has(in, "acquire") || has(in, "relaxed") || has(in, "mmio"):
			return ir.Ordered
		case has(in, "nc") || in.Space == trace.SpaceConst || in.Space == trace.SpaceParam:
			return ir.Pure
		}
		return ir.Loads
	case trace.ClassStore:
		if in.Opcode != "st" || has(in, "volatile") || has(in, "release") || has(in, "relaxed") || has(in, "mmio") {
			return ir.Ordered
		}
		return ir.Stores
	}
	return ir.Ordered
}

// address folds sums of a register and what is known into the offset of an address.
func (s *selector) address(in *trace.Instruction, o *trace.Operand) (ir.Operand, int64) {
	offset := o.Value
	if !o.HasBase {
		return ir.Operand{}, offset
	}
	r := s.vars.of(s.f, &o.Register)
	for range maxChain {
		v := s.value(r)
		if v.Kind == ir.Immediate {
			return ir.Operand{}, offset + v.Value
		}
		if v.Kind != ir.Reg || v.Part != ir.Whole || !s.vars.once(v.Register) {
			return s.based(in, v), offset
		}
		base, add, ok := s.sum(v.Register)
		if !ok || int64(int32(offset+add)) != offset+add {
			return s.based(in, v), offset
		}
		r, offset = base, offset+add
	}
	return s.based(in, s.value(r)), offset
}

// based is a base in the words that the space's addresses have.
func (s *selector) based(in *trace.Instruction, v ir.Operand) ir.Operand {
	if shortAddresses(in.Space) {
		return s.low(v)
	}
	return v
}

// sum finds that a variable is a steady one and a known offset.
func (s *selector) sum(r ir.Register) (base ir.Register, offset int64, ok bool) {
	d := s.vars.def[r]
	if d < 0 {
		return 0, 0, false
	}
	in := &s.k.Instructions[d]
	if in.Opcode != "add" || in.Guard.Present || kindOf(in, 0) == 'f' || len(in.Operands) != 3 || in.Operands[0].Kind != trace.OperandRegister || has(in, "sat") || has(in, "cc") {
		return 0, 0, false
	}
	for n := 1; n <= 2; n++ {
		x, y := &in.Operands[n], &in.Operands[3-n]
		if x.Kind != trace.OperandRegister {
			continue
		}
		known := s.source(y, false)
		if known.Kind != ir.Immediate {
			continue
		}
		from := s.vars.of(s.f, &x.Register)
		if s.vars.once(from) && s.f.Registers[from].Words == s.f.Registers[r].Words {
			return from, known.Value, true
		}
	}
	return 0, 0, false
}
