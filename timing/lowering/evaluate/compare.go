// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"cmp"
	"math"

	"github.com/warptape/warptape/trace"
)

// order is how two values lie to each other.
type order uint8

const (
	less order = iota
	equal
	greater
	unordered // one of them is not a number
)

// comparisons are the orders for which each comparison holds (PTX ISA, "Comparison and Selection
// Instructions").
var comparisons = map[string][4]bool{
	"eq": {equal: true}, "ne": {less: true, greater: true},
	"lt": {less: true}, "le": {less: true, equal: true}, "gt": {greater: true}, "ge": {equal: true, greater: true},
	"lo": {less: true}, "ls": {less: true, equal: true}, "hi": {greater: true}, "hs": {equal: true, greater: true},
	"equ": {equal: true, unordered: true}, "neu": {less: true, greater: true, unordered: true},
	"ltu": {less: true, unordered: true}, "leu": {less: true, equal: true, unordered: true},
	"gtu": {greater: true, unordered: true}, "geu": {equal: true, greater: true, unordered: true},
	"num": {less: true, equal: true, greater: true}, "nan": {unordered: true},
}

// compared computes what a setp writes, and reports whether it is one of single values.
func compared(in *trace.Instruction, a []value, draw uint64, out []value) bool {
	if in.Opcode != "setp" || len(in.Modifiers) == 0 || len(in.Types) != 1 || len(a) < 2 || len(out) == 0 || len(out) > 2 {
		return false
	}
	holding, known := comparisons[in.Modifiers[0]]
	o, ordered := orderOf(in.Types[0], a[0], a[1], draw)
	if !known || !ordered {
		return false
	}
	for n := range out {
		v := value{unknown: a[0].unknown || a[1].unknown}
		if holding[o] != (n == 1) { // the second result is the opposite
			v.bits[0] = 1
		}
		if len(a) > 2 && len(in.Modifiers) > 1 {
			v = combination(in.Modifiers[1], v, a[2])
		}
		out[n] = v
	}
	return true
}

// combination is a comparison's result with the predicate that a setp takes in.
func combination(by string, v, p value) value {
	unknown := v.unknown || p.unknown
	x, y := v.bits[0]&1, p.bits[0]&1
	switch by {
	case "and":
		x &= y
	case "or":
		x |= y
	case "xor":
		x ^= y
	}
	return value{bits: [2]uint64{x, 0}, unknown: unknown}
}

// orderOf is the order of two values of a type; false for pairs of halves and other types.
func orderOf(t string, a, b value, draw uint64) (order, bool) {
	width := map[string]uint{"16": 16, "32": 32, "64": 64}[t[1:]]
	if width == 0 {
		return 0, false
	}
	x, y := a.bits[0]<<(64-width)>>(64-width), b.bits[0]<<(64-width)>>(64-width)
	switch t[0] {
	case 'f':
		p, q := floatFor(x, width, draw), floatFor(y, width, draw)
		if p != p || q != q {
			return unordered, true
		}
		return order(1 + cmp.Compare(p, q)), true
	case 's':
		return order(1 + cmp.Compare(int64(integerFor(x, width, draw)), int64(integerFor(y, width, draw)))), true
	case 'u', 'b':
		return order(1 + cmp.Compare(integerFor(x, width, draw)<<(64-width), integerFor(y, width, draw)<<(64-width))), true
	}
	return 0, false
}

// near bounds the integers that are compared as they are.
const near = 4096

// integerFor is the integer that is compared in a value's place, with its sign extended. Small ones are
// themselves, as bounds and steps are. What functions without an interpretation give is large: another one is
// drawn for it, so that all outcomes are met.
func integerFor(x uint64, width uint, draw uint64) uint64 {
	x = uint64(int64(x<<(64-width)) >> (64 - width))
	if int64(x) >= -near && int64(x) < near {
		return x
	}
	x = uint64(drawnInteger(spread(x ^ draw)))
	return uint64(int64(x<<(64-width)) >> (64 - width))
}

// drawnInteger is an integer of random bits: often small, and negative half the time.
func drawnInteger(h uint64) int64 {
	x := int64(h >> 16 & (1<<[...]uint{0, 1, 2, 3, 6, 10, 31, 31}[h&7] - 1))
	if h>>3&1 == 0 {
		return -x
	}
	return x
}

// floatFor is the number that is compared in a floating-point value's place. Those with short fractions are
// themselves, as constants are; one is drawn for others.
func floatFor(x uint64, width uint, draw uint64) float64 {
	switch {
	case width == 64 && uint32(x) == 0:
		return math.Float64frombits(x)
	case width == 32 && uint16(x) == 0:
		return float64(math.Float32frombits(uint32(x)))
	}
	h := spread(x ^ draw)
	if h>>4&7 == 0 {
		return math.NaN()
	}
	return float64(drawnInteger(h))
}

// spread makes another number of one: each bit depends on all of its bits (Steele, Lea, Flood, "Fast
// Splittable Pseudorandom Number Generators", OOPSLA 2014).
func spread(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
