// SPDX-License-Identifier: Apache-2.0

package accelsim

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/warptape/warptape/trace"
)

// key tells instructions apart. The PC alone does not: those of called functions
// collide.
func (e *execution) key(dst []byte) []byte {
	dst = strconv.AppendUint(dst, uint64(e.line), 10)
	dst = strconv.AppendUint(append(dst, ' '), e.pc, 16)
	return append(append(dst, ' '), e.static...)
}

// instruction is the row of the instruction table for an execution. Its line is
// the source line, or the number of the instruction from 1 without line info.
func (e *execution) instruction() (trace.Instruction, error) {
	m, ok := meaningOf(e.opcode)
	if !ok {
		return trace.Instruction{}, fmt.Errorf("unknown opcode %.40q: it is in none of the opcode maps of Volta, Turing and Ampere", e.opcode)
	}
	parts := strings.Split(e.opcode, ".")
	in := trace.Instruction{Opcode: parts[0], Modifiers: parts[1:], Class: m.class, Line: e.line}
	if e.line == 0 {
		in.Line = uint32(min(e.pc/instructionBytes+1, 1<<31))
	}
	if in.Class.IsMemory() && e.bytes == 0 {
		in.Class = trace.ClassMove // no address: nothing goes to memory
	}
	if in.Class.IsMemory() {
		in.Space, in.LaneBytes = m.space, e.bytes
	}
	for _, n := range e.writes {
		in.Operands = append(in.Operands, trace.Operand{Kind: trace.OperandRegister, Register: n.allocated()})
	}
	in.Destinations = uint8(len(e.writes))
	for i, n := range e.reads {
		o := trace.Operand{Kind: trace.OperandRegister, Register: n.allocated()}
		if i == 0 && in.Class.IsMemory() && o.Register.File == trace.FileGeneral {
			o.Kind, o.HasBase = trace.OperandAddress, true
		}
		in.Operands = append(in.Operands, o)
	}
	return in, nil
}

// allocated is the register in the numbering of a trace, where the uniform registers
// follow the 256 vector registers, and the uniform predicates 8 predicates.
func (r register) allocated() trace.Register {
	a := trace.Register{Number: r.number, Words: 1, Virtual: string(r.file) + strconv.Itoa(int(r.number))}
	switch r.file {
	case uniform:
		a.Number += 256
	case predicate:
		a.File = trace.FilePredicate
	case uniformPredicate:
		a.File, a.Number = trace.FilePredicate, a.Number+8
	}
	return a
}
