// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"math"
)

// Band is the dead band of a comparison: a difference of at most that part of the
// value it is compared with is no effect.
type Band float64

// DeadBand is the least band. Replays repeat to the bit, so that what is left of
// equal runs is the rounding of quotients, 1e-16. The band is far wider. Half a
// percent is a third of the least effect that a paper states for its mechanism (Buddy
// SM section 6.5: 98.5 %). The texts have three digits.
const DeadBand Band = 0.005

// change is the difference of a value from a reference in parts of a scale, exactly
// zero within the band.
func (b Band) change(v, reference, scale float64) float64 {
	c := (v - reference) / math.Abs(scale)
	// Rounding puts a value on the band's edge to either side of it.
	if math.Abs(c) <= float64(b)+rounding {
		return 0
	}
	return c
}

// rounding is more than what a few quotients of doubles lose.
const rounding = 1e-9

// with is the wider of two bands.
func (b Band) with(other Band) Band { return max(b, other) }

// Outcome is what becomes of a claim.
type Outcome int

// The outcomes.
const (
	NoValue        Outcome = iota // there is nothing to compare
	NoEffect                      // within the dead band of what has no effect
	Unsure                        // beyond it, within the interval of an estimate
	SameDirection                 // the claim has no degree, and the direction is the same
	OtherDirection                // the effect is the opposite
	AsSaid                        // within the numbers that the claim is read as
	LessThanSaid                  // the direction of the claim, and not its degree
	MoreThanSaid
	NotAsSaid
	AtTheLimit // within the dead band of a limit
	OfEffect   // a number: Detail compares both effects
	InputOnly  // fed from the paper's own number
	NotShown   // the program cannot show it
)

var outcomeWords = [...]string{
	NoValue: "no value", NoEffect: "no effect", Unsure: "within the interval of the estimate", SameDirection: "same direction", OtherDirection: "other direction", AsSaid: "as said",
	LessThanSaid: "same direction, less than said", MoreThanSaid: "same direction, more than said", NotAsSaid: "not as said",
	AtTheLimit: "at the limit", OfEffect: "", InputOnly: "input, not result", NotShown: "cannot be shown",
}

// String is the outcome as tables show it.
func (o Outcome) String() string { return outcomeWords[o] }

// Verdict is an outcome with its figures.
type Verdict struct {
	Outcome Outcome
	Detail  string
	// Ratio is our effect over the published one, of a claim that states a number.
	Ratio float64
}

// String is the verdict as tables show it.
func (v Verdict) String() string {
	switch {
	case v.Detail == "":
		return v.Outcome.String()
	case v.Outcome == OfEffect:
		return v.Detail
	}
	return v.Outcome.String() + ": " + v.Detail
}

// percentOf writes a relative change.
func percentOf(change float64) string { return fmt.Sprintf("%+.1f %%", 100*change) }
