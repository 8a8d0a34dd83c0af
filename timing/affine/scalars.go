// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"math/bits"
	"slices"

	"github.com/warptape/warptape/trace"
)

// maxSources is the most sources of an operation: bfi, lop3 and their like have four.
const maxSources = 4

// ofSecond is the width of a source that is read by the second type.
const ofSecond = 255

// lanesOperation is an integer operation that the lanes do on scalars whatever it is. A
// scalar takes every lane as a warp's value does (section 4.4); only tuples with offsets
// do not have it.
type lanesOperation struct {
	sources int
	// widths is how wide each source is read when it is not as wide as the type: 32 for
	// positions, lengths and counts of threads' words.
	widths [maxSources]uint8
	// second says that it has a second type, that of the sources whose width is ofSecond.
	second bool
	// result is the width of the destination when it is not the type's.
	result uint8
	// modifiers are those that the operation has; it must have one of them when bare is
	// false.
	modifiers []string
	bare      bool
	// compute gets the sources as they are read: sign-extended of signed types.
	compute func(o *operation, v *[maxSources]int64) int64
}

// lanesOperations are they, by mnemonic (PTX ISA, integer arithmetic, logic and shift,
// and data movement).
var lanesOperations = map[string]*lanesOperation{
	"mul":   {sources: 2, modifiers: []string{"hi"}, compute: func(o *operation, v *[maxSources]int64) int64 { return o.high(v[0], v[1]) }},
	"mad":   {sources: 3, modifiers: []string{"hi"}, compute: func(o *operation, v *[maxSources]int64) int64 { return o.high(v[0], v[1]) + v[2] }},
	"mul24": {sources: 2, modifiers: []string{"lo", "hi"}, compute: func(o *operation, v *[maxSources]int64) int64 { return o.product24(v[0], v[1]) }},
	"mad24": {sources: 3, modifiers: []string{"lo", "hi"}, compute: func(o *operation, v *[maxSources]int64) int64 { return o.product24(v[0], v[1]) + v[2] }},
	"sad":   {sources: 3, bare: true, compute: func(o *operation, v *[maxSources]int64) int64 { return o.difference(v[0], v[1]) + v[2] }},
	"cnot":  {sources: 1, bare: true, compute: func(_ *operation, v *[maxSources]int64) int64 { return boolean(v[0] == 0) }},
	"popc":  {sources: 1, bare: true, result: 32, compute: func(_ *operation, v *[maxSources]int64) int64 { return int64(bits.OnesCount64(uint64(v[0]))) }},
	"clz": {sources: 1, bare: true, result: 32, compute: func(o *operation, v *[maxSources]int64) int64 {
		return int64(bits.LeadingZeros64(uint64(v[0])) - (64 - int(o.bits)))
	}},
	"brev": {sources: 1, bare: true, compute: func(o *operation, v *[maxSources]int64) int64 {
		return int64(bits.Reverse64(uint64(v[0])) >> (64 - o.bits))
	}},
	"bfind": {sources: 1, bare: true, modifiers: []string{"shiftamt"}, result: 32, compute: (*operation).highestBit},
	"bfe":   {sources: 3, bare: true, widths: [maxSources]uint8{1: 32, 2: 32}, compute: (*operation).extract},
	"bfi":   {sources: 4, bare: true, widths: [maxSources]uint8{2: 32, 3: 32}, compute: (*operation).insert},
	"prmt":  {sources: 3, bare: true, modifiers: []string{"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}, compute: (*operation).permute},
	"shf":   {sources: 3, modifiers: []string{"l", "r", "clamp", "wrap"}, compute: (*operation).funnel},
	"lop3":  {sources: 4, bare: true, modifiers: []string{"b32"}, compute: (*operation).lookUp},
	"szext": {sources: 2, modifiers: []string{"clamp", "wrap"}, compute: (*operation).extendFrom},
	"bmsk":  {sources: 2, modifiers: []string{"clamp", "wrap"}, compute: (*operation).fieldMask},
	"slct": {sources: 3, bare: true, second: true, widths: [maxSources]uint8{2: ofSecond}, compute: func(_ *operation, v *[maxSources]int64) int64 {
		if v[2] >= 0 {
			return v[0]
		}
		return v[1]
	}},
	"set": {
		sources: 2, second: true, widths: [maxSources]uint8{ofSecond, ofSecond}, modifiers: []string{"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"},
		compute: func(o *operation, v *[maxSources]int64) int64 { return -boolean(o.holds(v[0], v[1])) },
	},
	"dp4a": {sources: 3, bare: true, second: true, compute: func(o *operation, v *[maxSources]int64) int64 { return v[2] + o.dot(v[0], v[1], 8, 0) }},
	"dp2a": {sources: 3, second: true, modifiers: []string{"lo", "hi"}, compute: func(o *operation, v *[maxSources]int64) int64 {
		first := 0
		if o.has("hi") {
			first = 2
		}
		return v[2] + o.dot(v[0], v[1], 16, first)
	}},
}

// decodeLanes decodes an operation of scalars alone; false when it is none.
func decodeLanes(in *trace.Instruction) (operation, bool) {
	known, ok := lanesOperations[in.Opcode]
	if !ok || len(in.Modifiers) == 0 && !known.bare || !plain(in, known.sources) {
		return operation{}, false
	}
	o := operation{code: codeLanes, lanes: known, modifiers: in.Modifiers}
	types := 1
	if known.second {
		types = 2
		if o.from, o.fromSigned, ok = integerType(in.Types, 1); !ok {
			return operation{}, false
		}
	}
	if o.bits, o.signed, ok = integerType(in.Types, 0); !ok || len(in.Types) > types {
		return operation{}, false
	}
	for _, m := range in.Modifiers {
		if !slices.Contains(known.modifiers, m) {
			return operation{}, false
		}
	}
	return o, true
}

// onLanes executes it; false when a source is no scalar.
func (o *operation) onLanes(t *[maxSources]Tuple, e *extent) (Tuple, bool) {
	known := o.lanes
	var v [maxSources]int64
	var out Tuple
	for k := range known.sources {
		if !t[k].scalar() || t[k].Symbol != 0 {
			return Tuple{}, false
		}
		out.Wrapped = out.Wrapped || t[k].Wrapped
		width, signed := o.bits, o.signed
		switch w := known.widths[k]; w {
		case 0:
		case ofSecond:
			width, signed = o.from, o.fromSigned
		default:
			width, signed = w, false
		}
		v[k] = t[k].read(width, signed, e).Base
	}
	out.Base = known.compute(o, &v)
	width := o.bits
	if known.result != 0 {
		width = known.result
	}
	return out.wrap(width), true
}

func (o *operation) has(modifier string) bool { return slices.Contains(o.modifiers, modifier) }

func boolean(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// holds is the comparison of a set.
func (o *operation) holds(a, b int64) bool {
	less := a < b
	if !o.fromSigned {
		less = uint64(a) < uint64(b)
	}
	switch o.modifiers[0] {
	case "eq":
		return a == b
	case "ne":
		return a != b
	case "lt", "lo":
		return less
	case "le", "ls":
		return less || a == b
	case "gt", "hi":
		return !less && a != b
	}
	return !less
}

// dot is the sum of products of the parts of a, so many bits each, and the bytes of b from the
// first on.
func (o *operation) dot(a, b int64, size, first int) int64 {
	sum := int64(0)
	for i := range 32 / size {
		x := extend(a>>(i*size), uint8(size), o.signed)
		sum += x * extend(b>>(8*(first+i)), 8, o.fromSigned)
	}
	return sum
}

// high is the upper half of a product.
func (o *operation) high(a, b int64) int64 {
	if o.bits < 64 {
		return a * b >> o.bits
	}
	high, _ := bits.Mul64(uint64(a), uint64(b))
	if !o.signed {
		return int64(high)
	}
	if a < 0 {
		high -= uint64(b)
	}
	if b < 0 {
		high -= uint64(a)
	}
	return int64(high)
}

// product24 is the lower 32 bits of the 48 of a product of 24-bit numbers, or the upper ones.
func (o *operation) product24(a, b int64) int64 {
	p := extend(a, 24, o.signed) * extend(b, 24, o.signed)
	if o.has("hi") {
		return p >> 16
	}
	return p
}

func (o *operation) difference(a, b int64) int64 {
	if o.signed && a < b || !o.signed && uint64(a) < uint64(b) {
		return b - a
	}
	return a - b
}

// highestBit is bfind: of a negative number that of its complement; all ones for none.
func (o *operation) highestBit(v *[maxSources]int64) int64 {
	a := v[0]
	if o.signed && a < 0 {
		a = ^a
	}
	n := bits.Len64(uint64(a))
	switch {
	case n == 0:
		return -1
	case o.has("shiftamt"):
		return int64(int(o.bits) - n)
	}
	return int64(n - 1)
}

// extract is bfe: a field, extended by its highest bit, or by the value's where the
// field reaches beyond it.
func (o *operation) extract(v *[maxSources]int64) int64 {
	at, n := v[1]&0xff, v[2]&0xff
	if n == 0 {
		return 0
	}
	if !o.signed {
		if at >= int64(o.bits) {
			return 0
		}
		out := uint64(v[0]) >> at
		if n < 64 {
			out &= 1<<n - 1
		}
		return int64(out)
	}
	out := v[0] >> min(at, 63) // sign-extended: what lies beyond are copies of the sign
	if n < 64 && at+n <= int64(o.bits) {
		out = signExtend(out, uint8(n))
	}
	return out
}

// insert is bfi: a into a field of b.
func (o *operation) insert(v *[maxSources]int64) int64 {
	at, n := v[2]&0xff, v[3]&0xff
	if at >= int64(o.bits) {
		return v[1]
	}
	mask := ^uint64(0)
	if n < 64 {
		mask = 1<<n - 1
	}
	mask <<= at
	return int64(uint64(v[0])<<at&mask | uint64(v[1])&^mask)
}

// permute is prmt: each byte of the result is one of the eight of b:a, or its sign.
func (o *operation) permute(v *[maxSources]int64) int64 {
	both := uint64(v[1])<<32 | uint64(v[0])&0xffffffff
	out := uint64(0)
	for i := range int64(4) {
		pick := v[2] >> (4 * i) & 0xf
		if len(o.modifiers) > 0 {
			pick = picked(o.modifiers[0], i, v[2]&3)
		}
		b := both >> (8 * (pick & 7)) & 0xff
		if pick&8 != 0 {
			b = uint64(int8(b)>>7) & 0xff
		}
		out |= b << (8 * i)
	}
	return int64(out)
}

// picked is the byte that a mode of prmt takes for byte i (PTX ISA, table of prmt's modes).
func picked(mode string, i, by int64) int64 {
	switch mode {
	case "f4e":
		return by + i
	case "b4e":
		return (by - i) & 7
	case "rc8":
		return by
	case "ecl":
		return max(i, by)
	case "ecr":
		return min(i, by)
	}
	return by&1<<1 | i&1 // rc16
}

// funnel is shf: a word of the two, behind a shift of both.
func (o *operation) funnel(v *[maxSources]int64) int64 {
	both, n := uint64(v[1])<<32|uint64(v[0])&0xffffffff, uint64(v[2])&0xffffffff
	if o.has("clamp") {
		n = min(n, 32)
	} else {
		n &= 31
	}
	if o.has("l") {
		return int64(both << n >> 32)
	}
	return int64(both >> n)
}

// lookUp is lop3: each bit by a table of eight.
func (o *operation) lookUp(v *[maxSources]int64) int64 {
	out := int64(0)
	for i := range 8 {
		if v[3]>>i&1 == 0 {
			continue
		}
		term := int64(-1)
		for k, x := range v[:3] {
			if i>>(2-k)&1 == 0 {
				x = ^x
			}
			term &= x
		}
		out |= term
	}
	return out
}

// extendFrom is szext: the lowest bits, extended.
func (o *operation) extendFrom(v *[maxSources]int64) int64 {
	n := v[1] & 0xffffffff
	if o.has("wrap") {
		n &= 31
	}
	switch {
	case n >= 32:
		return v[0]
	case n == 0:
		return 0
	}
	return extend(v[0], uint8(n), o.signed)
}

// fieldMask is bmsk: so many ones from a place on.
func (o *operation) fieldMask(v *[maxSources]int64) int64 {
	at, n := uint64(v[0])&0xffffffff, uint64(v[1])&0xffffffff
	if o.has("wrap") {
		at, n = at&31, n&31
	}
	if at >= 32 {
		return 0
	}
	return int64((uint64(1)<<min(n, 32) - 1) << at)
}
