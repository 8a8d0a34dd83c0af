// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"fmt"
	"strconv"
	"strings"
)

// Format renders an instruction as PTX text: parsing the text in the same
// scope gives an equal instruction again. The targets of brx.idx, which PTX
// names by a list of their own, stand in its place as {a, b}.
func Format(in *Instruction) string {
	var b strings.Builder
	if in.Guard.Register != nil {
		b.WriteByte('@')
		if in.Guard.Negated {
			b.WriteByte('!')
		}
		b.WriteString(in.Guard.Register.Name)
		b.WriteByte(' ')
	}
	b.WriteString(in.Op.String())
	for _, s := range in.Suffixes {
		b.WriteByte('.')
		b.WriteString(s)
	}
	if in.Op == OpCall {
		formatCall(&b, in)
		return b.String()
	}
	located := in.located()
	for i := range in.Operands {
		switch {
		case located >= 0 && i == located+1:
			continue // stands with the texture
		case i == 0:
			b.WriteByte(' ')
		case i < in.Destinations:
			b.WriteByte('|')
		default:
			b.WriteString(", ")
		}
		if i == located {
			formatTexture(&b, in, i)
			continue
		}
		formatOperand(&b, &in.Operands[i], in.OperandType(i))
	}
	b.WriteByte(';')
	return b.String()
}

// formatCall writes (returns), function, (arguments){, prototype}. A prototype,
// which PTX names by its label, stands in its place as an ellipsis.
func formatCall(b *strings.Builder, in *Instruction) {
	list := func(o *Operand) string {
		var names []string
		for i := range o.Elements {
			var e strings.Builder
			formatOperand(&e, &o.Elements[i], B64)
			names = append(names, e.String())
		}
		return "(" + strings.Join(names, ", ") + ")"
	}
	b.WriteByte(' ')
	if len(in.Operands[0].Elements) > 0 {
		b.WriteString(list(&in.Operands[0]) + ", ")
	}
	formatOperand(b, &in.Operands[1], B64)
	b.WriteString(", " + list(&in.Operands[2]))
	if len(in.Operands) > 3 {
		b.WriteString(", ...")
	}
	b.WriteByte(';')
}

// formatTexture writes [texture, {coordinates}].
func formatTexture(b *strings.Builder, in *Instruction, i int) {
	b.WriteString("[" + in.Operands[i].base() + ", ")
	formatOperand(b, &in.Operands[i+1], in.OperandType(i+1))
	b.WriteByte(']')
}

func formatOperand(b *strings.Builder, o *Operand, t Type) {
	if o.Negated {
		b.WriteByte('!')
	}
	if o.Minus {
		b.WriteByte('-')
	}
	switch o.Kind {
	case OperandRegister:
		b.WriteString(o.Register.Name)
		if o.Selector != "" {
			b.WriteString("." + o.Selector)
		}
	case OperandImmediate:
		b.WriteString(formatImmediate(o.Value, t))
	case OperandSpecial:
		b.WriteString("%" + o.Special.String())
	case OperandVariable, OperandParam:
		b.WriteString(o.base())
		b.WriteString(formatOffset(o.Offset))
	case OperandAddress:
		b.WriteByte('[')
		if base := o.base(); base != "" {
			b.WriteString(base + formatOffset(o.Offset))
		} else {
			b.WriteString(strconv.FormatInt(o.Offset, 10))
		}
		b.WriteByte(']')
	case OperandLabel:
		b.WriteString(o.Label.Name)
	case OperandLabels:
		for i, l := range o.Labels {
			b.WriteString([]string{"{", ", "}[min(i, 1)] + l.Name)
		}
		b.WriteByte('}')
	case OperandVector:
		b.WriteByte('{')
		for i := range o.Elements {
			if i > 0 {
				b.WriteString(", ")
			}
			formatOperand(b, &o.Elements[i], t)
		}
		b.WriteByte('}')
	case OperandFunction:
		b.WriteString(o.Function.Name + formatOffset(o.Offset))
	case OperandSink:
		b.WriteByte('_')
	}
}

// base is the name in an address or of a symbol.
func (o *Operand) base() string {
	switch {
	case o.Register != nil:
		return o.Register.Name
	case o.Variable != nil:
		return o.Variable.Name
	case o.Param != nil:
		return o.Param.Name
	}
	return ""
}

func formatOffset(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%+d", n)
}

func formatImmediate(v uint64, t Type) string {
	switch {
	case t == F32:
		return fmt.Sprintf("0f%08X", v)
	case t == F64:
		return fmt.Sprintf("0d%016X", v)
	case t.Signed():
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatUint(v, 10)
}
