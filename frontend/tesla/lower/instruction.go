// SPDX-License-Identifier: Apache-2.0

package lower

import (
	"strings"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/frontend/tesla/language"
)

// straight are instructions that the machine has.
var straight = map[string]language.Opcode{
	"mov": language.MV, "add": language.ADD, "sub": language.SUB, "mul.lo": language.MUL, "mad.lo": language.MAD,
	"and": language.AND, "or": language.OR, "xor": language.XOR, "not": language.NOT, "shl": language.SHL, "shr": language.SHR,
}

// types are the suffixes of integers of 32 bits.
var types = []string{".u32", ".s32", ".b32"}

// instruction lowers one that is no branch.
func (l *lowerer) instruction(in *ptx.Instruction) error {
	name := strings.Join(append([]string{in.Op.String()}, in.Suffixes...), ".")
	if name == "bar.sync" && len(in.Operands) == 1 && in.Operands[0].Kind == ptx.OperandImmediate && in.Operands[0].Value == 0 {
		l.emit(language.BAR, none)
		return nil
	}
	plain, typed := name, false
	for _, t := range types {
		if cut, ok := strings.CutSuffix(name, t); ok {
			plain, typed = cut, true
		}
	}
	switch {
	case in.Op.String() == "bar" || in.Op.String() == "barrier":
		return l.refusal(in, "the machine has one barrier, of all threads: bar.sync 0")
	case !typed:
		return l.refusal(in, "works on no integers of 32 bits, and the machine on nothing else")
	}
	switch plain {
	case "ld.shared", "st.shared", "ld.param":
		return l.memory(plain, in)
	}
	if rest, ok := strings.CutPrefix(plain, "setp."); ok {
		return l.compare(rest, in)
	}
	op, ok := straight[plain]
	derived := l.derive(plain, in.Type() == ptx.S32)
	if !ok && derived == nil {
		return l.refusal(in, "the machine has no such instruction, and none is made of others")
	}
	var sources []int
	for i := in.Destinations; i < len(in.Operands); i++ {
		r, err := l.sourceAt(in, i, plain)
		if err != nil {
			return err
		}
		sources = append(sources, r)
	}
	if in.Destinations != 1 || !isWord(&in.Operands[0]) {
		return l.refusal(in, "writes no single register of 32 bits")
	}
	d := in.Operands[0].Register.Index
	if derived != nil {
		derived(d, sources)
		return nil
	}
	if op == language.MAD { // which adds its first operand
		sources = []int{sources[2], sources[0], sources[1]}
	}
	l.emit(op, d, sources...)
	return nil
}

// isWord reports whether an operand is a register of 32 bits.
func isWord(o *ptx.Operand) bool {
	return o.Kind == ptx.OperandRegister && o.Register.Type.Bits() == 32
}

// sourceAt is the register of the i-th operand; selp's last is a predicate.
func (l *lowerer) sourceAt(in *ptx.Instruction, i int, plain string) (int, error) {
	o := &in.Operands[i]
	if plain != "selp" || i != 3 {
		return l.source(in, o)
	}
	if o.Kind != ptx.OperandRegister || o.Register.Type != ptx.Pred {
		return 0, l.refusal(in, "chooses by no predicate")
	}
	return o.Register.Index, nil
}

// source is the register of an operand.
func (l *lowerer) source(in *ptx.Instruction, o *ptx.Operand) (int, error) {
	switch o.Kind {
	case ptx.OperandRegister:
		if isWord(o) {
			return o.Register.Index, nil
		}
	case ptx.OperandImmediate:
		return l.constant(uint32(o.Value)), nil
	case ptx.OperandSpecial:
		if o.Special >= ptx.TidX && o.Special <= ptx.NctaidZ {
			return l.special(o.Special), nil
		}
		return 0, l.refusal(in, "the machine does not have %%%s", o.Special)
	case ptx.OperandVariable:
		if offset, ok := l.kernel.SharedOffsets[o.Variable]; ok {
			return l.constant(uint32(offset) + uint32(o.Offset)), nil
		}
	}
	return 0, l.refusal(in, "an operand is neither a register of 32 bits, an integer nor the address of a shared variable")
}

// packed is a special register of the machine with three sizes or coordinates.
type packed struct {
	selector int
	shifts   [3]int // of x, y, z
	less     bool   // it is a size less one
}

// The selectors of TID, BDIM, BIDX and GDIM, in PTX's order of special registers.
var packs = []packed{{31, [3]int{10, 0, 20}, false}, {30, [3]int{0, 10, 20}, true}, {27, [3]int{0, 10, 20}, false}, {29, [3]int{0, 10, 20}, true}}

// special unpacks a coordinate or size.
func (l *lowerer) special(s ptx.Special) int {
	n := int(s - ptx.TidX)
	p := packs[n/3]
	v := l.immediate(language.LDS, p.selector)
	if shift := p.shifts[n%3]; shift > 0 {
		v = l.with(language.SHR, v, l.constant(uint32(shift)))
	}
	v = l.with(language.AND, v, l.constant(1023))
	if p.less {
		v = l.with(language.ADD, v, l.constant(1))
	}
	return v
}

// memory lowers accesses; PTX's addresses are of bytes.
func (l *lowerer) memory(name string, in *ptx.Instruction) error {
	at := 0
	if name == "ld.shared" || name == "ld.param" {
		at = 1
	}
	a, value := &in.Operands[at], &in.Operands[1-at]
	if name == "ld.param" {
		if a.Param == nil || a.Offset != 0 || !isWord(value) {
			return l.refusal(in, "only whole parameters are read, by their names")
		}
		for i, p := range l.kernel.PTX.Params {
			if p == a.Param {
				l.emit(language.MV, value.Register.Index, l.immediate(language.LDS, readable[i]))
			}
		}
		return nil
	}
	address, err := l.address(in, a)
	if err != nil {
		return err
	}
	if name == "ld.shared" {
		if !isWord(value) {
			return l.refusal(in, "loads into no register of 32 bits")
		}
		l.emit(language.LD, value.Register.Index, address)
		return nil
	}
	v, err := l.source(in, value)
	if err != nil {
		return err
	}
	l.emit(language.ST, none, address, v)
	return nil
}

// address is a register with the word.
func (l *lowerer) address(in *ptx.Instruction, a *ptx.Operand) (int, error) {
	bytes, fixed := none, uint32(a.Offset)
	switch {
	case a.Register != nil && a.Register.Type.Bits() == 8*wordBytes:
		bytes = a.Register.Index
	case a.Variable != nil:
		fixed += uint32(l.kernel.SharedOffsets[a.Variable])
	case a.Register != nil:
		return 0, l.refusal(in, "an address of 64 bits; shared memory needs 32")
	}
	if l.base != none {
		if bytes == none {
			bytes = l.base
		} else {
			bytes = l.with(language.ADD, bytes, l.base)
		}
	}
	switch {
	case bytes == none:
		return l.constant(fixed / wordBytes), nil
	case fixed != 0:
		bytes = l.with(language.ADD, bytes, l.constant(fixed))
	}
	return l.with(language.SHR, bytes, l.constant(2)), nil
}

// compare makes a predicate: true is any value but zero.
func (l *lowerer) compare(rest string, in *ptx.Instruction) error {
	if in.Destinations != 1 || len(in.Operands) != 3 {
		return l.refusal(in, "one predicate of one comparison is made")
	}
	a, err := l.source(in, &in.Operands[1])
	if err != nil {
		return err
	}
	b, err := l.source(in, &in.Operands[2])
	if err != nil {
		return err
	}
	d := in.Operands[0].Register.Index
	signed := in.Type() == ptx.S32
	switch rest {
	case "ne":
		l.emit(language.XOR, d, a, b)
	case "eq":
		l.equal(d, a, b)
	case "lt", "lo":
		l.emit(language.MV, d, l.less(a, b, signed))
	case "gt", "hi":
		l.emit(language.MV, d, l.less(b, a, signed))
	case "ge", "hs":
		l.emit(language.XOR, d, l.less(a, b, signed), l.constant(1))
	case "le", "ls":
		l.emit(language.XOR, d, l.less(b, a, signed), l.constant(1))
	default:
		return l.refusal(in, "the machine has no such comparison")
	}
	return nil
}

// equal is 1 where both are the same: of x and x-1 only zero has sign bits 0 and 1.
func (l *lowerer) equal(d, a, b int) {
	x := l.with(language.XOR, a, b)
	before := l.with(language.SUB, x, l.constant(1))
	l.emit(language.SHR, d, l.with(language.AND, before, l.with(language.NOT, x)), l.constant(31))
}

// less is 1 where a is before b. Operands of one sign have a difference that does not
// wrap; of two, the one with the sign is less if they are signed, and greater if not.
func (l *lowerer) less(a, b int, signed bool) int {
	signs := l.with(language.XOR, a, b)
	same := l.with(language.AND, l.with(language.SUB, a, b), l.with(language.NOT, signs))
	with := b
	if signed {
		with = a
	}
	return l.with(language.SHR, l.with(language.OR, same, l.with(language.AND, signs, with)), l.constant(31))
}
