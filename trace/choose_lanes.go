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
}{{12, 1.8}, {96, 1.25}, {384, 1.25}}

// trialSlack is by how many bits a choice may be longer whatever the best one takes: a
// few lanes that happen to be as predicted say little.
const trialSlack = 256

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

// tableLaneBits is what a lane must take without a table, in bits: a table that knows
// which of two units follow still takes most of a bit.
const tableLaneBits = 0.7

// tableRuns is the least number of executions that a table can learn from.
const tableRuns = 64

// sampled is what the first executions of a stream tell.
type sampled struct {
	best  triedChoice
	lanes int  // that best.bits are for
	shift uint // of the units
}

// chooseLanes finds the model with the smallest columns. It may be written already.
func (e *chunkEncoder) chooseLanes(c *rawChunk, memory, shift int) laneChoice {
	s := &e.streams[memory]
	mapped := e.listChoices(c, memory, shift)
	if e.known.lanes == 0 || e.known.shift != uint(shift) || e.known.best.choice.step > 0 {
		e.known = e.sample(c, s, uint(shift))
	}
	best, lanes := e.known.best, e.known.lanes
	if e.used.successors == maxSuccessorStreams || len(s.runs) <= tableRuns || best.bits < tableLaneBits*float64(lanes) {
		return best.choice
	}
	return e.chooseTable(c, s, best.choice, mapped, tableGain*best.bits*float64(len(s.explicit))/float64(lanes))
}

// sample tries the listed choices on the first executions.
func (e *chunkEncoder) sample(c *rawChunk, s *accessEncoder, shift uint) sampled {
	lanes := 0
	for _, trial := range trials {
		runs := min(len(s.runs), trial.runs)
		least := math.Inf(1)
		for i := range e.tried {
			t := &e.tried[i]
			t.bits = e.costOfLanes(c, s, t.choice, runs)
			least = min(least, t.bits)
		}
		e.keepBest(trial.within*least + trialSlack)
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
	return sampled{best, lanes, shift}
}

// chooseTable tries the models with tables, which learn for long: a sample says
// nothing of them. It returns another choice if none takes fewer bits than those.
func (e *chunkEncoder) chooseTable(c *rawChunk, s *accessEncoder, other, mapped laneChoice, bits float64) laneChoice {
	for _, choice := range [...]laneChoice{{model: modelSuccessor}, mapped} {
		if choice.model == modelFixed || !e.writeLanes(c, s, choice, newPatience(len(s.runs), bits)) {
			continue
		}
		if have := countedBits(&e.lanes.counts); have < bits {
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
	return countedBits(&z.counts)
}

// countedBits is the entropy of counted classes, and their open bits.
func countedBits(counts *[maxLaneClass + 1]uint32) (bits float64) {
	n := 0.0
	for _, count := range counts {
		n += float64(count)
	}
	for class, count := range counts {
		if count > 0 {
			bits += float64(count) * (math.Log2(n/float64(count)) + float64(laneClasses[class].open))
		}
	}
	return bits
}

// patience ends the trial of a table that has learnt from an eighth of the runs and
// does not promise to win by what it knows of the next eighth. The zero value is
// endless.
type patience struct {
	eighth int     // runs
	most   float64 // bits that all runs may take
	before [maxLaneClass + 1]uint32
	ended  bool
}

// stillLearning is how many times its share of the bits the second eighth may take.
const stillLearning = 1.4

func newPatience(runs int, most float64) patience { return patience{eighth: runs / 8, most: most} }

// goOn is asked after every run.
func (p *patience) goOn(run int, counts *[maxLaneClass + 1]uint32) bool {
	if p.eighth == 0 || run != p.eighth && run != 2*p.eighth {
		return true
	}
	if run == p.eighth {
		p.before = *counts
		return true
	}
	var now [maxLaneClass + 1]uint32
	for class, n := range counts {
		now[class] = n - p.before[class]
	}
	p.ended = countedBits(&now) > stillLearning*p.most/8
	return !p.ended
}
