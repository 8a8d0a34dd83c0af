// SPDX-License-Identifier: Apache-2.0

package organisation

import (
	"cmp"
	"math"
	"slices"
)

// slack is the share by which rounding may lift a bound above the cost that it bounds. Both are sums of some
// hundred terms, none of them negative, so rounding moves them by less than 1e-13 of themselves.
const slack = 1e-9

// atLeast is a bound without what rounding adds to it.
func atLeast(bound float64) float64 { return bound * (1 - slack) }

func accessOf(b *built) float64 { return b.access }
func readOf(b *built) float64   { return b.read }
func cycleOf(b *built) float64  { return b.cycle }

// visit shows candidates in ascending order of their families' bounds of a cost. It leaves out what cannot
// cost as little as the limit, which may fall on the way, and makes no member of a family that is left out.
func (w *workshop) visit(order []int, cost func(*built) float64, limit *float64, see func(*candidate)) {
	for _, n := range order {
		f := &w.families[n]
		if atLeast(cost(&f.bound)) > *limit {
			break
		}
		w.make(f)
		for i := range f.members {
			if c := &f.members[i]; !(atLeast(cost(&c.costs)) > *limit) {
				see(c)
			}
		}
	}
}

// ascending are the numbers of the families in the order of a bound; equal ones stay in theirs.
func ascending(families []family, cost func(*built) float64) []int {
	costs, order := make([]float64, len(families)), make([]int, len(families))
	for i := range families {
		costs[i], order[i] = cost(&families[i].bound), i
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(costs[i], costs[k]) })
	return order
}

// tolerance tells costs that lie further above the lowest of all candidates than a share of it. What it has
// found out about the lowest it keeps, and it rarely needs to know it.
type tolerance struct {
	*workshop
	cost  func(*built) float64
	order []int // of families by their bounds of the cost
	share float64
	known float64 // a candidate costs as little
	none  float64 // no candidate costs less
}

func (w *workshop) tolerates(cost func(*built) float64, share float64) *tolerance {
	return &tolerance{workshop: w, cost: cost, order: ascending(w.families, cost), share: share, known: math.Inf(1)}
}

// exceededBy looks for a candidate that makes v too large, among those that may.
func (t *tolerance) exceededBy(v float64) bool {
	above := func(least float64) bool { return (v-least)/least > t.share }
	least := v / (1 + t.share) * (1 + slack)
	if above(t.known) || least <= t.none {
		return above(t.known)
	}
	limit := least
	t.visit(t.order, t.cost, &limit, func(c *candidate) {
		t.known = min(t.known, t.cost(t.built(c)))
		if above(t.known) {
			limit = math.Inf(-1)
		}
	})
	if above(t.known) {
		return true
	}
	t.none = least
	return false
}

// cheapest chooses the data with the least energy times squared delay, of equal ones the first. What takes half
// again the least time and half again the least energy is left out. Nil, where nothing can be built.
func (w *workshop) cheapest(tags *built) *built {
	const tolerated = 0.5
	w.families = w.list()
	time, energy := w.tolerates(accessOf, tolerated), w.tolerates(readOf, tolerated)
	cost := func(b *built) float64 {
		t := w.accessTime(b, tags)
		return float64(t * t * (b.read + tags.read))
	}
	return w.best(cost, func(a, b *candidate) bool { return a.number < b.number }, func(c *candidate) bool {
		b := w.built(c)
		return !energy.exceededBy(b.read) || !time.exceededBy(b.access)
	})
}

// quickest chooses the tags with the shortest cycle, which trees have no part in. Their access takes at most a
// fifth longer than the shortest access; of equal tags the last are taken. CACTI's own configuration file has these weights.
// Nil, where nothing can be built.
func (w *workshop) quickest() *built {
	w.families = w.list()
	time := w.tolerates(accessOf, 0.2)
	return w.best(cycleOf, func(a, b *candidate) bool { return a.number > b.number }, func(c *candidate) bool {
		return !time.exceededBy(w.built(c).access)
	})
}

// best is what costs least of all that may be taken; before chooses of two that cost the same.
func (w *workshop) best(cost func(*built) float64, before func(a, b *candidate) bool, may func(*candidate) bool) *built {
	var best *candidate
	least := math.Inf(1)
	w.visit(ascending(w.families, cost), cost, &least, func(c *candidate) {
		v := cost(w.built(c))
		if best != nil && (v > least || v == least && !before(c, best)) || !may(c) {
			return
		}
		best, least = c, v
	})
	if best == nil {
		return nil
	}
	return &best.costs
}
