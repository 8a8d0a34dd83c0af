package trace

import (
	"math"
	"math/bits"
)

// The codes of a mask column: see Masks in wtape.proto.
const (
	maskSame = iota
	maskSecond
	maskThird
	maskFourth
	maskSecondWithoutFirst
	maskSubset
	maskAny
	maskWithoutOne
	maskOnlyOne
)

// maskHistory lists recently used distinct masks of a sequence, most recent first.
type maskHistory [4]uint32

func newMaskHistory() maskHistory { return maskHistory{math.MaxUint32} }

// use moves the mask to the front.
func (h *maskHistory) use(mask uint32) {
	for i := range h {
		if h[i] == mask || i == len(h)-1 {
			copy(h[1:i+1], h[:i])
			h[0] = mask
			return
		}
	}
}

// code returns the first code that yields the mask, and the value for codes that
// have one.
func (h *maskHistory) code(mask uint32) (code int, value uint32) {
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
		return maskSubset, gatherBits(mask, h[0])
	}
	return maskAny, mask
}

// rankOf is how many lanes of mask are below the one lane.
func rankOf(lane, mask uint32) uint32 { return uint32(bits.OnesCount32(mask & (lane - 1))) }

// The codes of a guard column: see Guards in wtape.proto.
const (
	guardAll = iota
	guardNone
	guardAsBefore
	guardNotAsBefore
	guardSubset
)

// guardCode is the first code that yields guard under the active mask, where
// before is the guard mask before it.
func guardCode(guard, active, before uint32) (code int, value uint32) {
	switch guard {
	case active:
		return guardAll, 0
	case 0:
		return guardNone, 0
	case before & active:
		return guardAsBefore, 0
	case active &^ before:
		return guardNotAsBefore, 0
	}
	return guardSubset, gatherBits(guard, active)
}

func (h *maskHistory) decode(code uint64, values *column) (mask uint32, ok bool) {
	switch code {
	case maskSecond, maskThird, maskFourth:
		return h[code], true
	case maskSecondWithoutFirst:
		return h[1] &^ h[0], true
	case maskSubset:
		return scatterBits(uint32(values.uvarint()), h[0]), true
	case maskWithoutOne:
		lane := laneOfRank(values.uvarint(), h[0])
		return h[0] &^ lane, lane != 0
	case maskOnlyOne:
		lane := laneOfRank(values.uvarint(), h[0])
		return lane, lane != 0
	case maskAny:
		v := values.uvarint()
		return uint32(v), v <= math.MaxUint32
	}
	return 0, false
}

// laneOfRank is the inverse of rankOf, zero where the mask has no such lane.
func laneOfRank(rank uint64, mask uint32) uint32 {
	if rank >= uint64(bits.OnesCount32(mask)) {
		return 0
	}
	return scatterBits(1<<rank, mask)
}
