// SPDX-License-Identifier: Apache-2.0

package chains

import (
	"slices"

	"github.com/warptape/warptape/trace"
)

// value is what an instruction of a block computes, and what reads it.
type value struct {
	// user is the only instruction that reads the result; none or several: -1.
	user  int32
	users int
	// reads holds, by place in names.reads, the instruction of the block that
	// computed it, -1 for one that comes from outside.
	reads []int32
}

// values are those of one block; the places of all slices count from first.
type values struct {
	first int
	list  []value
}

func (v *values) at(i int32) *value { return &v.list[int(i)-v.first] }

// only reports whether a single instruction reads what i computes.
func (v *values) only(i int32) bool { return v.at(i).users == 1 }

// values finds out which instruction reads what in block b.
func (f *finder) values(b uint32) *values {
	at := &f.kernel.Blocks[b]
	v := &values{first: int(at.First), list: make([]value, at.Count)}
	last := map[int32]int32{} // name: the instruction that wrote it last
	for i := at.First; i < at.First+at.Count; i++ {
		own := v.at(int32(i))
		own.user = -1
		for place, r := range f.names.reads[i] {
			from, ok := last[r]
			if !ok {
				own.reads = append(own.reads, -1)
				continue
			}
			own.reads = append(own.reads, from)
			if !slices.Contains(own.reads[:place], from) {
				v.use(from, int32(i))
			}
		}
		guarded := f.kernel.Instructions[i].Guard.Present
		for _, w := range f.names.wrote[i] {
			if from, ok := last[w]; ok && guarded {
				v.use(from, -1) // what was there may stay
			}
			last[w] = int32(i)
		}
	}
	for name, i := range last {
		if f.live.after(b, name) {
			v.use(i, -1)
		}
	}
	return v
}

func (v *values) use(from, by int32) {
	d := v.at(from)
	d.users++
	d.user = by
}

// operand is a source of an ALU instruction.
type operand struct {
	kind operandKind
	from int32 // the instruction that loads, widens or computes it; -1 for none
}

type operandKind uint8

const (
	other     operandKind = iota // a register that lanes have computed
	loaded                       // a load of the chain, perhaps widened
	immediate                    // a literal or a register that is the same in all lanes
	computed                     // an ALU instruction without another use
)

// operands classifies the sources of instruction i.
func (f *finder) operands(v *values, i int32) []operand {
	in := &f.kernel.Instructions[i]
	var out []operand
	place := 0
	for k := int(in.Destinations); k < len(in.Operands); k++ {
		o := &in.Operands[k]
		switch o.Kind {
		case trace.OperandRegister:
			out = append(out, f.register(v, v.at(i).reads[place], f.names.reads[i][place]))
			place++
		case trace.OperandImmediate, trace.OperandSymbol:
			out = append(out, operand{kind: immediate, from: -1})
		case trace.OperandSpecial:
			kind := other
			if uniformSpecial(o.Symbol) {
				kind = immediate
			}
			out = append(out, operand{kind: kind, from: -1})
		default:
			return append(out, operand{kind: other, from: -1})
		}
	}
	return out
}

// register classifies a register that an instruction of the block, or none, wrote.
func (f *finder) register(v *values, from, name int32) operand {
	if from >= 0 && v.only(from) {
		in := &f.kernel.Instructions[from]
		switch {
		case f.loads(from):
			return operand{kind: loaded, from: from}
		case f.widens(v, from):
			return operand{kind: loaded, from: from}
		case !f.uniform[name] && f.computes(in):
			return operand{kind: computed, from: from}
		}
	}
	if f.uniform[name] {
		return operand{kind: immediate, from: from}
	}
	return operand{kind: other, from: from}
}
