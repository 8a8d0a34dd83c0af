// SPDX-License-Identifier: Apache-2.0

package lanevector

import (
	"math/bits"

	"google.golang.org/protobuf/encoding/protowire"
)

func zigzagFrom(v, p *[Lanes]uint64, fraction uint) {
	for l := range v {
		v[l] = protowire.EncodeZigZag(int64(v[l] - p[l]>>(fraction&63)))
	}
}

func zigzagAlong(v *[Lanes]uint64, before uint64) {
	for l, units := range v {
		v[l] = protowire.EncodeZigZag(int64(units - before))
		before = units
	}
}

func changed(last, units *[Lanes]uint64) (all uint64) {
	for l, u := range units {
		all |= last[l] ^ u
	}
	*last = *units
	return all
}

func sameDistance(v, addresses *[Lanes]uint64, unit uint, distance uint64) uint64 {
	for l, address := range addresses {
		units, other := v[l], address>>(unit&63)
		v[l] = units + 1
		if units-other == distance {
			v[l] = 0
		}
		distance = units - other
	}
	return distance
}

func nearDistance(v, addresses *[Lanes]uint64, unit uint, distance uint64) uint64 {
	for l, address := range addresses {
		now := v[l] - address>>(unit&63)
		v[l] = protowire.EncodeZigZag(int64(now - distance))
		distance = now
	}
	return distance
}

func moveMeans(means, units *[Lanes]uint64, fraction, part uint) {
	whole := int64(1) << (part & 63)
	for l := range units {
		means[l] += uint64(int64(units[l]<<(fraction&63)-means[l]) / whole)
	}
}

func shiftEach(v []uint64, shift uint) {
	for i := range v {
		v[i] >>= shift & 63
	}
}

func place(to, offsets *[Lanes]uint64, base uint64) (all uint64) {
	for l, offset := range offsets {
		to[l] = base + offset
		all |= base + offset
	}
	return all
}

func placeStride(to *[Lanes]uint64, base, stride uint64) {
	for l := range to {
		to[l] = base
		base += stride
	}
}

func extend(offsets *[Lanes]uint64, base, low, high uint64) (lowest, highest uint64) {
	for _, offset := range offsets {
		low, high = min(low, base+offset), max(high, base+offset)
	}
	return low, high
}

func classify(classes *[Lanes]byte, codes *[Lanes]uint64) (all uint64) {
	for l, code := range codes {
		classes[l] = ClassOf(code)
		all |= code
	}
	return all
}

func contexts(to, classes *[Lanes]byte) {
	for l, class := range classes {
		to[l] = ContextOf(class)
	}
}

// ContextOf is the context of the class after a class of the same lane: the class itself up to ExactClasses, and
// above that one for four classes, up to 15.
func ContextOf(class byte) byte { return min(class, class/4+6, 15) }

// ExactClasses is the number of codes that are their own class. Those above have the bit
// length and the two bits after the leading one: 8 + 4*(length-4) + those two bits.
const ExactClasses = 8

// ClassOf is the class of a code. Codes below ExactClasses need no branch, which a
// processor would have to guess: they are as if they had three bits.
func ClassOf(code uint64) byte {
	open := bits.Len64(code|ExactClasses/2) - 3
	return byte(4*open + int(code>>(open&63)))
}
