// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/warptape/warptape/trace"
)

// code is an operation that affine computation knows (sections 3, 4.4 and 4.6).
type code uint8

const (
	codeNone code = iota
	codeMove
	codeParameter // ld.param: read-only data that the affine warp may read
	codeAdd
	codeSubtract
	codeMultiply
	codeMultiplyWide
	codeMad
	codeMadWide
	codeShiftLeft
	codeShiftRight
	codeAnd
	codeOr
	codeXor
	codeNot
	codeNegate
	codeAbsolute
	codeMinimum
	codeMaximum
	codeDivide
	codeRemainder
	codeConvert
	codeSelect
	codeLanes // an operation of scalars alone: lanesOperations
	codeCompare
	codePredicateAnd
	codePredicateOr
	codePredicateXor
	codePredicateNot
	codePredicateMove
)

// operation is the decoded form of an instruction that affine computation knows.
type operation struct {
	code   code
	bits   uint8 // of the destination, or of what is compared
	signed bool
	// from and fromSigned are the source's of a conversion or a wide product.
	from       uint8
	fromSigned bool
	compare    comparison
	// addend is what cvta adds.
	addend int64
	// offset is a parameter's place in the parameter space.
	offset uint32
	// lanes says what a codeLanes is, with its modifiers.
	lanes     *lanesOperation
	modifiers []string
}

// comparison is what a setp asks.
type comparison uint8

const (
	equal comparison = iota
	notEqual
	less
	lessEqual
	greater
	greaterEqual
)

// decode gives the operation of an instruction, or why it has none.
func decode(k *trace.Kernel, in *trace.Instruction) (operation, string) {
	o, why := decodeForm(k, in)
	if why == "" && !o.fits(in) {
		return operation{}, "its operands are registers of another kind"
	}
	return o, why
}

// fits reports whether the registers of an instruction are predicates where its
// operation has predicates, and only there.
func (o *operation) fits(in *trace.Instruction) bool {
	for k := range in.Operands {
		x := &in.Operands[k]
		wants := o.isPredicate()
		switch {
		case k == 0:
		case o.code == codeCompare:
			wants = false
		case o.code == codeSelect:
			wants = k == 3
		}
		if x.Kind == trace.OperandRegister && (x.Register.File == trace.FilePredicate) != wants {
			return false
		}
	}
	return true
}

func decodeForm(k *trace.Kernel, in *trace.Instruction) (operation, string) {
	switch in.Opcode {
	case "ld":
		return decodeParameter(k, in)
	case "setp":
		return decodeCompare(in)
	case "cvt":
		return decodeConvert(in)
	case "cvta":
		return decodeSpace(in)
	}
	if in.Class == trace.ClassPredicate || isPredicateType(in.Types) {
		return decodeLogic(in)
	}
	return decodeInteger(in)
}

// integers are the operations on integers by mnemonic, with the sources that
// each has.
var integers = map[string]struct {
	code    code
	sources int
}{
	"mov": {codeMove, 1}, "add": {codeAdd, 2}, "sub": {codeSubtract, 2}, "mul": {codeMultiply, 2}, "mad": {codeMad, 3},
	"shl": {codeShiftLeft, 2}, "shr": {codeShiftRight, 2}, "and": {codeAnd, 2}, "or": {codeOr, 2}, "xor": {codeXor, 2},
	"not": {codeNot, 1}, "neg": {codeNegate, 1}, "abs": {codeAbsolute, 1}, "min": {codeMinimum, 2}, "max": {codeMaximum, 2},
	"div": {codeDivide, 2}, "rem": {codeRemainder, 2}, "selp": {codeSelect, 3},
}

func decodeInteger(in *trace.Instruction) (operation, string) {
	if o, ok := decodeLanes(in); ok {
		return o, ""
	}
	known, ok := integers[in.Opcode]
	if !ok {
		return operation{}, in.Opcode + " is no operation on affine tuples (4.4, 4.6)"
	}
	o := operation{code: known.code}
	if o.bits, o.signed, ok = integerType(in.Types, 0); !ok {
		return operation{}, in.Opcode + " is not of integers"
	}
	for _, m := range in.Modifiers {
		switch {
		case m == "lo":
		case m == "wide" && o.code == codeMultiply:
			o.code = codeMultiplyWide
		case m == "wide" && o.code == codeMad:
			o.code = codeMadWide
		default:
			return operation{}, in.Opcode + "." + m + " is no operation on affine tuples (4.4, 4.6)"
		}
	}
	if o.code == codeMultiplyWide || o.code == codeMadWide {
		if o.bits > 32 {
			return operation{}, "its product is wider than a register"
		}
		o.from, o.fromSigned, o.bits = o.bits, o.signed, 2*o.bits
	}
	if !plain(in, known.sources) {
		return operation{}, "its operands are no single registers or constants"
	}
	return o, ""
}

// plain reports whether an instruction has one register as its destination, and so
// many sources without vectors.
func plain(in *trace.Instruction, sources int) bool {
	if in.Destinations != 1 || len(in.Operands) != sources+1 || in.Operands[0].Kind != trace.OperandRegister {
		return false
	}
	for i := range in.Operands[1:] {
		switch in.Operands[1+i].Kind {
		case trace.OperandRegister, trace.OperandImmediate, trace.OperandParam, trace.OperandSpecial, trace.OperandSymbol:
		default:
			return false
		}
	}
	return true
}

// integerType reads a type suffix such as "u32"; untyped bits count as unsigned.
func integerType(types []string, i int) (bits uint8, signed, ok bool) {
	if i >= len(types) || len(types[i]) < 2 {
		return 0, false, false
	}
	n, err := strconv.Atoi(types[i][1:])
	if err != nil || n != 8 && n != 16 && n != 32 && n != 64 {
		return 0, false, false
	}
	switch types[i][0] {
	case 's':
		return uint8(n), true, true
	case 'u', 'b':
		return uint8(n), false, true
	}
	return 0, false, false
}

func isPredicateType(types []string) bool { return len(types) == 1 && types[0] == "pred" }

func decodeParameter(k *trace.Kernel, in *trace.Instruction) (operation, string) {
	if in.Space != trace.SpaceParam {
		return operation{}, "is loaded from memory"
	}
	at := len(in.Operands) - 1
	if in.Destinations != 1 || at != 1 || in.Operands[0].Kind != trace.OperandRegister || in.Operands[1].Kind != trace.OperandAddress || in.Operands[1].HasBase || len(in.Types) != 1 {
		return operation{}, "is loaded from parameters by a computed address or as a vector"
	}
	o := operation{code: codeParameter, bits: 8 * in.LaneBytes}
	_, o.signed, _ = integerType(in.Types, 0)
	for i := range k.Params {
		if k.Params[i].Name == in.Operands[1].Symbol {
			o.offset = k.Params[i].Offset + uint32(in.Operands[1].Value)
			if in.LaneBytes == 0 || in.LaneBytes > 8 {
				break
			}
			return o, ""
		}
	}
	return operation{}, "is loaded from a parameter that the kernel does not have"
}

var comparisons = map[string]struct {
	compare  comparison
	unsigned bool
}{
	"eq": {equal, false}, "ne": {notEqual, false}, "lt": {less, false}, "le": {lessEqual, false}, "gt": {greater, false}, "ge": {greaterEqual, false},
	"lo": {less, true}, "ls": {lessEqual, true}, "hi": {greater, true}, "hs": {greaterEqual, true},
}

func decodeCompare(in *trace.Instruction) (operation, string) {
	o := operation{code: codeCompare}
	var ok bool
	if o.bits, o.signed, ok = integerType(in.Types, 0); !ok {
		return operation{}, "compares no integers"
	}
	if len(in.Modifiers) != 1 || !plain(in, 2) {
		return operation{}, "is combined with another predicate"
	}
	c, ok := comparisons[in.Modifiers[0]]
	if !ok {
		return operation{}, fmt.Sprintf("setp.%s is no comparison of affine tuples", in.Modifiers[0])
	}
	o.compare = c.compare
	o.signed = o.signed && !c.unsigned
	return o, ""
}

func decodeConvert(in *trace.Instruction) (operation, string) {
	o := operation{code: codeConvert}
	var to, from bool
	o.bits, o.signed, to = integerType(in.Types, 0)
	o.from, o.fromSigned, from = integerType(in.Types, 1)
	if !to || !from || len(in.Modifiers) > 0 || !plain(in, 1) {
		return operation{}, "converts not from integer to integer"
	}
	return o, ""
}

// decodeSpace is cvta: the windows of the generic address space are fixed.
func decodeSpace(in *trace.Instruction) (operation, string) {
	o := operation{code: codeMove, bits: 64}
	if len(in.Types) == 1 {
		o.bits, _, _ = integerType(in.Types, 0)
	}
	if o.bits < 32 || !plain(in, 1) {
		return operation{}, "converts an address in a form that affine computation does not know"
	}
	for _, m := range in.Modifiers {
		switch m {
		case "shared":
			o.addend = trace.SharedWindowBase
		case "local":
			o.addend = trace.LocalWindowBase
		case "const":
			o.addend = trace.ConstWindowBase
		case "param":
			o.addend = trace.ParamWindowBase
		case "to", "global":
		default:
			return operation{}, "cvta." + m + " is no operation on affine tuples"
		}
	}
	if slices.Contains(in.Modifiers, "to") {
		o.addend = -o.addend
	}
	return o, ""
}

func decodeLogic(in *trace.Instruction) (operation, string) {
	o := operation{bits: 1}
	sources := 2
	switch in.Opcode {
	case "and":
		o.code = codePredicateAnd
	case "or":
		o.code = codePredicateOr
	case "xor":
		o.code = codePredicateXor
	case "not":
		o.code, sources = codePredicateNot, 1
	case "mov":
		o.code, sources = codePredicateMove, 1
	default:
		return operation{}, in.Opcode + " is no operation on predicates of the affine warp"
	}
	if len(in.Modifiers) > 0 || !plain(in, sources) {
		return operation{}, in.Opcode + " of predicates in a form that affine computation does not know"
	}
	return o, ""
}

// isPredicate reports whether an operation gives a predicate.
func (o *operation) isPredicate() bool { return o.code >= codeCompare }
