// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"fmt"
	"io"
	"strings"

	"github.com/warptape/warptape/trace"
)

// Print writes both streams of a plan next to the kernel's instructions, with the
// reasons for what was not decoupled.
func (p *Plan) Print(out io.Writer) error {
	var b strings.Builder
	k := p.Kernel
	fmt.Fprintf(&b, "kernel %s\n", k.Name)
	if !p.Decoupled() {
		fmt.Fprintf(&b, "  nothing is decoupled: %s\n", p.Reason)
	}
	rows := p.rows()
	width := [2]int{len("PTX"), len("affine stream")}
	for _, r := range rows {
		width[0] = max(width[0], len(r.ptx))
		width[1] = max(width[1], len(r.affine))
	}
	pad := func(line, ptx, affine, rest string) {
		text := fmt.Sprintf("%6s  %-*s | %-*s | %s", line, width[0], ptx, width[1], affine, rest)
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	pad("line", "PTX", "affine stream", "non-affine stream")
	for _, r := range rows {
		if r.label != "" {
			fmt.Fprintf(&b, "%6s  %s\n", "", r.label)
		}
		pad(r.line, r.ptx, r.affine, r.rest)
		if r.reason != "" {
			fmt.Fprintf(&b, "%6s  ^ not decoupled: %s\n", "", r.reason)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// row is one instruction, or one enqueue next to it.
type row struct {
	label, line, ptx, affine, rest, reason string
}

func (p *Plan) rows() []row {
	var rows []row
	k := p.Kernel
	for b := range k.Blocks {
		label := fmt.Sprintf("block %d", b)
		for i := k.Blocks[b].First; i < k.Blocks[b].First+k.Blocks[b].Count; i++ {
			in, f := &k.Instructions[i], &p.Fates[i]
			text := describe(in, "", "")
			r := row{label: label, line: fmt.Sprint(in.Line), ptx: text, reason: f.Reason}
			label = ""
			if f.Stays {
				r.rest = p.remaining(i)
			}
			var affine []string
			if f.Affine {
				affine = append(affine, text)
				if f.Supplied {
					affine[0] += "  // supplied"
				}
			}
			if f.Predicate != 0 {
				affine = append([]string{p.enqueue(f.Predicate - 1)}, affine...)
			}
			if f.Enqueue != NoQueue && f.EmbeddedIn == 0 {
				affine = append(affine, p.enqueue(i))
			}
			for n, a := range affine {
				if n == 0 {
					r.affine = a
					rows = append(rows, r)
					continue
				}
				rows = append(rows, row{affine: a})
			}
			if len(affine) == 0 {
				rows = append(rows, r)
			}
			if len(affine) > 1 { // the reason stands below the last
				last := len(rows) - 1
				rows[last].reason, rows[last-len(affine)+1].reason = r.reason, ""
			}
		}
	}
	return rows
}

// enqueue is the text of the enqueue that instruction i has become.
func (p *Plan) enqueue(i uint32) string {
	in, f := &p.Kernel.Instructions[i], &p.Fates[i]
	guard := ""
	what := operandText(&in.Operands[0])
	if f.Enqueue != Predicate {
		guard = guardText(in, "")
		for k := range in.Operands {
			if o := &in.Operands[k]; o.Kind == trace.OperandAddress {
				what = strings.Trim(operandText(o), "[]")
			}
		}
	}
	text := guard + "enq." + f.Enqueue.String() + " " + what
	if f.Conditions > 0 {
		text += fmt.Sprintf("  // %d tuples", 1<<f.Conditions)
	}
	return text
}

// remaining is the text of an instruction in the non-affine stream.
func (p *Plan) remaining(i uint32) string {
	in, f := &p.Kernel.Instructions[i], &p.Fates[i]
	switch f.Dequeue {
	case Predicate:
		return "deq.pred " + operandText(&in.Operands[0])
	case Data:
		return describe(in, "deq.data", p.embedded(f))
	case Address:
		return describe(in, "[deq.addr]", p.embedded(f))
	}
	return describe(in, "", p.embedded(f))
}

// embedded is the text of the predicate that an instruction dequeues itself.
func (p *Plan) embedded(f *Fate) string {
	if f.Predicate == 0 {
		return ""
	}
	return operandText(&p.Kernel.Instructions[f.Predicate-1].Operands[0])
}

// describe is an instruction's text, with another address where one is given, and with
// deq.pred in place of a predicate.
func describe(in *trace.Instruction, address, dequeued string) string {
	var operands []string
	for k := range in.Operands {
		o := &in.Operands[k]
		text := operandText(o)
		if address != "" && o.Kind == trace.OperandAddress {
			text = address
		}
		if dequeued != "" && k >= int(in.Destinations) && text == dequeued {
			text = "deq.pred"
		}
		operands = append(operands, text)
	}
	return strings.TrimRight(guardText(in, dequeued)+in.Name()+" "+strings.Join(operands, ", "), " ")
}

func guardText(in *trace.Instruction, dequeued string) string {
	if !in.Guard.Present {
		return ""
	}
	name := registerText(in.Guard.Register)
	if name == dequeued {
		name = "deq.pred"
	}
	if in.Guard.Negated {
		name = "!" + name
	}
	return "@" + name + " "
}

func registerText(r trace.Register) string {
	if r.Virtual != "" {
		return r.Virtual
	}
	if r.File == trace.FilePredicate {
		return fmt.Sprintf("P%d", r.Number)
	}
	return fmt.Sprintf("R%d", r.Number)
}

func operandText(o *trace.Operand) string {
	switch o.Kind {
	case trace.OperandRegister:
		if o.Negated {
			return "!" + registerText(o.Register)
		}
		return registerText(o.Register)
	case trace.OperandImmediate:
		return fmt.Sprint(o.Value)
	case trace.OperandSpecial:
		return "%" + o.Symbol
	case trace.OperandBlock:
		return fmt.Sprintf("block %d", o.Value)
	case trace.OperandAddress:
		return "[" + plusOffset(addressBase(o), o.Value) + "]"
	case trace.OperandSymbol, trace.OperandParam:
		return plusOffset(o.Symbol, o.Value)
	case trace.OperandVector:
		var list []string
		for e := range o.Elements {
			list = append(list, operandText(&o.Elements[e]))
		}
		return "{" + strings.Join(list, ", ") + "}"
	}
	return "_"
}

func addressBase(o *trace.Operand) string {
	if o.HasBase {
		return registerText(o.Register)
	}
	return o.Symbol
}

func plusOffset(base string, offset int64) string {
	if offset == 0 {
		return base
	}
	return fmt.Sprintf("%s%+d", base, offset)
}
