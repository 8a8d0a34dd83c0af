// SPDX-License-Identifier: Apache-2.0

package chunks

import "github.com/warptape/warptape/trace/internal/lanecode"

// Streams resemble each other. An instruction does in one chunk what it did in the last,
// and in a loop that a compiler unrolled each copy does what the others do. So a stream
// takes over how such a one was stored, if its first executions say that it is the same.
// What they take tells most of what all trials would.

// precedent is how the explicit lanes of a stream were stored, and what was known of
// them. The zero value is none.
type precedent struct {
	memory int // place in Plan.Memory
	choice lanecode.Choice
	runs   int // that the choice was made for

	trials    [2]trialMark
	tableLane float64 // bits of a lane with the table, of all runs

	packing       lanePacking
	lanes         int     // that it was chosen for
	classes, open float64 // bits of a lane

	dense densePrecedent
}

// densePrecedent is which form a stream had that was tried in both.
type densePrecedent struct {
	clear, won bool // whether one form was clearly smaller, and whether it was the dense one
	executions int
	lane       float64 // bits of the columns other than those of explicit lanes, for each of these
}

// trialMark is how the choice did in one of the trials; in place of one with a table the
// best choice without.
type trialMark struct {
	lane   float64 // bits of a lane
	behind float64 // how many times what the best other choice took
}

// What may differ between a stream and its precedent.
const (
	similarTrial   = 1.12 // in bits of a trial, which is short
	similarBehind  = 1.04
	similarSlack   = 0.02 // bits of a lane
	similarPacking = 1.05
	similarSide    = 1.25
	clearForm      = 1.1
	similarLength  = 2 // in executions or lanes
)

// similarLanes is the least number of lanes of a trial that tells enough.
const similarLanes = 4 * lanecode.WarpLanes

// similar reports whether two numbers differ by no more than a factor, and a slack.
func similar(a, b, factor, slack float64) bool {
	slack = float64(slack) // a product where it is inlined
	return a <= float64(factor*b)+slack && b <= float64(factor*a)+slack
}

// longer reports whether there is so much more than in the precedent that what learns
// for long may be worth it now.
func longer(n, before int) bool { return n > similarLength*before }

// absolute is the precedent's choice for another stream, whose companion is as far
// away. False where there is none.
func (p *precedent) absolute(memory int) (choice lanecode.Choice, ok bool) {
	choice = p.choice
	if lanecode.UsesCompanion(choice.Model) {
		choice.Companion += memory - p.memory
	}
	return choice, choice.Companion >= 0 && choice.Model != lanecode.ModelFixed
}

// fits reports whether what is known of a stream is as in the precedent.
func (p *densePrecedent) fits(executions int, lane float64) bool {
	return p.clear && similar(lane, p.lane, similarSide, 0) && !longer(executions, p.executions) && !longer(p.executions, executions)
}

// set makes the precedent that of a choice without a table.
func (p *precedent) set(memory, runs int, known *sampled) {
	*p = precedent{memory: memory, choice: known.best.choice, runs: runs, dense: p.dense}
	for i := range p.trials {
		p.trials[i] = known.trials[i].mark(p.choice, known.best.before[i])
	}
}

// setTable makes the precedent that of a choice with a table.
func (p *precedent) setTable(choice lanecode.Choice, lane float64, known *sampled) {
	p.choice, p.tableLane = choice, lane
	for i := range p.trials {
		t := &known.trials[i]
		p.trials[i] = t.mark(t.choice, t.best)
	}
}
