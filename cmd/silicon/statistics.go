// SPDX-License-Identifier: Apache-2.0

package silicon

import (
	"math"
	"slices"

	"github.com/warptape/warptape/cmd/correlate"
)

// Statistics compare a model's times with measured ones.
type Statistics struct {
	Rows, Refused int
	// Error is the mean of |ours/measured - 1| in percent, Scaled the same after one
	// factor for all rows, the geometric mean of measured/ours, which is Factor.
	Error, Scaled, Factor float64
	Spearman              float64
	// Best is the share, in percent, of the variants that the model has before the one
	// that was measured as the best. Regret is what the model's choice is slower than
	// that one, as measured, in percent.
	Best, Regret float64
}

// whole has the rows that every model predicts.
func (f *Found) whole() *Found {
	w := new(Found)
	for i := range f.Spaces {
		of := f.Spaces[i]
		of.Rows = slices.DeleteFunc(slices.Clone(of.Rows), func(r FoundRow) bool { return len(r.Models) < len(Models) })
		w.Spaces = append(w.Spaces, of)
	}
	return w
}

// part has the rows of a space for which keep says so.
func (f *Found) part(s *Space, keep func(n int, r *Row) bool) *Found {
	of := f.of(s.Card, s.Workload)
	if of == nil {
		return new(Found)
	}
	p := *of
	p.Rows = slices.DeleteFunc(slices.Clone(of.Rows), func(r FoundRow) bool { return r.Row >= len(s.Rows) || !keep(r.Row, &s.Rows[r.Row]) })
	return &Found{Spaces: []FoundSpace{p}}
}

// statistics of a space in a model.
func (f *Found) statistics(s *Space, model string) Statistics {
	pairs := f.pairs(s, model)
	st := Statistics{Rows: len(pairs)}
	if of := f.of(s.Card, s.Workload); of != nil {
		for i := range of.Rows {
			if of.Rows[i].Models[model].Refused != "" {
				st.Refused++
			}
		}
	}
	if len(pairs) < 3 {
		return st
	}
	var ours, measured []float64
	logs := 0.0
	for _, p := range pairs {
		ours, measured = append(ours, p.Ours), append(measured, p.Measured)
		logs += math.Log(p.Measured / p.Ours)
	}
	st.Factor = math.Exp(logs / float64(len(pairs)))
	for i := range ours {
		st.Error += 100 * math.Abs(ours[i]/measured[i]-1) / float64(len(ours))
		st.Scaled += 100 * math.Abs(float64(ours[i]*st.Factor)/measured[i]-1) / float64(len(ours))
	}
	st.Spearman = correlate.Spearman(ours, measured)
	best, choice := slices.Index(measured, slices.Min(measured)), slices.Index(ours, slices.Min(ours))
	for i := range ours {
		if ours[i] < ours[best] {
			st.Best += 100 / float64(len(ours))
		}
	}
	st.Regret = 100 * (measured[choice]/measured[best] - 1)
	return st
}
