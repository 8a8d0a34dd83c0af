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
		in.Operands = append(in.Operands, trace.Operand{Kind: trace.OperandRegister, Register: register(n)})
	}
	in.Destinations = uint8(len(e.writes))
	for i, n := range e.reads {
		o := trace.Operand{Kind: trace.OperandRegister, Register: register(n)}
		if i == 0 && in.Class.IsMemory() {
			o.Kind, o.HasBase = trace.OperandAddress, true
		}
		in.Operands = append(in.Operands, o)
	}
	return in, nil
}

func register(n uint16) trace.Register {
	return trace.Register{Number: n, Words: 1, Virtual: "R" + strconv.Itoa(int(n))}
}
