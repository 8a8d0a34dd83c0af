// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
)

// A replay names the barriers with an unknown number or count: those that PTX ISA 9.7.13.1
// lets be registers.
func TestBarriersInRegistersAreWarnedOf(t *testing.T) {
	register := trace.Operand{Kind: trace.OperandRegister, Value: 7}
	constant := func(n int64) trace.Operand { return trace.Operand{Kind: trace.OperandImmediate, Value: n} }
	predicate := trace.Operand{Kind: trace.OperandRegister, Value: 1}
	for _, c := range []struct {
		what string
		in   trace.Instruction
		want string
	}{
		{"bar.sync 0", trace.Instruction{Opcode: "bar", Modifiers: []string{"sync"}, Operands: []trace.Operand{constant(0)}}, ""},
		{"bar.sync 1, 64", trace.Instruction{Opcode: "bar", Modifiers: []string{"sync"}, Operands: []trace.Operand{constant(1), constant(64)}}, ""},
		{"bar.sync %r", trace.Instruction{Opcode: "bar", Modifiers: []string{"sync"}, Operands: []trace.Operand{register}}, "the number of a barrier is in a register at a.ptx:12"},
		{"barrier.arrive %r, 64", trace.Instruction{Opcode: "barrier", Modifiers: []string{"arrive"}, Operands: []trace.Operand{register, constant(64)}}, "the number of a barrier is"},
		{"bar.arrive 1, %r", trace.Instruction{Opcode: "bar", Modifiers: []string{"arrive"}, Operands: []trace.Operand{constant(1), register}}, "the number of threads of a barrier is in a register at a.ptx:12"},
		{"bar.red.popc %r, 1, %p", trace.Instruction{Opcode: "bar", Modifiers: []string{"red", "popc"}, Destinations: 1, Operands: []trace.Operand{register, constant(1), predicate}}, ""},
		{"bar.red.popc %r, 1, %r, %p", trace.Instruction{Opcode: "bar", Modifiers: []string{"red", "popc"}, Destinations: 1, Operands: []trace.Operand{register, constant(1), register, predicate}}, "the number of threads"},
		{"bar.sync %r, with values", trace.Instruction{Opcode: "bar", Modifiers: []string{"sync"}, Operands: []trace.Operand{register}, Values: true}, ""},
		{"bar.warp.sync %r", trace.Instruction{Opcode: "bar", Modifiers: []string{"warp", "sync"}, Operands: []trace.Operand{register}}, ""},
		{"mov", trace.Instruction{Opcode: "mov", Operands: []trace.Operand{register, register}}, ""},
	} {
		c.in.Line = 12
		got := unnamedBarriers(&trace.Kernel{Name: "k", File: "a.ptx", Instructions: []trace.Instruction{c.in}})
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}
