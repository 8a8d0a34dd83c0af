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
	counts    [maxLaneClass + 1]uint32 // of the codes' classes
	classBits float64                  // entropy of the classes
	openBits  float64
	packed    bitWriter
	units     []uint64 // of all explicit lanes
	watch     laneWatch
	addresses [WarpSize]uint64
	run       [WarpSize]uint64 // codes of one execution
	entropy   entropyEncoder
	patterns  [1 << patternTableBits]int32
	entropic  []byte // the classes, coded
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

// clearly is how much shorter than the models tried before it a model must be.
const clearly = 0.99

// tableGain is how much shorter than all others a model with a table must be, for
// its memory.
const tableGain = 0.9

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
	if usesTable(choice.model) {
		e.successorStreams++
	}
	e.writeLanes(c, s, choice)
	dst = appendNumber(dst, fieldLaneModel, uint64(choice.model))
	z.entropic = z.entropy.append(z.entropic[:0], z.codes.classes, &z.counts)
	if patternBits(z.codes.classes, z.classBits/float64(len(z.codes.classes)), &z.patterns) < patternGain*float64(8*len(z.entropic)) {
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

// chooseLanes finds the model with the smallest columns.
func (e *chunkEncoder) chooseLanes(c *rawChunk, memory, shift, width int) laneChoice {
	s := &e.streams[memory]
	sample := min(len(s.runs), sampleRuns)
	best, least := laneChoice{model: modelUniform}, math.Inf(1)
	try := func(choice laneChoice) {
		if bits := e.costOfLanes(c, s, choice, sample, clearly*least); bits < clearly*least {
			best, least = choice, bits
		}
	}
	for model := modelUniform; model < modelSuccessor; model++ {
		try(laneChoice{model: model})
	}
	var mapped laneChoice
	for before := 1; before <= min(companionReach, memory); before++ {
		other := memory - before
		if e.streams[other].executions() == 0 {
			continue
		}
		try(laneChoice{modelCompanion, other, uint(shift)})
		if mapped.model == modelFixed && len(e.streams[other].explicit) > 0 {
			mapped = laneChoice{modelMap, other, uint(shift)}
		}
		if unit := bits.TrailingZeros8(c.plan.kernel.Instructions[c.plan.memory[other]].LaneBytes); unit != shift && unit < 8 {
			try(laneChoice{modelCompanion, other, uint(unit)})
		}
	}
	// A table learns for long: the sample says nothing of it.
	sample = len(s.runs)
	chosen := best
	least = math.Inf(1)
	try(chosen)
	if e.successorStreams < maxSuccessorStreams && len(s.runs) > sampleRuns/8 {
		least *= tableGain
		try(laneChoice{model: modelSuccessor})
		if mapped.model == modelMap {
			try(mapped)
		}
	}
	if !usesTable(best.model) && float64(width*len(s.explicit)) <= worthIt*least {
		return laneChoice{model: modelFixed}
	}
	return best
}

// costOfLanes is about how many bits a choice takes for the first runs: the
// entropy of the classes, which is what the compressor comes close to, and the
// open bits. Nothing is written for it. When the open bits alone reach enough, it
// gives up and says so many.
func (e *chunkEncoder) costOfLanes(c *rawChunk, s *accessEncoder, choice laneChoice, runs int, enough float64) float64 {
	z := &e.lanes
	clear(z.counts[:])
	open := uint64(0)
	e.codeLanes(c, s, choice, runs, func(codes []uint64) bool {
		for _, code := range codes {
			class, n := laneClass(code)
			z.counts[class]++
			open += uint64(n)
		}
		return float64(open) < enough
	})
	if float64(open) >= enough {
		return float64(open)
	}
	z.sumCounts()
	return z.classBits + z.openBits
}

// sumCounts computes the entropy of the classes counted, and their open bits.
func (z *laneEncoder) sumCounts() {
	var n float64
	for _, count := range z.counts {
		n += float64(count)
	}
	z.classBits, z.openBits = 0, 0
	for class, count := range z.counts {
		if count > 0 {
			_, open := laneCode(byte(class))
			z.classBits += float64(count) * math.Log2(n/float64(count))
			z.openBits += float64(count) * float64(open)
		}
	}
}

// writeLanes codes all runs of a stream.
func (e *chunkEncoder) writeLanes(c *rawChunk, s *accessEncoder, choice laneChoice) {
	z := &e.lanes
	z.codes.reset()
	e.codeLanes(c, s, choice, len(s.runs), func(codes []uint64) bool {
		for _, code := range codes {
			z.codes.put(code)
		}
		return true
	})
	clear(z.counts[:])
	for _, class := range z.codes.classes {
		z.counts[class]++
	}
	z.sumCounts()
}

// codeLanes codes the first runs of a stream and gives each one's codes to take,
// until that wants no more.
func (e *chunkEncoder) codeLanes(c *rawChunk, s *accessEncoder, choice laneChoice, runs int, take func(codes []uint64) bool) {
	z := &e.lanes
	z.model.start(choice.model, len(z.units))
	z.watch.warp = -1
	var before []int32 // positions of the companion that are not noted
	if usesCompanion(choice.model) {
		before = e.streams[choice.companion].positions
	}
	units := z.units
	for i := range s.runs[:runs] {
		run := &s.runs[i]
		z.model.begin(int(run.warp))
		if usesCompanion(choice.model) {
			before = e.noteCompanion(c, before, run)
			z.model.meet(&z.watch, int(run.warp), choice.unit)
		}
		n := bits.OnesCount32(run.mask)
		z.model.codeRun(run.mask, units, &z.run)
		if !take(z.run[:n]) {
			return
		}
		units = units[n:]
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
				z.watch.note(int(run.warp), a.mask, &c.lanes[a.lanes])
			} else {
				expand(&z.addresses, a.base, a.stride)
				z.watch.note(int(run.warp), a.mask, &z.addresses)
			}
		}
		positions = positions[1:]
	}
	return positions
}
