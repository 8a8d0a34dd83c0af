package trace

import (
	"math"
	"math/bits"
)

// firstRuns is how many executions all models are tried on, and sampleRuns those
// that come within finalists of the best one then.
const (
	firstRuns  = 96
	sampleRuns = 512
	finalists  = 1.25
)

// triedChoice is a choice and about how many bits it takes for a sample.
type triedChoice struct {
	choice laneChoice
	bits   float64
}

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

// chooseLanes finds the model with the smallest columns.
func (e *chunkEncoder) chooseLanes(c *rawChunk, memory, shift, width int) laneChoice {
	s := &e.streams[memory]
	sample := min(len(s.runs), firstRuns)
	best, least := laneChoice{model: modelUniform}, math.Inf(1)
	tried := e.lanes.tried[:0]
	try := func(choice laneChoice) {
		bits := e.costOfLanes(c, s, choice, sample)
		if tried = append(tried, triedChoice{choice, bits}); bits < clearly*least {
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
	if e.lanes.tried = tried; len(s.runs) > sample {
		sample = min(len(s.runs), sampleRuns)
		worst := finalists * least
		least, tried = math.Inf(1), nil
		for _, t := range e.lanes.tried {
			if t.bits <= worst {
				try(t.choice)
			}
		}
	}
	// A table learns for long: the sample says nothing of it.
	sample = len(s.runs)
	e.writeLanes(c, s, best)
	classes, open := e.lanes.bits()
	least = classes + open
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
// entropy of the classes, which is what the coder comes close to, and the open bits.
func (e *chunkEncoder) costOfLanes(c *rawChunk, s *accessEncoder, choice laneChoice, runs int) float64 {
	z := &e.lanes
	clear(z.counts[:])
	patience := newPatience(choice.model, runs)
	e.codeLanes(c, s, choice, runs, func(run int, mask uint32, codes *[WarpSize]uint64) bool {
		for ; mask != 0; mask &= mask - 1 {
			class, _ := laneClass(codes[lane(mask)])
			z.counts[class]++
		}
		return patience.goOn(run, &z.counts)
	})
	if patience.ended {
		return math.Inf(1)
	}
	classes, open := z.bits()
	return classes + open
}

// patience ends the trial of a table that has learnt from a quarter of the runs and
// knows hardly anything of the next quarter: nothing repeats.
type patience struct {
	quarter       int // runs, 0 for a model without a table
	lanes, missed uint64
	ended         bool
}

// hardlyAnything is one hit in so many lanes.
const hardlyAnything = 16

func newPatience(model, runs int) patience {
	if !usesTable(model) {
		return patience{}
	}
	return patience{quarter: runs / 4}
}

// goOn is asked after every run.
func (p *patience) goOn(run int, counts *[maxLaneClass + 1]uint32) bool {
	if p.quarter == 0 || run != p.quarter && run != 2*p.quarter {
		return true
	}
	var lanes uint64
	for _, n := range counts {
		lanes += uint64(n)
	}
	missed := lanes - uint64(counts[0]) - uint64(counts[1])
	if run == p.quarter {
		p.lanes, p.missed = lanes, missed
		return true
	}
	now := lanes - p.lanes
	p.ended = hardlyAnything*(now-(missed-p.missed)) < now
	return !p.ended
}
