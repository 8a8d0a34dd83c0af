// SPDX-License-Identifier: Apache-2.0

package lowering_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/lowering/loweringtest"
	"github.com/warptape/warptape/trace"
)

// emitted lists the instructions of a lowered kernel. A register is named by the PTX register whose it is, with
// the word of it that is read or written, "*" for all of two.
func emitted(k *trace.Kernel, l *lowering.Lowered) string {
	base := map[string]uint16{} // the first place of each register
	for r := range l.Function.Registers {
		base[l.Function.Registers[r].Name] = uint16(max(l.Place[r], 0))
	}
	operand := func(o *trace.Operand) string {
		switch o.Kind {
		case trace.OperandRegister, trace.OperandAddress:
			text := strings.TrimPrefix(o.Register.Virtual, "%")
			switch {
			case o.Register.Words == 2:
				text += "*"
			case o.Register.File == trace.FileGeneral && text != "" && text[0] == 'd':
				text += fmt.Sprint(".", o.Register.Number-base["%"+text])
			}
			if o.Kind == trace.OperandAddress {
				text = fmt.Sprintf("[%s+%d]", text, o.Value)
			}
			return text
		case trace.OperandImmediate:
			return fmt.Sprint(o.Value)
		case trace.OperandParam:
			return fmt.Sprintf("c[%d]", o.Value)
		}
		return fmt.Sprint(o.Kind)
	}
	var list []string
	for i := range l.Kernel.Instructions {
		in := &l.Kernel.Instructions[i]
		words := []string{in.Opcode}
		if in.Guard.Present {
			words[0] = "@" + strings.TrimPrefix(in.Guard.Register.Virtual, "%") + " " + in.Opcode
		}
		for n := range in.Operands {
			words = append(words, operand(&in.Operands[n]))
		}
		list = append(list, strings.Join(words, " "))
	}
	return strings.Join(list, "; ")
}

// Operations on pairs of registers issue an instruction for each word, which reads the words that it needs: zeros
// for the upper one of a word that zeros extend. Others read and write whole registers.
func TestInstructionsReadTheWordsThatTheyNeed(t *testing.T) {
	const begin = "ld.global.u64 d9, [d8]\nld.global.u64 d1, [d9]\nld.global.u64 d2, [d9+8]\nld.global.u32 r1, [d9+16]\n"
	for _, c := range []struct{ lines, want string }{
		{"add.s64 d3, d1, d2\nst.global.u64 [d9], d3", "IADD3.X d3.0 d1.0 d2.0; IADD3.X d3.1 d1.1 d2.1; st [d9*+0] d3*"},
		{"cvt.u64.u32 d4, r1\nadd.s64 d3, d1, d4\nst.global.u64 [d9], d3", "IADD3.X d3.0 d1.0 r1; IADD3.X d3.1 d1.1 0; st [d9*+0] d3*"},
		{"setp.lt.s64 p1, d1, d2\n@p1 st.global.u64 [d9], d1", "ISETP.EX d1.0 d2.0; ISETP.EX p1 d1.1 d2.1; @p1 st [d9*+0] d1*"},
		{"setp.lt.s32 p1, r1, 5\n@p1 add.s64 d1, d1, d2\nst.global.u64 [d9], d1", "ISETP p1 r1 5; @p1 IADD3.X d1.0 d1.0 d2.0; @p1 IADD3.X d1.1 d1.1 d2.1; st [d9*+0] d1*"},
		{"add.f64 d3, d1, d2\nst.global.u64 [d9], d3", "DADD d3* d1* d2*; st [d9*+0] d3*"},
		{"cvt.u32.u64 r2, d1\nadd.s32 r3, r2, r1\nst.global.u32 [d9], r3", "IADD3 r3 d1.0 r1; st [d9*+0] r3"},
		{"mov.b64 {r2,r3}, d1\nadd.s32 r4, r2, r3\nst.global.u32 [d9], r4", "IADD3 r4 d1.0 d1.1; st [d9*+0] r4"},
		{"ld.param.u64 d4, [second]\nadd.s64 d3, d1, d4\nst.global.u64 [d9], d3", "IADD3.X d3.0 d1.0 c[8]; IADD3.X d3.1 d1.1 c[12]; st [d9*+0] d3*"},
		{"bar.sync 3, r1\nst.global.u64 [d9], d1", "bar 3 r1; st [d9*+0] d1*"},
		{"bar.sync 0\nst.global.u64 [d9], d1", "bar 0; st [d9*+0] d1*"},
		{"mul.wide.u32 d3, r1, r1\nst.global.u64 [d9], d3", "IMAD d3.0 r1 r1; IMAD d3.1 r1 r1; st [d9*+0] d3*"},
	} {
		k := loweringtest.Assemble(t, begin+c.lines+"\nexit")
		l, err := lowering.Lower(k, lowering.Target{Generation: lowering.Generations["fermi"], File: 65536, Threads: 1024, Unit: 64, Until: lowering.Selection}, lowering.Budget{})
		if err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut(emitted(k, l), "ld r1 [d9*+16]; ")
		if got = strings.TrimSuffix(got, "; exit"); got != c.want {
			t.Errorf("%s:\n\t%s, want\n\t%s", strings.ReplaceAll(c.lines, "\n", "; "), got, c.want)
		}
	}
}

// A visit has the masks of its parts in a row, each followed by those of the part's guards. Guarded operations and
// those of optional parts name theirs: here the guard of the first part, the optional part, and the guard of the last.
func TestGuardedOperationsNameTheirMasks(t *testing.T) {
	k := loweringtest.Blocks(t, "1 2/2: ld.global.u64 d1, [d8]; ld.global.u32 r1, [d1]; mov.u32 r9, 0; setp.lt.s32 p2, r1, 3; @p2 add.s32 r9, r9, 1; setp.lt.s32 p1, r1, 5; bra 2\n"+
		"2: add.s32 r9, r9, 2\n: setp.lt.s32 p3, r9, 7; @p3 add.s32 r9, r9, 4; st.global.u32 [d1], r9; exit")
	l, err := lowering.Lower(k, lowering.Target{Generation: lowering.Generations["turing"], File: 65536, Threads: 1024, Unit: 64, Until: lowering.Selection, Predicate: true}, lowering.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	var guarded []string
	for i, is := range l.Guarded {
		if is {
			guarded = append(guarded, fmt.Sprint(l.Kernel.Instructions[i].Opcode, " of ", l.Origin[i]))
		}
	}
	if got, want := fmt.Sprint(l.Visits[0].Guards, guarded), "[1 2 4] [IADD3 of 4 IADD3 of 7 IADD3 of 9]"; got != want {
		t.Errorf("%s, want %s:\n%s", got, want, emitted(k, l))
	}
}
