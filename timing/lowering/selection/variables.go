// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// variables are the PTX registers of a kernel, each a virtual register: the recording has
// numbered them after an allocation, and keeps their names.
type variables struct {
	number *ir.Variables
	defs   []int32 // definitions of each
	def    []int32 // the last of them: an instruction
	// narrow are those of 64 bits that are used for their low word alone.
	narrow []bool
	alias  []ir.Operand // what a variable always equals; None: itself
	uses   []int32      // by operations, through aliases
	// made and last are the places of operations of the block at hand: of the one that makes a
	// variable, and of the last definition. They count from base, and up to it there is none.
	made, last []int32
	base       int32
	// written and read are the variables of each instruction.
	written, read [][]ir.Register
}

// newVariables finds the variables of a kernel.
func newVariables(k *trace.Kernel, f *ir.Function) *variables {
	n := len(k.Instructions)
	v := &variables{number: new(ir.Variables), written: make([][]ir.Register, n), read: make([][]ir.Register, n)}
	v.reserve(n + n/4)
	var list []trace.Register
	var all ir.Lists[ir.Register]
	numbers := func() []ir.Register {
		out := all.Make(len(list))
		for i := range list {
			out = append(out, v.of(f, &list[i]))
		}
		return out
	}
	for i := range k.Instructions {
		list = k.Instructions[i].Writes(list[:0])
		v.written[i] = numbers()
		for _, r := range v.written[i] {
			v.defs[r]++
			v.def[r] = int32(i)
			if k.Instructions[i].Guard.Present {
				v.defs[r] += 2 // lanes keep an old value
			}
		}
		list = k.Instructions[i].Reads(list[:0])
		v.read[i] = numbers()
	}
	return v
}

// of gives the number of a variable.
func (v *variables) of(f *ir.Function, r *trace.Register) ir.Register {
	next := ir.Register(len(f.Registers))
	n := v.number.Register(r, next)
	if n == next {
		f.Registers = append(f.Registers, ir.RegisterInfo{File: r.File, Words: max(r.Words, 1), Name: r.Virtual})
		v.grow(len(f.Registers))
	}
	return n
}

// reserve makes room for as many variables.
func (v *variables) reserve(n int) {
	v.defs, v.def, v.uses = make([]int32, 0, n), make([]int32, 0, n), make([]int32, 0, n)
	v.made, v.last = make([]int32, 0, n), make([]int32, 0, n)
	v.narrow, v.alias = make([]bool, 0, n), make([]ir.Operand, 0, n)
}

// maker is the place in the block at hand of the operation that makes a variable; -1: none
// does.
func (v *variables) maker(r ir.Register) int { return int(max(v.made[r]-v.base, 0)) - 1 }

// lastOf is the place of the last definition.
func (v *variables) lastOf(r ir.Register) int { return int(max(v.last[r]-v.base, 0)) - 1 }

// place notes the place of the operation that makes a variable.
func (v *variables) place(r ir.Register, at int) {
	v.made[r] = v.base + int32(at) + 1
	v.last[r] = v.made[r]
}

// leave ends a block of that many operations, so that its places are apart from the next block's.
func (v *variables) leave(operations int) { v.base += int32(operations) + 1 }

// grow makes room for n variables.
func (v *variables) grow(n int) {
	for len(v.defs) < n {
		v.defs, v.def = append(v.defs, 0), append(v.def, -1)
		v.narrow, v.alias, v.uses = append(v.narrow, false), append(v.alias, ir.Operand{}), append(v.uses, 0)
		v.made, v.last = append(v.made, 0), append(v.last, 0)
	}
}

// once reports whether a variable has one definition, which all lanes execute: it never
// changes.
func (v *variables) once(r ir.Register) bool { return v.defs[r] == 1 }

// wide reports whether the first type of an instruction has 64 bits.
func wide(in *trace.Instruction) bool { return bitsOf(in, 0) == 64 }

// bitsOf gives the width of a type of an instruction; 32 when it has none.
func bitsOf(in *trace.Instruction, n int) int {
	if n >= len(in.Types) {
		return 32
	}
	t := in.Types[n]
	switch t {
	case "pred":
		return 1
	case "f16x2", "bf16x2", "u16x2", "s16x2":
		return 32
	}
	bits := 0
	for i := range len(t) {
		if c := t[i]; c >= '0' && c <= '9' {
			bits = 10*bits + int(c-'0')
		} else if bits > 0 {
			break
		}
	}
	if bits == 0 {
		return 32
	}
	return bits
}

// kindOf gives the letter of a type: 'f', 'u', 's', 'b' or 'p'.
func kindOf(in *trace.Instruction, n int) byte {
	if n >= len(in.Types) || in.Types[n] == "" {
		return 'b'
	}
	return in.Types[n][0]
}

// findNarrow finds the variables of 64 bits that are used for their low word alone, such
// as addresses in shared memory, which hardware takes in 32 bits.
func (s *selector) findNarrow() {
	v := s.vars
	full := make([]bool, len(v.defs))
	var work []ir.Register
	ask := func(r ir.Register) {
		if !full[r] {
			full[r] = true
			work = append(work, r)
		}
	}
	// through lists, by variable, those whose low word is all that a low result needs.
	through := make([][]ir.Register, len(v.defs))
	for i := range s.k.Instructions {
		in := &s.k.Instructions[i]
		writes, reads := s.writes(i), s.readsOf(i)
		for _, r := range writes {
			if s.f.Registers[r].Words > 1 && !narrowable(in) {
				ask(r)
			}
		}
		for _, r := range reads {
			if s.f.Registers[r].Words < 2 {
				continue
			}
			switch {
			case s.lowAddress(in, r):
			case truncates(in):
			case len(writes) == 1 && narrowable(in) && passesLow(in):
				through[writes[0]] = append(through[writes[0]], r)
			default:
				ask(r)
			}
		}
	}
	for len(work) > 0 {
		r := work[len(work)-1]
		work = work[:len(work)-1]
		for _, from := range through[r] {
			ask(from)
		}
	}
	for r := range full {
		v.narrow[r] = !full[r] && s.f.Registers[r].Words == 2 && v.defs[r] > 0
		if v.narrow[r] {
			s.f.Registers[r].Words = 1
		}
	}
}

// shortAddresses reports whether the addresses of a space have 32 bits.
func shortAddresses(space trace.Space) bool {
	return space == trace.SpaceShared || space == trace.SpaceLocal || space == trace.SpaceConst
}

// lowAddress reports whether an instruction takes a register as an address of a space
// whose addresses have 32 bits, and for nothing else.
func (s *selector) lowAddress(in *trace.Instruction, r ir.Register) bool {
	if !shortAddresses(in.Space) || in.Class == trace.ClassBulk || in.Opcode == "cp" {
		return false
	}
	n := 0
	for i := range in.Operands {
		o := &in.Operands[i]
		if o.Kind == trace.OperandRegister && s.vars.of(s.f, &o.Register) == r || o.Kind == trace.OperandVector {
			for j := range o.Elements {
				if o.Elements[j].Kind == trace.OperandRegister && s.vars.of(s.f, &o.Elements[j].Register) == r {
					return false
				}
			}
			if o.Kind == trace.OperandRegister {
				return false
			}
		}
		if o.Kind == trace.OperandAddress && o.HasBase {
			n++
		}
	}
	return n == 1
}

// narrowable reports whether the low word of an instruction's result depends on low words
// only, or is made of 32 bits.
func narrowable(in *trace.Instruction) bool {
	if in.Guard.Present {
		return false
	}
	switch in.Opcode {
	case "add", "sub", "and", "or", "xor", "not", "neg", "mov", "cvta":
		return kindOf(in, 0) != 'f' && !has(in, "cc")
	case "mul", "mad":
		return (has(in, "lo") || has(in, "wide")) && kindOf(in, 0) != 'f'
	case "shl":
		return true
	case "cvt":
		return kindOf(in, 0) != 'f' && kindOf(in, 1) != 'f' && bitsOf(in, 1) == 32 && bitsOf(in, 0) == 64
	case "ld":
		return in.Space == trace.SpaceParam && in.LaneBytes == 8
	}
	return false
}

// passesLow reports whether the low words of sources of 64 bits are enough for that of the
// result; a mov of two halves into one is none.
func passesLow(in *trace.Instruction) bool {
	return in.Opcode != "ld" && !(in.Opcode == "mov" && len(in.Operands) > 1 && in.Operands[1].Kind == trace.OperandVector)
}

// truncates reports whether an instruction reads the low word of 64 bits.
func truncates(in *trace.Instruction) bool {
	return in.Opcode == "cvt" && kindOf(in, 0) != 'f' && kindOf(in, 1) != 'f' && bitsOf(in, 1) == 64 && bitsOf(in, 0) <= 32 && !has(in, "sat")
}

// has reports whether an instruction has a modifier.
func has(in *trace.Instruction, modifier string) bool {
	for _, m := range in.Modifiers {
		if m == modifier {
			return true
		}
	}
	return false
}
