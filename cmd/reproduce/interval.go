// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"math"
	"slices"
)

// interval is how wide the band of a row is because its values are estimated from
// samples. It is half of the 95 % confidence interval of its workload's cycles, the
// widest of all architectures. A mean has the root of the sum of the squares, over
// their number; a row that is neither the widest of all. Runs on two architectures
// replay the same sample, so that their ratio is surer than that: it is a bound.
func (t *Table) interval(row string) Band {
	if len(t.intervals) == 0 {
		return 0
	}
	if v, ok := t.intervals[row]; ok {
		return v
	}
	i := slices.IndexFunc(t.Values, func(r Row) bool { return r.Label == row })
	if i >= 0 && len(t.Values[i].Of) > 0 {
		sum := 0.0
		for _, label := range t.Values[i].Of {
			sum += math.Pow(float64(t.intervals[label]), 2)
		}
		return Band(math.Sqrt(sum) / float64(len(t.Values[i].Of)))
	}
	widest := Band(0)
	for _, v := range t.intervals {
		widest = widest.with(v)
	}
	return widest
}

// intervals are those of the workloads of results that are estimates; nil when none
// is.
func (r *Results) intervals() map[string]Band {
	if !r.sampled() {
		return nil
	}
	m := map[string]Band{}
	for i := range r.Measurements {
		of := &r.Measurements[i]
		own := Band(0)
		if of.Sampled != nil {
			own = Band(of.Sampled.PlusMinusPercent / 100)
		}
		m[of.Workload] = m[of.Workload].with(own)
	}
	return m
}
