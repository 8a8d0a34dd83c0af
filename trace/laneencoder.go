package trace

import (
	"encoding/binary"
)

// laneEncoder chooses how the explicit lanes of a stream are stored, and stores
// them. Every model is tried on a sample, the best ones on more of it.
type laneEncoder struct {
	model     laneModel
	units     []uint64 // of all explicit lanes
	codes     []uint64 // of the choice that was written last
	classes   []byte   // of codes
	written   laneChoice
	counted   classCounts // of codes
	packed    bitWriter
	watch     laneWatch
	addresses [warpLanes]uint64
	entropy   entropyEncoder
	symbols   symbolWriter
	patterns  patternTable
	column    []byte // under construction

	contexts [warpLanes]uint8 // of the execution at hand
}

// laneChoice is a model with what it needs to know.
type laneChoice struct {
	model     int
	companion int  // place in plan.memory
	unit      uint // bits that a companion's addresses are shifted by
	step      uint
}

// openBits packs the open bits of the codes.
func (z *laneEncoder) openBits() []byte {
	z.packed.reset()
	w := &z.packed
	pending, filled := uint64(0), uint(0)
	codes := z.codes[:len(z.classes)]
	for i, class := range z.classes {
		open := uint(laneClasses[class].open)
		v := codes[i] & laneClasses[class].mask
		pending |= v << (filled & 63)
		if filled += open; filled >= 64 {
			w.data = binary.LittleEndian.AppendUint64(w.data, pending)
			filled -= 64
			pending = v >> ((open - filled) & 63)
		}
	}
	w.pending, w.filled = pending, filled
	return w.bytes()
}

// classify keeps the codes of an execution from a place on, and counts their classes.
func (z *laneEncoder) classify(at int, mask uint32, codes *[warpLanes]uint64) (lanes int) {
	t := &z.counted
	all := t.all
	if mask == allWarpLanes {
		classes := (*[warpLanes]byte)(z.classes[at:])
		*(*[warpLanes]uint64)(z.codes[at:]) = *codes
		if isZero(codes) {
			*classes = [warpLanes]byte{}
			t.counts[0] += warpLanes
			return warpLanes
		}
		for l := 0; l < warpLanes; l += 2 {
			all |= codes[l] | codes[l+1]
			a, b := classOf(codes[l]), classOf(codes[l+1])
			classes[l], classes[l+1] = a, b
			t.counts[a]++
			t.odd[b]++
		}
		t.all = all
		return warpLanes
	}
	start := at
	for ; mask != 0; mask &= mask - 1 {
		code := codes[lane(mask)]
		class := classOf(code)
		z.codes[at], z.classes[at] = code, class
		t.counts[class]++
		all |= code
		at++
	}
	t.all = all
	return at - start
}
