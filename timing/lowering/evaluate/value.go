// SPDX-License-Identifier: Apache-2.0

// Package evaluate checks a lowered kernel against the recorded one: it follows a path
// through both with the same values, and compares what they do to memory.
//
// Operations on words that a lowering takes apart (sums, products, shifts, logic, width
// changes) are computed; all others are functions without an interpretation: only
// equal arguments give equal results. So a value that comes from elsewhere, too late, or
// from a register that has been written since, is found.
//
// A path goes where its conditions say. Their outcomes are drawn, such that comparisons of the same
// values never contradict each other.
package evaluate

import (
	"hash/fnv"

	"github.com/warptape/warptape/trace"
)

// value is what a variable holds for one thread.
type value struct {
	bits [2]uint64 // the second of 128 bits
	// unknown says that the kernel reads what it has not written.
	unknown bool
}

func word(x uint64) value { return value{bits: [2]uint64{x, 0}} }

// cut keeps the low words of a value.
func (v value) cut(words uint8) value {
	switch words {
	case 0, 1:
		v.bits = [2]uint64{uint64(uint32(v.bits[0])), 0}
	case 2:
		v.bits[1] = 0
	}
	return v
}

// mixed is the result of a function without an interpretation.
func mixed(name string, arguments []value) value {
	h := fnv.New64a()
	h.Write([]byte(name))
	v := value{}
	for _, a := range arguments {
		v.unknown = v.unknown || a.unknown
		var b [16]byte
		for i := range 8 {
			b[i], b[8+i] = byte(a.bits[0]>>(8*i)), byte(a.bits[1]>>(8*i))
		}
		h.Write(b[:])
	}
	v.bits[0] = h.Sum64()
	h.Write([]byte{1})
	v.bits[1] = h.Sum64()
	return v
}

// machine gives the values of variables.
type machine interface {
	get(r trace.Register) value
	drawn() uint64              // what decides conditions
	place(symbol string) uint64 // of a variable; 0 where it is not known
}

// results computes what an instruction writes, in the order of trace.Instruction.Writes;
// loaded is what it reads if it accesses memory.
func results(in *trace.Instruction, m machine, loaded value, written []trace.Register) []value {
	arguments := operands(in, m)
	out := make([]value, len(written))
	switch {
	case in.Class.IsMemory():
		for n := range out {
			out[n] = mixed("element", append([]value{loaded, word(uint64(n))}, arguments...)).cut(written[n].Words)
		}
		if in.Opcode == "ld" && len(out) == 1 && in.LaneBytes < 4 && len(in.Types) > 0 && in.Types[0][0] != 's' { // extended by zeros
			out[0].bits[0] &= 1<<(8*in.LaneBytes) - 1
		}
		return out
	case len(out) == 1 && len(arguments) > 0:
		if v, ok := known(in, arguments); ok {
			out[0] = v.cut(words(written[0]))
			if written[0].File == trace.FilePredicate {
				out[0].bits[0] &= 1
			}
			return out
		}
	case len(out) == 2 && in.Opcode == "mov" && len(arguments) == 1 && len(in.Types) == 1 && in.Types[0] == "b64":
		out[0], out[1] = word(uint64(uint32(arguments[0].bits[0]))), word(arguments[0].bits[0]>>32)
		out[0].unknown, out[1].unknown = arguments[0].unknown, arguments[0].unknown
		return out
	}
	if compared(in, arguments, m.drawn(), out) {
		return out
	}
	for n := range out {
		out[n] = mixed(in.Name()+string(rune('0'+n)), arguments).cut(words(written[n]))
		if written[n].File == trace.FilePredicate {
			out[n].bits[0] = spread(out[n].bits[0]^m.drawn()) & 1
		}
	}
	return out
}

func words(r trace.Register) uint8 {
	if r.File == trace.FilePredicate {
		return 1
	}
	return r.Words
}

// operands are the values that an instruction reads, but for addresses.
func operands(in *trace.Instruction, m machine) []value {
	var list []value
	for n := int(in.Destinations); n < len(in.Operands); n++ {
		list = appendOperand(list, &in.Operands[n], m)
	}
	return list
}

func appendOperand(list []value, o *trace.Operand, m machine) []value {
	switch o.Kind {
	case trace.OperandRegister:
		v := m.get(o.Register)
		if o.Negated {
			v.bits[0] ^= 1
		}
		return append(list, v)
	case trace.OperandImmediate, trace.OperandParam:
		return append(list, word(uint64(o.Value)))
	case trace.OperandSymbol:
		return append(list, word(m.place(o.Symbol)+uint64(o.Value)))
	case trace.OperandSpecial:
		return append(list, mixed("%"+o.Symbol, nil).cut(1))
	case trace.OperandVector:
		for n := range o.Elements {
			list = appendOperand(list, &o.Elements[n], m)
		}
	}
	return list
}

// addressIn is the address of a memory instruction, and whether it is known: the last one of
// a copy. Variables are where the trace has them, or at address zero: then a lowering knows
// only that their addresses do not change.
func addressIn(in *trace.Instruction, m machine) (uint64, bool) {
	list := addresses(in, m)
	if len(list) == 0 {
		return 0, true
	}
	a := list[len(list)-1]
	return a.bits[0], !a.unknown
}

// otherAddresses are the addresses in registers that a copy has besides.
func otherAddresses(in *trace.Instruction, m machine) []value {
	if list := addresses(in, m); len(list) > 1 {
		return list[:len(list)-1]
	}
	return nil
}

// addresses are those of an instruction.
func addresses(in *trace.Instruction, m machine) []value {
	var list []value
	for n := range in.Operands {
		if o := &in.Operands[n]; o.Kind == trace.OperandAddress {
			a := value{}
			if o.HasBase {
				a = m.get(o.Register)
			} else {
				a.bits[0] = m.place(o.Symbol)
			}
			a.bits[0] += uint64(o.Value)
			list = append(list, a)
		}
	}
	return list
}

// known computes the operations that a lowering takes apart.
func known(in *trace.Instruction, a []value) (value, bool) {
	if len(in.Types) == 0 || in.Types[0] == "" {
		return value{}, false
	}
	t := in.Types[0]
	float := t[0] == 'f' || len(t) > 2 && t[:2] == "bf"
	x, y, z := a[0].bits[0], uint64(0), uint64(0)
	unknown := a[0].unknown
	if len(a) > 1 {
		y, unknown = a[1].bits[0], unknown || a[1].unknown
	}
	if len(a) > 2 {
		z, unknown = a[2].bits[0], unknown || a[2].unknown
	}
	give := func(bits uint64) (value, bool) { return value{bits: [2]uint64{bits, 0}, unknown: unknown}, true }
	has := func(m string) bool {
		for _, x := range in.Modifiers {
			if x == m {
				return true
			}
		}
		return false
	}
	if has("cc") || has("sat") || t == "b128" {
		return value{}, false
	}
	switch in.Opcode {
	case "mov", "cvta":
		if len(a) == 1 {
			return value{a[0].bits, unknown}, true
		}
		if len(a) == 2 && t == "b64" {
			return give(x&0xffffffff | y<<32)
		}
	case "add":
		if !float {
			return give(x + y)
		}
	case "sub":
		if !float {
			return give(x - y)
		}
	case "neg":
		if !float {
			return give(-x)
		}
	case "and":
		return give(x & y)
	case "or":
		return give(x | y)
	case "xor":
		return give(x ^ y)
	case "not":
		return give(^x)
	case "shl":
		if y < 32 {
			return give(x << y)
		}
	case "mul", "mad":
		switch {
		case float:
		case has("lo"):
			return give(x*y + z)
		case has("wide") && t == "s32":
			return give(uint64(int64(int32(x))*int64(int32(y))) + z)
		case has("wide") && t == "u32":
			return give(uint64(uint32(x))*uint64(uint32(y)) + z)
		}
	case "cvt":
		if len(in.Types) < 2 || float || in.Types[1][0] == 'f' {
			break
		}
		switch in.Types[1] {
		case "u32", "b32":
			x = uint64(uint32(x))
		case "s32":
			x = uint64(int64(int32(x)))
		case "u16", "b16":
			x &= 0xffff
		case "u8", "b8":
			x &= 0xff
		case "u64", "s64", "b64":
		default:
			return value{}, false
		}
		switch t {
		case "u32", "s32", "u64", "s64", "b32", "b64":
			return give(x)
		}
	}
	return value{}, false
}
