package trace

import (
	"math"
	"math/bits"
)

// trials is how many executions a choice is tried on; those that come within so much
// of the best one are tried on more.
var trials = [...]struct {
	runs   int
	within float64
}{{24, 1.6}, {96, 1.25}, {512, 1.25}}

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

// tableRuns is the least number of executions that a table can learn from.
const tableRuns = 64

// chooseLanes finds the model with the smallest columns. It may be written already.
func (e *chunkEncoder) chooseLanes(c *rawChunk, memory, shift int) laneChoice {
	s := &e.streams[memory]
	mapped := e.listChoices(c, memory, shift)
	var lanes int // of the sample
	for _, trial := range trials {
		runs := min(len(s.runs), trial.runs)
		least := math.Inf(1)
		for i := range e.tried {
			t := &e.tried[i]
			t.bits = e.costOfLanes(c, s, t.choice, runs)
			least = min(least, t.bits)
		}
		e.keepBest(trial.within * least)
		if lanes = 0; runs == len(s.runs) {
			lanes = len(s.explicit)
			break
		}
		for _, run := range s.runs[:runs] {
			lanes += bits.OnesCount32(run.mask)
		}
	}
	best := e.tried[0]
	for _, t := range e.tried[1:] {
		if t.bits < clearly*best.bits {
			best = t
		}
	}
	if e.used.successors == maxSuccessorStreams || len(s.runs) <= tableRuns {
		return best.choice
	}
	return e.chooseTable(c, s, best.choice, mapped, tableGain*best.bits*float64(len(s.explicit))/float64(lanes))
}

// chooseTable tries the models with tables, which learn for long: a sample says
// nothing of them. It returns another choice if none takes fewer bits than those.
func (e *chunkEncoder) chooseTable(c *rawChunk, s *accessEncoder, other, mapped laneChoice, bits float64) laneChoice {
	for _, choice := range [...]laneChoice{{model: modelSuccessor}, mapped} {
		if choice.model == modelFixed || !e.writeLanes(c, s, choice, newPatience(len(s.runs))) {
			continue
		}
		if have := e.lanes.classBits() + e.lanes.countOpen(); have < bits {
			other, bits = choice, clearly*have
		}
	}
	return other
}

// keepBest forgets the choices that take more bits.
func (e *chunkEncoder) keepBest(bits float64) {
	kept := e.tried[:0]
	for _, t := range e.tried {
		if t.bits <= bits {
			kept = append(kept, t)
		}
	}
	e.tried = kept
}

// listChoices lists the models without a table in e.tried, and returns the one that
// maps a companion's addresses, modelFixed for none.
func (e *chunkEncoder) listChoices(c *rawChunk, memory, shift int) (mapped laneChoice) {
	s := &e.streams[memory]
	e.tried = e.tried[:0]
	step := laneStep(s.runs, e.lanes.units)
	for model := modelUniform; model < modelSuccessor; model++ {
		choice := laneChoice{model: model}
		if usesStep(model) {
			choice.step = step
		}
		e.tried = append(e.tried, triedChoice{choice: choice})
	}
	for before := 1; before <= min(companionReach, memory); before++ {
		other := memory - before
		if e.streams[other].executions() == 0 {
			continue
		}
		e.tried = append(e.tried, triedChoice{choice: laneChoice{modelCompanion, other, uint(shift), 0}})
		if len(e.streams[other].explicit) > 0 {
			e.tried = append(e.tried, triedChoice{choice: laneChoice{modelNearCompanion, other, uint(shift), 0}})
			if mapped.model == modelFixed {
				mapped = laneChoice{modelMap, other, uint(shift), 0}
			}
		}
		if unit := bits.TrailingZeros8(c.plan.kernel.Instructions[c.plan.memory[other]].LaneBytes); unit != shift && unit < 8 {
			e.tried = append(e.tried, triedChoice{choice: laneChoice{modelCompanion, other, uint(unit), 0}})
		}
	}
	return mapped
}

// costOfLanes is about how many bits a choice takes for the first runs: the
// entropy of the classes, which is what the coder comes close to, and the open bits.
func (e *chunkEncoder) costOfLanes(c *rawChunk, s *accessEncoder, choice laneChoice, runs int) float64 {
	z := &e.lanes
	clear(z.counts[:])
	e.codeLanes(c, s, choice, runs, func(_ int, mask uint32, codes *[WarpSize]uint64) bool {
		if mask == allWarpLanes {
			for _, code := range codes {
				z.counts[classOf(code)]++
			}
			return true
		}
		for ; mask != 0; mask &= mask - 1 {
			z.counts[classOf(codes[lane(mask)])]++
		}
		return true
	})
	n, cost := 0.0, z.countOpen()
	for _, count := range z.counts {
		n += float64(count)
	}
	for _, count := range z.counts {
		if count > 0 {
			cost += float64(count) * math.Log2(n/float64(count))
		}
	}
	return cost
}

// patience ends the trial of a table that has learnt from an eighth of the runs and
// knows hardly anything of the next eighth: nothing repeats. The zero value is endless.
type patience struct {
	eighth        int // runs
	lanes, missed uint64
	ended         bool
}

// hardlyAnything is one hit in so many lanes.
const hardlyAnything = 32

func newPatience(runs int) patience { return patience{eighth: runs / 8} }

// goOn is asked after every run.
func (p *patience) goOn(run int, counts *[maxLaneClass + 1]uint32) bool {
	if p.eighth == 0 || run != p.eighth && run != 2*p.eighth {
		return true
	}
	var lanes uint64
	for _, n := range counts {
		lanes += uint64(n)
	}
	missed := lanes - uint64(counts[0]) - uint64(counts[1])
	if run == p.eighth {
		p.lanes, p.missed = lanes, missed
		return true
	}
	now := lanes - p.lanes
	p.ended = hardlyAnything*(now-(missed-p.missed)) < now
	return !p.ended
}
