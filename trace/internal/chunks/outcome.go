// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"math"
	"math/bits"

	"github.com/warptape/warptape/trace/internal/lanecode"
)

// outcome is what a trial of a stream found.
type outcome struct {
	lanes        int
	best, second float64 // bits
	choice       lanecode.Choice
}

// newOutcome summarises the trial of some choices on some runs.
func newOutcome(tried []triedChoice, runs []lanecode.Run) outcome {
	t := outcome{best: math.Inf(1), second: math.Inf(1)}
	for i := range runs {
		t.lanes += bits.OnesCount32(runs[i].Mask)
	}
	for _, x := range tried {
		if x.bits < t.best {
			t.best, t.second, t.choice = x.bits, t.best, x.choice
		} else {
			t.second = min(t.second, x.bits)
		}
	}
	return t
}

// others is what the best choice but this one takes.
func (t *outcome) others(choice lanecode.Choice) float64 {
	if choice == t.choice {
		return t.second
	}
	return t.best
}

// mark is how a choice did that took so many bits.
func (t *outcome) mark(choice lanecode.Choice, bits float64) trialMark {
	return trialMark{bits / float64(max(1, t.lanes)), bits / max(1, t.others(choice))}
}

// fits reports whether a choice that takes so many bits did as it did in the precedent.
func (t *outcome) fits(p *trialMark, choice lanecode.Choice, bits float64) bool {
	slack := float64(similarSlack * float64(t.lanes))
	return t.lanes >= similarLanes && similar(bits, p.lane*float64(t.lanes), similarTrial, slack) &&
		bits <= float64(max(1, similarBehind*p.behind)*t.others(choice))+slack
}
