package trace

import (
	"math"
	"math/bits"
)

// laneRun is one execution with explicit lanes.
type laneRun struct {
	position int32 // in rawChunk.accesses
	warp     int32
	mask     uint32
}

// laneEncoder chooses how the explicit lanes of a stream are stored, and stores
// them. Every model is tried on a sample, the best ones on everything.
type laneEncoder struct {
	model     laneModel
	codes     laneCodeWriter
	written   laneChoice               // what codes are of, for all runs
	counts    [maxLaneClass + 1]uint32 // of the codes' classes
	packed    bitWriter
	units     []uint64 // of all explicit lanes
	watch     laneWatch
	addresses [WarpSize]uint64
	entropy   entropyEncoder
	patterns  [1 << patternTableBits]int32
	entropic  []byte // the classes, coded
	tried     []triedChoice
}

// laneChoice is a model with its companion.
type laneChoice struct {
	model     int
	companion int  // place in plan.memory
	unit      uint // bits that a companion's addresses are shifted by
}

// patternGain is how much shorter than coded classes plain ones must look.
const patternGain = 0.85

// fewLanes is the number of values that no model can shorten by much.
const fewLanes = 64

// appendLanes appends the fields of the explicit lanes of a stream.
func (e *chunkEncoder) appendLanes(dst []byte, c *rawChunk, memory int) []byte {
	s, z := &e.streams[memory], &e.lanes
	shift, width := s.laneUnits()
	z.units, z.written = z.units[:0], laneChoice{}
	for _, v := range s.explicit {
		z.units = append(z.units, (v-s.low)>>shift)
	}
	choice := laneChoice{model: modelFixed}
	if len(s.explicit) >= fewLanes && width < 64 {
		choice = e.chooseLanes(c, memory, shift, width)
	}
	dst = appendNumber(dst, fieldLaneMinimum, s.low)
	dst = appendNumber(dst, fieldLaneShift, uint64(shift))
	if choice.model == modelFixed {
		z.packed.reset()
		for _, u := range z.units {
			z.packed.put(u, uint(width))
		}
		dst = appendNumber(dst, fieldLaneBits, uint64(width))
		dst = appendNumber(dst, fieldLaneCount, uint64(len(z.units)))
		return appendColumn(dst, fieldLanes, z.packed.bytes())
	}
	if usesTable(choice.model) {
		e.successorStreams++
	}
	if z.written != choice {
		e.writeLanes(c, s, choice)
	} else {
		z.countWritten()
	}
	dst = appendNumber(dst, fieldLaneModel, uint64(choice.model))
	z.entropic = z.entropy.append(z.entropic[:0], z.codes.classes, &z.counts)
	classBits, _ := z.bits()
	if patternBits(z.codes.classes, classBits/float64(len(z.codes.classes)), &z.patterns) < patternGain*float64(8*len(z.entropic)) {
		dst = appendColumn(dst, fieldLaneClass, z.codes.classes)
	} else {
		dst = appendColumn(dst, fieldLaneCoded, z.entropic)
	}
	dst = appendColumn(dst, fieldLaneOpen, z.codes.open.bytes())
	if usesCompanion(choice.model) {
		dst = appendNumber(dst, fieldCompanion, uint64(c.plan.memory[choice.companion]))
		dst = appendNumber(dst, fieldCompanionUnit, uint64(choice.unit))
	}
	return dst
}

// laneUnits is the largest shift that loses nothing of the explicit lanes less
// their minimum, and the bits of the largest value then.
func (s *accessEncoder) laneUnits() (shift, width int) {
	var all uint64
	for _, v := range s.explicit {
		all |= v - s.low
	}
	shift = bits.TrailingZeros64(all) & 63
	return shift, bits.Len64(all >> shift)
}

// bits is the entropy of the counted classes, and their open bits.
func (z *laneEncoder) bits() (classes, open float64) {
	n := 0.0
	for _, count := range z.counts {
		n += float64(count)
	}
	for class, count := range z.counts {
		if count > 0 {
			_, width := laneCode(byte(class))
			classes += float64(count) * math.Log2(n/float64(count))
			open += float64(count) * float64(width)
		}
	}
	return classes, open
}

// writeLanes codes all runs, and counts their classes.
func (e *chunkEncoder) writeLanes(c *rawChunk, s *accessEncoder, choice laneChoice) {
	z := &e.lanes
	z.codes.reset()
	z.written = choice
	e.codeLanes(c, s, choice, len(s.runs), func(_ int, mask uint32, codes *[WarpSize]uint64) bool {
		for ; mask != 0; mask &= mask - 1 {
			z.codes.put(codes[lane(mask)])
		}
		return true
	})
	z.countWritten()
}

// countWritten counts the classes of the codes that are written.
func (z *laneEncoder) countWritten() {
	clear(z.counts[:])
	for _, class := range z.codes.classes {
		z.counts[class]++
	}
}

// codeLanes gives the codes of the first runs of a stream, one run after the other,
// until emit returns false.
func (e *chunkEncoder) codeLanes(c *rawChunk, s *accessEncoder, choice laneChoice, runs int, emit func(run int, mask uint32, codes *[WarpSize]uint64) bool) {
	z := &e.lanes
	z.model.start(choice.model, len(z.units), &z.watch, choice.unit)
	z.watch.warp = -1
	var before []int32 // positions of the companion that are not noted
	if usesCompanion(choice.model) {
		before = e.streams[choice.companion].positions
	}
	units := z.units
	var codes [WarpSize]uint64
	for i := range s.runs[:runs] {
		run := &s.runs[i]
		if usesCompanion(choice.model) {
			before = e.noteCompanion(c, before, run)
		}
		for m := run.mask; m != 0; m &= m - 1 {
			codes[lane(m)] = units[0]
			units = units[1:]
		}
		z.model.codes(int(run.warp), run.mask, &codes)
		if !emit(i, run.mask, &codes) {
			return
		}
	}
}

// noteCompanion notes the executions of a companion in the warp of a run and before
// it, and returns the positions after them. Both lists ascend.
func (e *chunkEncoder) noteCompanion(c *rawChunk, positions []int32, run *laneRun) []int32 {
	z := &e.lanes
	for len(positions) > 0 && positions[0] < run.position {
		if positions[0] >= e.warpStart[run.warp] {
			a := &c.accesses[positions[0]]
			if a.lanes >= 0 {
				placePattern(&z.addresses, a.base, &c.lanes[a.lanes])
			} else {
				expand(&z.addresses, a.base, a.stride)
			}
			z.watch.note(int(run.warp), a.mask, &z.addresses)
		}
		positions = positions[1:]
	}
	return positions
}
