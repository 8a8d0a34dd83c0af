// SPDX-License-Identifier: Apache-2.0

package cae

import (
	"slices"
	"strings"

	"github.com/warptape/warptape/trace"
)

// form is how the result of an instruction follows from its operands.
type form uint8

const (
	formNone    form = iota // the affine unit cannot: a vector
	formLoad                // not for the unit; a scalar when the address is one
	formSum                 // a ± b
	formProduct             // a * b + c, of a and b one a scalar
	formShift               // a << b, b a scalar
	formScalars             // of scalars only
	formCompare             // a scalar compared with an affine value
	formChoose              // a or b, by a scalar predicate c
)

// rule is an instruction as the affine unit sees it.
type rule struct {
	form    form
	sources [4]source
	count   uint8 // of sources
	// guard is the predicate in front, words zero for none.
	guard   source
	reads   []source // all registers read as values, for expansion
	written []uint16 // registers
}

// rules are the instructions of a kernel; registers of both files are numbered
// together, predicates last.
type rules struct {
	kernel    *trace.Kernel
	list      []rule
	registers int
	general   int // of these, before the predicates
}

// newRules decodes a kernel.
func newRules(k *trace.Kernel) *rules {
	r := &rules{kernel: k, list: make([]rule, len(k.Instructions))}
	predicates := 0
	var seen []trace.Register
	for i := range k.Instructions {
		seen = k.Instructions[i].Writes(k.Instructions[i].Reads(seen[:0]))
		for _, x := range seen {
			n := int(x.Number) + max(int(x.Words), 1)
			if x.File == trace.FilePredicate {
				predicates = max(predicates, n)
			} else {
				r.general = max(r.general, n)
			}
		}
	}
	r.registers = r.general + predicates
	for i := range k.Instructions {
		r.list[i] = r.decode(&k.Instructions[i])
	}
	return r
}

func (r *rules) register(x trace.Register) source {
	s := source{kind: sourceRegister, first: x.Number, words: max(x.Words, 1)}
	if x.File == trace.FilePredicate {
		s.first += uint16(r.general)
	}
	return s
}

// decode makes the rule of an instruction.
func (r *rules) decode(in *trace.Instruction) rule {
	var out rule
	var registers []trace.Register
	registers = in.Writes(registers)
	for _, x := range registers {
		s := r.register(x)
		for n := range uint16(s.words) {
			out.written = append(out.written, s.first+n)
		}
	}
	for _, x := range in.Reads(nil) {
		out.reads = append(out.reads, r.register(x))
	}
	if in.Guard.Present {
		out.guard = r.register(in.Guard.Register)
	}
	form, order := formOf(in)
	operands := in.Operands[in.Destinations:]
	if form == formNone || len(out.written) == 0 || len(operands) > len(out.sources) {
		return out
	}
	if order == nil {
		order = []int{0, 1, 2, 3}[:len(operands)]
	}
	for _, at := range order {
		if at >= len(operands) {
			return out
		}
		s, ok := r.source(&operands[at])
		if !ok {
			return out
		}
		out.sources[out.count] = s
		out.count++
	}
	if out.count == 0 {
		return out
	}
	out.form = form
	return out
}

// source gives where the tag of an operand comes from; false for one that no affine
// unit takes.
func (r *rules) source(o *trace.Operand) (source, bool) {
	uniform := source{fixed: scalar}
	switch o.Kind {
	case trace.OperandRegister:
		return r.register(o.Register), true
	case trace.OperandImmediate, trace.OperandParam, trace.OperandSymbol:
		return uniform, true
	case trace.OperandAddress:
		if o.HasBase {
			return r.register(o.Register), true
		}
		return uniform, true
	case trace.OperandSpecial:
		return special(strings.TrimPrefix(o.Symbol, "%"))
	}
	return source{}, false
}

// special gives the tag of a special register (PTX ISA, "Special Registers").
func special(name string) (source, bool) {
	switch name {
	case "tid.x":
		return source{kind: sourceThreadX}, true
	case "tid.y":
		return source{kind: sourceThreadY}, true
	case "tid.z":
		return source{kind: sourceThreadZ}, true
	case "laneid":
		return source{kind: sourceLane}, true
	}
	for _, prefix := range []string{"ntid", "ctaid", "nctaid", "warpid", "nwarpid", "smid", "nsmid", "gridid"} {
		if name == prefix || strings.HasPrefix(name, prefix+".") {
			return source{fixed: scalar}, true
		}
	}
	return source{}, false
}

// scalarOnly are the integer operations of an ALU for which an affine operand gives
// no affine result.
var scalarOnly = []string{"and", "or", "xor", "not", "cnot", "shr", "min", "max", "abs", "set"}

// formOf gives the form of an instruction, and the order in which the form takes the
// operands (nil: as they stand). Affine units have integer ALUs.
func formOf(in *trace.Instruction) (form, []int) {
	switch in.Class {
	case trace.ClassLoad:
		return loadForm(in), []int{0}
	case trace.ClassIntAdd, trace.ClassIntMinMax, trace.ClassIntMul, trace.ClassIntMad, trace.ClassMove, trace.ClassConvert, trace.ClassPredicate:
	default:
		return formNone, nil
	}
	switch in.Opcode {
	case "mov", "cvta", "neg":
		return formSum, []int{0}
	case "cvt":
		return convertForm(in), []int{0}
	case "add", "sub":
		return plain(in, formSum), []int{0, 1}
	case "mul", "mul24":
		return product(in), []int{0, 1}
	case "mad", "mad24":
		return product(in), []int{0, 1, 2}
	case "shl":
		return formShift, []int{0, 1}
	case "setp":
		return formCompare, nil
	case "selp":
		return formChoose, []int{0, 1, 2}
	}
	if slices.Contains(scalarOnly, in.Opcode) {
		return formScalars, nil
	}
	return formNone, nil
}

// loadForm says what a load gives: one of a scalar address a scalar, unless each
// lane has a memory of its own there, or others change it meanwhile.
func loadForm(in *trace.Instruction) form {
	if slices.Contains(in.Modifiers, "volatile") {
		return formNone
	}
	switch in.Space {
	case trace.SpaceGlobal, trace.SpaceConst, trace.SpaceParam, trace.SpaceShared:
		return formLoad
	}
	return formNone
}

// convertForm takes conversions between integers of 32 bits and more for copies:
// narrower ones wrap around in some lanes.
func convertForm(in *trace.Instruction) form {
	for _, t := range in.Types {
		switch t {
		case "u32", "s32", "b32", "u64", "s64", "b64":
		case "u8", "s8", "u16", "s16", "b8", "b16":
			return formScalars
		default:
			return formNone
		}
	}
	return plain(in, formSum)
}

// plain is a form of instructions without saturation or carry.
func plain(in *trace.Instruction, f form) form {
	if slices.Contains(in.Modifiers, "sat") || slices.Contains(in.Modifiers, "cc") || packed(in.Types) {
		return formNone
	}
	return f
}

// packed reports whether an instruction is of two numbers in a register: the sum of
// affine ones is none, since no carry passes between them.
func packed(types []string) bool {
	return slices.ContainsFunc(types, func(t string) bool { return strings.HasSuffix(t, "x2") })
}

// product is the form of multiplications: their high half is not affine.
func product(in *trace.Instruction) form {
	if slices.Contains(in.Modifiers, "hi") {
		return plain(in, formScalars)
	}
	return plain(in, formProduct)
}

// result gives the tag of what an instruction writes when all lanes take part, and
// whether the affine unit executes it; t are the tags of the sources.
func (r *rule) result(t [4]tag) (tag, bool) {
	least := scalar
	for i := range r.count {
		least = min(least, t[i])
	}
	switch r.form {
	case formLoad:
		if t[0] == scalar {
			return scalar, false
		}
	case formSum:
		return least, least != vector
	case formProduct:
		if t[0] == scalar || t[1] == scalar {
			return least, least != vector
		}
	case formShift:
		if t[1] == scalar {
			return t[0], t[0] != vector
		}
	case formScalars:
		if least == scalar {
			return scalar, true
		}
	case formCompare:
		return r.compared(t, least)
	case formChoose:
		if t[2] == scalar {
			return least, least != vector
		}
	}
	return vector, false
}

// compared is the result of a comparison: a scalar predicate, or a mask that the unit
// makes of the first lane and the last.
func (r *rule) compared(t [4]tag, least tag) (tag, bool) {
	if least == scalar {
		return scalar, true
	}
	for i := 2; i < int(r.count); i++ {
		if t[i] != scalar {
			return vector, false
		}
	}
	return vector, r.count >= 2 && t[0] != vector && t[1] != vector && max(t[0], t[1]) == scalar
}
