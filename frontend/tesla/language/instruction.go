// SPDX-License-Identifier: Apache-2.0

package language

import "fmt"

// Instruction is one instruction with its fields. Fields that its opcode does not use
// are zero.
type Instruction struct {
	Opcode     Opcode
	D, A, B, C uint8 // registers, or of LDS in A the selector
	// Immediate is that of MVI, and the label of BEQ, BNE and SSY.
	Immediate uint16
	// Unused holds the bits of the word that the opcode does not use. They have no
	// meaning, and are zero in programs that are not written word by word.
	Unused uint32
}

// Registers of a thread at most, by the width of the fields.
const maxRegisters = 32

// uses are the bits of a word that a form uses in addition to op6, and to func of op 0.
var uses = [...]uint32{
	formNone:       0,
	formDABC:       31<<21 | 31<<16 | 31<<11 | 31<<6,
	formDBC:        31<<21 | 31<<11 | 31<<6,
	formDAB:        31<<21 | 31<<16 | 31<<11,
	formDB:         31<<21 | 31<<11,
	formDA:         31<<21 | 31<<16,
	formDImmediate: 31<<21 | 0xffff,
	formDSelector:  31<<21 | 31<<16,
	formALabel:     31<<16 | 0xffff,
	formAB:         31<<16 | 31<<11,
	formLabel:      0xffff,
}

// used are the bits of a word of the opcode that have a meaning.
func (o Opcode) used() uint32 {
	bits := uint32(63)<<26 | uses[operations[o].form]
	if operations[o].op == 0 {
		bits |= 63
	}
	return bits
}

// Encode gives the word of an instruction: op6 d5 a5 b5 c5 func6, or op6 d5 a5 imm16.
func (in Instruction) Encode() uint32 {
	o := &operations[in.Opcode]
	word := o.op<<26 | uint32(in.D)<<21 | uint32(in.A)<<16 | uint32(in.B)<<11 | uint32(in.C)<<6 | o.code | uint32(in.Immediate)
	return word | in.Unused
}

// Decode gives the instruction of a word; the error says what is unknown.
func Decode(word uint32) (Instruction, error) {
	o, ok := byWord(word)
	if !ok {
		if word>>26 == 0 {
			return Instruction{}, fmt.Errorf("word %08x: no instruction has the function code %d (known: 0 to 12)", word, word&63)
		}
		return Instruction{}, fmt.Errorf("word %08x: no instruction has the opcode %d (known: 0 to 8, 61 to 63)", word, word>>26)
	}
	in := Instruction{Opcode: o, Unused: word &^ o.used()}
	bits := word & o.used()
	in.D = uint8(bits >> 21 & 31)
	in.A = uint8(bits >> 16 & 31)
	if uses[operations[o].form]&0xffff == 0xffff {
		in.Immediate = uint16(bits)
		return in, nil
	}
	in.B = uint8(bits >> 11 & 31)
	in.C = uint8(bits >> 6 & 31)
	return in, nil
}

// String is the instruction as the assembler reads it. A word with unused bits that are
// not zero is written as such.
func (in Instruction) String() string {
	if in.Unused != 0 {
		return fmt.Sprintf(".word 0x%08x", in.Encode())
	}
	name := operations[in.Opcode].name
	switch operations[in.Opcode].form {
	case formDABC:
		return fmt.Sprintf("%s r%d, r%d, r%d, r%d", name, in.D, in.A, in.B, in.C)
	case formDBC:
		return fmt.Sprintf("%s r%d, r%d, r%d", name, in.D, in.B, in.C)
	case formDAB:
		return fmt.Sprintf("%s r%d, r%d, r%d", name, in.D, in.A, in.B)
	case formDB:
		return fmt.Sprintf("%s r%d, r%d", name, in.D, in.B)
	case formDA:
		return fmt.Sprintf("%s r%d, r%d", name, in.D, in.A)
	case formDImmediate:
		return fmt.Sprintf("%s r%d, %d", name, in.D, in.Immediate)
	case formDSelector:
		if special, ok := selectorNames[in.A]; ok {
			return fmt.Sprintf("%s r%d, %s", name, in.D, special)
		}
		return fmt.Sprintf("%s r%d, %d", name, in.D, in.A)
	case formALabel:
		return fmt.Sprintf("%s r%d, %d", name, in.A, in.Immediate)
	case formAB:
		return fmt.Sprintf("%s r%d, r%d", name, in.A, in.B)
	case formLabel:
		return fmt.Sprintf("%s %d", name, in.Immediate)
	}
	return name
}

// Branches reports whether the instruction is BEQ or BNE.
func (in Instruction) Branches() bool { return in.Opcode == BEQ || in.Opcode == BNE }

// Reads appends the registers that the instruction reads to dst.
func (in Instruction) Reads(dst []uint8) []uint8 {
	switch operations[in.Opcode].form {
	case formDABC:
		return append(dst, in.A, in.B, in.C)
	case formDBC:
		return append(dst, in.B, in.C)
	case formDAB, formAB:
		return append(dst, in.A, in.B)
	case formDB:
		return append(dst, in.B)
	case formDA, formALabel:
		return append(dst, in.A)
	}
	return dst
}

// Writes gives the register that the instruction writes.
func (in Instruction) Writes() (register uint8, ok bool) {
	switch operations[in.Opcode].form {
	case formDABC, formDBC, formDAB, formDB, formDA, formDImmediate, formDSelector:
		return in.D, true
	}
	return 0, false
}
