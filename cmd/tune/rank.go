// SPDX-License-Identifier: Apache-2.0

package tune

import (
	"slices"
	"strings"
)

// Ranking is variants in the order of their expected times.
type Ranking struct {
	// Order has those that run, the best first; Refused those that do not, in the order
	// in which they were asked for.
	Order   []Ranked
	Refused []Outcome
	// Evidence is what is known of the model's order of such variants.
	Evidence Evidence
}

// Ranked is a variant in its place.
type Ranked struct {
	Outcome
	// Ratio is its time over that of the best.
	Ratio float64
	// Tied says that the sample does not tell it from the best: the intervals overlap.
	Tied bool
	// Sure is the share of pairs of measured variants that far apart in the model whose
	// order was the model's; NaN where nothing was measured.
	Sure float64
}

// Rank orders outcomes; evidence is what measurements say of the model.
func Rank(outcomes []Outcome, e Evidence) Ranking {
	r := Ranking{Evidence: e}
	for i := range outcomes {
		if outcomes[i].Refused != nil {
			r.Refused = append(r.Refused, outcomes[i])
			continue
		}
		r.Order = append(r.Order, Ranked{Outcome: outcomes[i]})
	}
	slices.SortStableFunc(r.Order, func(a, b Ranked) int {
		switch {
		case a.Nanoseconds < b.Nanoseconds:
			return -1
		case a.Nanoseconds > b.Nanoseconds:
			return 1
		}
		return 0
	})
	for i := range r.Order {
		v, best := &r.Order[i], &r.Order[0]
		v.Ratio = v.Nanoseconds / best.Nanoseconds
		v.Tied = i > 0 && v.Low <= best.High
		v.Sure = e.Sure(v.Ratio)
	}
	return r
}

// Reasons groups the refused variants by what the refusal says, the most frequent first.
func (r *Ranking) Reasons() []Reason {
	var list []Reason
	for i := range r.Refused {
		text := r.Refused[i].Refused.Error()
		if line, _, more := strings.Cut(text, "\n"); more {
			text = line
		}
		at := slices.IndexFunc(list, func(k Reason) bool { return k.Text == text })
		if at < 0 {
			at = len(list)
			list = append(list, Reason{Text: text, First: r.Refused[i].Set})
		}
		list[at].Count++
	}
	slices.SortStableFunc(list, func(a, b Reason) int { return b.Count - a.Count })
	return list
}

// Reason is why some variants are refused; First is one of them.
type Reason struct {
	Text  string
	Count int
	First map[string]string
}
