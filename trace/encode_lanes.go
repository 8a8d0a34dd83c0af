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
	model      laneModel
	codes      laneCodeWriter
	counts     [maxLaneClass + 1]uint32
	openBits   float64 // of the last cost
	packed     bitWriter
	units      []uint64 // of all explicit lanes
	companions []int32  // per run: the companion's place in rawChunk.accesses, -1 without
	addresses  [WarpSize]uint64
	entropy    entropyEncoder
	patterns   [1 << patternTableBits]int32
	coded      []byte
}

// laneChoice is a model with its companion.
type laneChoice struct {
	model     int
	companion int  // place in plan.memory
	unit      uint // bits that a companion's addresses are shifted by
}

// sampleRuns is how many executions a model is tried on.
const sampleRuns = 512

// companionReach is how many memory instructions before (in the instruction table)
// are tried as a companion.
const companionReach = 8

// worthIt is how much longer fixed widths must be than what a model promises.
const worthIt = 1.02

// patternGain is how much shorter than coded classes plain ones must look.
const patternGain = 0.85

// fewLanes is the number of values that no model can shorten by much.
const fewLanes = 64

// appendLanes appends the fields of the explicit lanes of a stream.
func (e *chunkEncoder) appendLanes(dst []byte, c *rawChunk, memory int) []byte {
	s, z := &e.streams[memory], &e.lanes
	shift, width := s.laneUnits()
	z.units = z.units[:0]
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
	if choice.model == modelSuccessor {
		e.successorStreams++
	}
	bits := e.costOfLanes(c, s, choice, len(s.runs)) - z.openBits
	dst = appendNumber(dst, fieldLaneModel, uint64(choice.model))
	z.coded = z.entropy.append(z.coded[:0], z.codes.classes, &z.counts)
	if patternBits(z.codes.classes, bits/float64(len(z.codes.classes)), &z.patterns) < patternGain*float64(8*len(z.coded)) {
		dst = appendColumn(dst, fieldLaneClass, z.codes.classes)
	} else {
		dst = appendColumn(dst, fieldLaneCoded, z.coded)
	}
	dst = appendColumn(dst, fieldLaneOpen, z.codes.open.bytes())
	if choice.model == modelCompanion {
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

// chooseLanes finds the model with the smallest columns.
func (e *chunkEncoder) chooseLanes(c *rawChunk, memory, shift, width int) laneChoice {
	s := &e.streams[memory]
	sample := min(len(s.runs), sampleRuns)
	best, least := laneChoice{model: modelUniform}, math.Inf(1)
	try := func(choice laneChoice) {
		if bits := e.costOfLanes(c, s, choice, sample); bits < least {
			best, least = choice, bits
		}
	}
	for model := modelUniform; model < modelSuccessor; model++ {
		try(laneChoice{model: model})
	}
	for before := 1; before <= min(companionReach, memory); before++ {
		other := memory - before
		if e.streams[other].executions() == 0 {
			continue
		}
		try(laneChoice{modelCompanion, other, uint(shift)})
		if unit := bits.TrailingZeros8(c.plan.kernel.Instructions[c.plan.memory[other]].LaneBytes); unit != shift && unit < 8 {
			try(laneChoice{modelCompanion, other, uint(unit)})
		}
	}
	// A table learns for long: the sample says nothing of it.
	least = e.costOfLanes(c, s, best, len(s.runs))
	if e.successorStreams < maxSuccessorStreams && len(s.runs) > sampleRuns/8 {
		if bits := e.costOfLanes(c, s, laneChoice{model: modelSuccessor}, len(s.runs)); bits < least {
			best, least = laneChoice{model: modelSuccessor}, bits
		}
	}
	if float64(width*len(s.explicit)) <= worthIt*least {
		return laneChoice{model: modelFixed}
	}
	return best
}

// costOfLanes is about how many bits a choice takes for the first runs: the
// entropy of the classes, which is what the compressor comes close to, and the
// open bits.
func (e *chunkEncoder) costOfLanes(c *rawChunk, s *accessEncoder, choice laneChoice, runs int) float64 {
	z := &e.lanes
	e.codeLanes(c, s, choice, runs)
	clear(z.counts[:])
	for _, class := range z.codes.classes {
		z.counts[class]++
	}
	bits := 0.0
	z.openBits = 0
	n := float64(len(z.codes.classes))
	for class, count := range z.counts {
		if count > 0 {
			_, open := laneCode(byte(class))
			bits += float64(count) * math.Log2(n/float64(count))
			z.openBits += float64(count) * float64(open)
		}
	}
	return bits + z.openBits
}

// codeLanes codes the first runs of a stream.
func (e *chunkEncoder) codeLanes(c *rawChunk, s *accessEncoder, choice laneChoice, runs int) {
	z := &e.lanes
	z.codes.reset()
	z.model.start(choice.model)
	if choice.model == modelCompanion {
		e.findCompanions(&e.streams[choice.companion], s.runs[:runs])
	}
	units := z.units
	for i := range s.runs[:runs] {
		run := &s.runs[i]
		z.model.begin(int(run.warp))
		if choice.model == modelCompanion {
			z.model.known, z.model.companion = z.companion(c, i, choice.unit)
		}
		for m := run.mask; m != 0; m &= m - 1 {
			z.codes.put(z.model.code(bits.TrailingZeros32(m), units[0]))
			units = units[1:]
		}
	}
}

// findCompanions finds for every run the nearest earlier execution of another
// stream in the same warp. Both lists ascend.
func (e *chunkEncoder) findCompanions(other *accessEncoder, runs []laneRun) {
	z := &e.lanes
	z.companions = z.companions[:0]
	next := 0
	for i := range runs {
		for next < len(other.positions) && other.positions[next] < runs[i].position {
			next++
		}
		if next > 0 && other.positions[next-1] >= e.warpStart[runs[i].warp] {
			z.companions = append(z.companions, other.positions[next-1])
		} else {
			z.companions = append(z.companions, -1)
		}
	}
}

// companion returns the addresses of the companion of a run in units.
func (z *laneEncoder) companion(c *rawChunk, run int, unit uint) (known uint32, addresses *[WarpSize]uint64) {
	if z.companions[run] < 0 {
		return 0, &z.addresses
	}
	a := &c.accesses[z.companions[run]]
	if a.lanes >= 0 {
		z.addresses = c.lanes[a.lanes]
	} else {
		expand(&z.addresses, a.base, a.stride)
	}
	for l := range z.addresses {
		z.addresses[l] >>= unit
	}
	return a.mask, &z.addresses
}
