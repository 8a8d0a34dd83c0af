// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"math"
	"math/bits"

	"github.com/warptape/warptape/trace/internal/lanecode"
)

// trials is how many executions a choice is tried on; those that come within so much
// of the best one are tried on more.
var trials = [...]struct {
	runs   int
	within float64
}{{12, 1.5}, {96, 1.06}, {384, 1}}

// trialSlack is by how many bits a choice may be longer whatever the best one takes: a
// few lanes that happen to be as predicted say little.
const trialSlack = 256

// triedChoice is a choice and about how many bits it takes for a sample.
type triedChoice struct {
	choice lanecode.Choice
	bits   float64
	before [2]float64 // of the first trials
}

// companionReach is how many memory instructions before (in the instruction table)
// are tried as a companion.
const companionReach = 8

// companionGain is how much shorter than without a model a companion must be once it
// was tried on more than a few executions.
const companionGain = 0.99

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

	trials  [2]outcome // the first ones
	follows *precedent // nil for none
}

// chooseLanes finds the model with the smallest columns. It may be written already.
func (e *Encoder) chooseLanes(c *Raw, memory, shift int) lanecode.Choice {
	mapped := e.listChoices(c, memory, shift)
	if e.known.lanes == 0 || e.known.shift != uint(shift) || e.known.best.choice.Step > 0 {
		e.known = e.sample(c, memory, uint(shift), true)
	}
	if e.takeOver(c, memory) {
		return e.precedents[memory].choice
	}
	s, now := &e.streams[memory], &e.precedents[memory]
	best, lanes := e.known.best, e.known.lanes
	now.set(memory, len(s.runs), &e.known)
	if e.used.successors == lanecode.MaxSuccessorStreams || len(s.runs) <= tableRuns || best.bits < tableLaneBits*float64(lanes) {
		return now.choice
	}
	e.chooseTable(c, s, now, mapped, tableGain*best.bits*float64(s.explicit)/float64(lanes))
	return now.choice
}

// sample tries the listed choices on the first executions, unless it may follow a
// precedent that these fit.
func (e *Encoder) sample(c *Raw, memory int, shift uint, follow bool) sampled {
	s := &e.streams[memory]
	now := sampled{shift: shift}
	for i, trial := range trials {
		runs := min(len(s.runs), trial.runs)
		for k := range e.tried {
			t := &e.tried[k]
			t.bits = e.costOfLanes(c, s, t.choice, runs)
			if i < len(t.before) {
				t.before[i] = t.bits
			}
		}
		have := newOutcome(e.tried, s.runs[:runs])
		now.lanes = have.lanes
		if i < len(now.trials) {
			now.trials[i] = have
			if follow && runs < len(s.runs) {
				if now.follows, now.best = e.follow(c, memory, i, &have); now.follows != nil {
					return now
				}
			}
		}
		most := math.Inf(1)
		if first := e.tried[0]; trial.runs >= tableRuns && first.choice.Model == lanecode.ModelUniform {
			most = companionGain * first.bits
		}
		e.keepBest(float64(trial.within*have.best)+trialSlack, most)
		if runs == len(s.runs) {
			break
		}
	}
	now.best = e.tried[0]
	for _, t := range e.tried[1:] {
		if t.bits < clearly*now.best.bits {
			now.best = t
		}
	}
	return now
}

// chooseTable tries the models with tables, which learn for long: a sample says
// nothing of them. It changes the choice if one takes fewer bits than those.
func (e *Encoder) chooseTable(c *Raw, s *accessEncoder, now *precedent, mapped lanecode.Choice, bits float64) {
	for _, choice := range [...]lanecode.Choice{{Model: lanecode.ModelSuccessor}, mapped} {
		if choice.Model == lanecode.ModelFixed || !e.writeLanes(c, s, choice, newPatience(len(s.runs), bits)) {
			continue
		}
		if have := lanecode.CountedBits(e.lanes.Counted.Used()); have < bits {
			now.setTable(choice, have/float64(s.explicit), &e.known)
			bits = clearly * have
		}
	}
}

// bestOfOthers is the choice with the fewest bits that is no companion, or the first one
// where all are.
func bestOfOthers(tried []triedChoice) triedChoice {
	best := tried[0]
	for _, t := range tried[1:] {
		if t.choice.Model != lanecode.ModelCompanion && (best.choice.Model == lanecode.ModelCompanion || t.bits < best.bits) {
			best = t
		}
	}
	return best
}

// keepBest forgets the choices that take more bits, and the companions that do not know
// enough. A lane that one does not know costs what it costs without a model, which is
// the first choice.
func (e *Encoder) keepBest(bits, companion float64) {
	kept := e.tried[:0]
	for _, t := range e.tried {
		if t.bits <= bits && (t.choice.Model != lanecode.ModelCompanion || t.bits <= companion) {
			kept = append(kept, t)
		}
	}
	if len(kept) == 0 {
		// The least was a companion that does not know enough, and the rest are too far
		// from it. Nothing has been overwritten.
		kept = append(kept, bestOfOthers(e.tried))
	}
	e.tried = kept
}

// listChoices lists the models without a table in e.tried, and returns the one that
// maps a companion's addresses, ModelFixed for none.
func (e *Encoder) listChoices(c *Raw, memory, shift int) (mapped lanecode.Choice) {
	s := &e.streams[memory]
	e.tried = e.tried[:0]
	step := lanecode.Step(s.runs, e.lanes.Units)
	for model := lanecode.ModelUniform; model < lanecode.ModelSuccessor; model++ {
		choice := lanecode.Choice{Model: model}
		if lanecode.UsesStep(model) {
			choice.Step = step
		}
		e.tried = append(e.tried, triedChoice{choice: choice})
	}
	for before := 1; before <= min(companionReach, memory); before++ {
		other := memory - before
		if e.streams[other].executions() == 0 {
			continue
		}
		e.tried = append(e.tried, triedChoice{choice: lanecode.Choice{Model: lanecode.ModelCompanion, Companion: other, Unit: uint(shift)}})
		if e.streams[other].explicit > 0 {
			e.tried = append(e.tried, triedChoice{choice: lanecode.Choice{Model: lanecode.ModelNearCompanion, Companion: other, Unit: uint(shift)}})
			if mapped.Model == lanecode.ModelFixed {
				mapped = lanecode.Choice{Model: lanecode.ModelMap, Companion: other, Unit: uint(shift)}
			}
		}
		if unit := bits.TrailingZeros8(c.plan.laneBytes[other]); unit != shift && unit < 8 {
			e.tried = append(e.tried, triedChoice{choice: lanecode.Choice{Model: lanecode.ModelCompanion, Companion: other, Unit: uint(unit)}})
		}
	}
	return mapped
}

// costOfLanes is about how many bits a choice takes for the first runs: the
// entropy of the classes, which is what the coder comes close to, and the open bits.
func (e *Encoder) costOfLanes(c *Raw, s *accessEncoder, choice lanecode.Choice, runs int) float64 {
	t := &e.lanes.Counted
	t.Reset()
	e.codeLanes(c, s, choice, runs, func(_ int, mask uint32, codes *[lanecode.WarpLanes]uint64) bool {
		t.Add(mask, codes)
		return true
	})
	t.AddOdd()
	return lanecode.CountedBits(t.Used())
}

// patience ends the trial of a table that has learnt from a quarter of the runs and does
// not promise to win. Its second eighth takes too much, and so does all if it goes on to
// learn as fast as from the first eighth to the second. The zero value is endless.
type patience struct {
	eighth int     // runs
	most   float64 // bits that all runs may take
	before [lanecode.MaxClass + 1]uint32
	ended  bool
}

// chance is how much more than it may the extrapolation may promise.
const chance = 1.05

func newPatience(runs int, most float64) patience { return patience{eighth: runs / 8, most: most} }

// asks reports whether a run is one after which goOn is asked.
func (p *patience) asks(run int) bool {
	return p.eighth > 0 && (run == p.eighth || run == 2*p.eighth)
}

// goOn tells, after two of the runs, whether the trial should go on.
func (p *patience) goOn(run int, counts []uint32) bool {
	if run == p.eighth {
		copy(p.before[:], counts)
		return true
	}
	var now [lanecode.MaxClass + 1]uint32
	for class, n := range counts {
		now[class] = n - p.before[class]
	}
	p.ended = hopeless(lanecode.CountedBits(p.before[:len(counts)]), lanecode.CountedBits(now[:len(counts)]), p.most)
	return !p.ended
}

// hopeless reports whether a table that took so much for two eighths will take more than
// it may.
func hopeless(first, second, most float64) bool {
	return second > most/8 && promised(first, second) > chance*most
}

// promised is what all eighths take if each takes less than the one before by as much
// as the second than the first.
func promised(first, second float64) float64 {
	all, gain := first, max(0, first-second)
	for range 7 {
		all += second
		second = max(0, second-gain)
	}
	return all
}
