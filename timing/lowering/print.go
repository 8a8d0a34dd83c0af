// SPDX-License-Identifier: Apache-2.0

package lowering

import (
	"fmt"
	"io"
	"strings"

	"github.com/warptape/warptape/trace"
)

// Print writes a lowered kernel. Each operation has its registers, how many of them are
// live there, and its stall count and barriers where hardware has them. The recorded
// instruction that pays stands in front of the first of its operations.
func (l *Lowered) Print(w io.Writer, recorded *trace.Kernel) error {
	live, controls := l.liveRegisters(), l.Controls()
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s: %d operations of %d instructions, %d registers of %d, %d predicates, %d bytes of spills\n",
		recorded.Name, len(l.Kernel.Instructions), len(recorded.Instructions), l.Kernel.RegistersPerThread, l.Budget, l.Kernel.PredicatesPerThread, l.SpillBytes)
	for n := range l.Kernel.Blocks {
		block := &l.Kernel.Blocks[n]
		if block.Count == 0 {
			continue
		}
		fmt.Fprintf(&b, "\nblock %d%s\n", n, partsOf(l.Visits[n].Parts))
		before := -1
		for i := block.First; i < block.First+block.Count; i++ {
			text := ""
			if from := int(l.Origin[i]); from != before && from < len(recorded.Instructions) {
				in := &recorded.Instructions[from]
				text, before = fmt.Sprintf("  // %d: %s", in.Line, in.Name()), from
			}
			mark := " "
			if l.Guarded[i] {
				mark = "?"
			}
			control := ""
			if controls != nil {
				control = fmt.Sprintf("%-16s", controls[i])
			}
			fmt.Fprintf(&b, "%5d %3d %s%s%s%s\n", i, live[i], control, mark, instructionText(&l.Kernel.Instructions[i]), text)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// liveRegisters counts, by operation, the registers that hold something that is read
// later in its block or behind it.
func (l *Lowered) liveRegisters() []int {
	k := l.Kernel
	live := make([]int, len(k.Instructions))
	out := l.liveOut()
	var list []trace.Register
	for n := range k.Blocks {
		block := &k.Blocks[n]
		is := map[uint16]bool{}
		for r := range out[n] {
			is[r] = true
		}
		for i := int(block.First+block.Count) - 1; i >= int(block.First); i-- {
			in := &k.Instructions[i]
			live[i] = len(is)
			if !l.Guarded[i] {
				list = in.Writes(list[:0])
				each(list, func(r uint16) { delete(is, r) })
			}
			list = in.Reads(list[:0])
			each(list, func(r uint16) { is[r] = true })
			live[i] = max(live[i], len(is))
		}
	}
	return live
}

// each calls visit for the words of general registers.
func each(list []trace.Register, visit func(uint16)) {
	for _, r := range list {
		if r.File == trace.FileGeneral {
			for w := range max(r.Words, 1) {
				visit(r.Number + uint16(w))
			}
		}
	}
}

// liveOut gives the machine registers that are live behind each block.
func (l *Lowered) liveOut() []map[uint16]bool {
	k := l.Kernel
	in, out := make([]map[uint16]bool, len(k.Blocks)), make([]map[uint16]bool, len(k.Blocks))
	for n := range in {
		in[n], out[n] = map[uint16]bool{}, map[uint16]bool{}
	}
	var list []trace.Register
	for again := true; again; {
		again = false
		for n := len(k.Blocks) - 1; n >= 0; n-- {
			for _, s := range k.Blocks[n].Successors {
				if int(s) < len(in) {
					for r := range in[s] {
						out[n][r] = true
					}
				}
			}
			is := map[uint16]bool{}
			for r := range out[n] {
				is[r] = true
			}
			for i := int(k.Blocks[n].First+k.Blocks[n].Count) - 1; i >= int(k.Blocks[n].First); i-- {
				if !l.Guarded[i] {
					list = k.Instructions[i].Writes(list[:0])
					each(list, func(r uint16) { delete(is, r) })
				}
				list = k.Instructions[i].Reads(list[:0])
				each(list, func(r uint16) { is[r] = true })
			}
			if len(is) != len(in[n]) {
				in[n], again = is, true
			}
		}
	}
	return out
}

func partsOf[P any](parts []P) string {
	if len(parts) < 2 {
		return ""
	}
	return fmt.Sprintf(", of %d recorded ones", len(parts))
}

// instructionText writes an operation as disassemblers do.
func instructionText(in *trace.Instruction) string {
	var b strings.Builder
	if g := in.Guard; g.Present {
		b.WriteByte('@')
		if g.Negated {
			b.WriteByte('!')
		}
		fmt.Fprintf(&b, "P%d ", g.Register.Number)
	}
	b.WriteString(in.Opcode)
	for _, m := range append(append([]string(nil), in.Modifiers...), in.Types...) {
		b.WriteString("." + m)
	}
	for i := range in.Operands {
		b.WriteString([]string{" ", ", "}[min(i, 1)])
		b.WriteString(operandText(&in.Operands[i]))
	}
	return b.String()
}

func operandText(o *trace.Operand) string {
	not := ""
	if o.Negated {
		not = "!"
	}
	switch o.Kind {
	case trace.OperandRegister:
		if o.Register.File == trace.FilePredicate {
			return fmt.Sprintf("%sP%d", not, o.Register.Number)
		}
		if o.Register.Words > 1 {
			return fmt.Sprintf("R%d:%d", o.Register.Number, o.Register.Words)
		}
		return fmt.Sprintf("R%d", o.Register.Number)
	case trace.OperandAddress:
		return fmt.Sprintf("[R%d%+#x]", o.Register.Number, o.Value)
	case trace.OperandImmediate:
		if o.Value == 0 {
			return "RZ"
		}
		return fmt.Sprintf("%#x", o.Value)
	case trace.OperandParam:
		return fmt.Sprintf("c[%s%+#x]", o.Symbol, o.Value)
	case trace.OperandSymbol:
		return fmt.Sprintf("%s%+#x", o.Symbol, o.Value)
	case trace.OperandSpecial:
		return "SR_" + strings.ToUpper(o.Symbol)
	}
	return "?"
}
