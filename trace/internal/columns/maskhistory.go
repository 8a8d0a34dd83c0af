// SPDX-License-Identifier: Apache-2.0

package columns

import (
	"math"
	"math/bits"
)

// The codes of a mask column: see Masks in wtape.proto.
const (
	MaskSame = iota
	maskSecond
	maskThird
	maskFourth
	maskSecondWithoutFirst
	MaskSubset
	maskAny
	maskWithoutOne
	maskOnlyOne
)

// maskHistory lists recently used distinct masks of a sequence, most recent first.
type maskHistory [4]uint32

func NewMaskHistory() maskHistory { return maskHistory{math.MaxUint32} }

// Use moves the mask to the front.
func (h *maskHistory) Use(mask uint32) {
	for i := range h {
		if h[i] == mask || i == len(h)-1 {
			copy(h[1:i+1], h[:i])
			h[0] = mask
			return
		}
	}
}

// Code returns the first code that yields the mask, and the value for codes that
// have one.
func (h *maskHistory) Code(mask uint32) (code int, value uint32) {
	for i, m := range h {
		if m == mask {
			return i, 0
		}
	}
	switch rest := h[0] &^ mask; {
	case mask == h[1]&^h[0]:
		return maskSecondWithoutFirst, 0
	case mask&^h[0] != 0:
	case rest&(rest-1) == 0:
		return maskWithoutOne, rankOf(rest, h[0])
	case mask&(mask-1) == 0:
		return maskOnlyOne, rankOf(mask, h[0])
	default:
		return MaskSubset, gatherBits(mask, h[0])
	}
	return maskAny, mask
}

// rankOf is how many lanes of mask are below the one lane.
func rankOf(lane, mask uint32) uint32 { return uint32(bits.OnesCount32(mask & (lane - 1))) }

// The codes of a guard column: see Guards in wtape.proto.
const (
	GuardAll = iota
	GuardNone
	GuardAsBefore
	GuardNotAsBefore
	GuardSubset
)

// GuardCode is the first code that yields guard under the active mask, where
// before is the guard mask before it.
func GuardCode(guard, active, before uint32) (code int, value uint32) {
	switch guard {
	case active:
		return GuardAll, 0
	case 0:
		return GuardNone, 0
	case before & active:
		return GuardAsBefore, 0
	case active &^ before:
		return GuardNotAsBefore, 0
	}
	return GuardSubset, gatherBits(guard, active)
}

func (h *maskHistory) Decode(code uint64, values *Reader) (mask uint32, ok bool) {
	switch code {
	case maskSecond, maskThird, maskFourth:
		return h[code], true
	case maskSecondWithoutFirst:
		return h[1] &^ h[0], true
	case MaskSubset:
		return ScatterBits(uint32(values.Uvarint()), h[0]), true
	case maskWithoutOne:
		lane := laneOfRank(values.Uvarint(), h[0])
		return h[0] &^ lane, lane != 0
	case maskOnlyOne:
		lane := laneOfRank(values.Uvarint(), h[0])
		return lane, lane != 0
	case maskAny:
		v := values.Uvarint()
		return uint32(v), v <= math.MaxUint32
	}
	return 0, false
}

// laneOfRank is the inverse of rankOf, zero where the mask has no such lane.
func laneOfRank(rank uint64, mask uint32) uint32 {
	if rank >= uint64(bits.OnesCount32(mask)) {
		return 0
	}
	return ScatterBits(1<<rank, mask)
}
