// SPDX-License-Identifier: Apache-2.0

package sram

import (
	"cmp"
	"math"
	"slices"

	"github.com/warptape/warptape/trace/samefloat"
)

// CACTI picks each array's organisation (how often word and bit lines are cut) from few
// candidates. So its results jump where the pick changes: cycle time by a factor of
// three, area by two. A smooth function blurs a jump over all its neighbours. What a
// structure costs at a node, that CACTI's search is not done for, is therefore estimated from kin, where CACTI has results of
// it at other nodes. Kin are structures of the same class with results at both nodes,
// most alike in shape and in what they cost at the other node. So they most likely have
// the same organisation. Each says by what factor the nodes differ; the weighted median
// of the factors counts, which takes sides at a jump where a mean would end between.

// kinCount is how many kin are asked.
const kinCount = 9

// kinWeights are the distances per unit of difference in features: kin are a
// choice, not a fit, so that no held-out point has a part in them.
var kinWeights = [DimensionCount]float64{
	0: 0.3, 1: 0.15, 2: 0.15, 3: 0.45, 5: 0.3, 6: 0.9, 7: 10, 8: 10,
}

const (
	kinCost   = 0.5  // per octave of difference in a cost at the other node
	kinNode   = 0.4  // per octave between the nodes
	kinCloser = 0.05 // distance at which the weight of kin stops growing
)

// relatives are the results of a class by structure.
type relatives struct {
	nodes      []float64 // of all results, ascending
	structures []relative
	index      map[Query]int // by query without node
}

// relative is a structure with its results by node, in the order of nodes.
type relative struct {
	features []float64
	logs     [][MetricCount]float64 // nil entries: has is false
	has      []bool
}

func newRelatives(points []Point) *relatives {
	r := &relatives{index: map[Query]int{}}
	for i := range points {
		r.nodes = append(r.nodes, points[i].Query.NodeNM)
	}
	slices.Sort(r.nodes)
	r.nodes = slices.Compact(r.nodes)
	for i := range points {
		q := points[i].Query.normal()
		key := withoutNode(q)
		at, ok := r.index[key]
		if !ok {
			at = len(r.structures)
			r.index[key] = at
			r.structures = append(r.structures, relative{features: kinFeatures(q), logs: make([][MetricCount]float64, len(r.nodes)), has: make([]bool, len(r.nodes))})
		}
		n, _ := slices.BinarySearch(r.nodes, q.NodeNM)
		s := &r.structures[at]
		if s.has[n] {
			continue
		}
		s.has[n] = true
		for k := range MetricCount {
			s.logs[n][k] = samefloat.Log2(points[i].Estimate.Of(Metric(k)))
		}
	}
	return r
}

func withoutNode(q Query) Query {
	q.NodeNM = 0
	return q
}

// kinFeatures are features with the bits that a read moves in the place of those
// that leave: as many ways are read, unless tags are read first.
func kinFeatures(q Query) []float64 {
	f := features(q)
	if !q.Sequential {
		f[3] += f[1]
	}
	return f
}

// LeaveOneOut gives the mean error with which the results of a class are estimated
// from the others: by their kin where they have any, and by interpolation.
func (m *Model) LeaveOneOut(c Class, k Metric) (kin, field float64) {
	r, f := m.kin[c], m.fields[c][k]
	n := 0
	for i := range f.Points() {
		q := m.queries[c][i]
		node, _ := slices.BinarySearch(r.nodes, q.NodeNM)
		own := &r.structures[r.index[withoutNode(q)]]
		own.has[node] = false
		byField := f.Without(i)
		byKin, ok := r.estimate(q, node, k)
		own.has[node] = true
		if !ok {
			byKin = byField
		}
		kin += math.Abs(samefloat.Exp2(byKin-f.ValueAt(i)) - 1)
		field += math.Abs(samefloat.Exp2(byField-f.ValueAt(i)) - 1)
		n++
	}
	return kin / float64(n), field / float64(n)
}

// vote is what one of the kin says, and how far away it is.
type vote struct{ distance, value float64 }

// result gives the logarithm of a metric of a normal query that is a result itself.
func (r *relatives) result(q Query, k Metric) (float64, bool) {
	at, ok := r.index[withoutNode(q)]
	n, exact := slices.BinarySearch(r.nodes, q.NodeNM)
	if !ok || !exact || !r.structures[at].has[n] {
		return 0, false
	}
	return r.structures[at].logs[n][k], true
}

// estimate gives the logarithm of a metric of a normal query at the node with a number.
// It gives false without a result of the structure at another node, and without kin.
func (r *relatives) estimate(q Query, node int, k Metric) (float64, bool) {
	at, ok := r.index[withoutNode(q)]
	if !ok {
		return 0, false
	}
	own := &r.structures[at]
	if own.has[node] {
		return own.logs[node][k], true
	}
	var votes []vote
	for from := range r.nodes {
		if own.has[from] {
			votes = r.ask(votes, own, from, node, k)
		}
	}
	if len(votes) == 0 {
		return 0, false
	}
	slices.SortStableFunc(votes, func(a, b vote) int { return cmp.Compare(a.distance, b.distance) })
	return weightedMedian(votes[:min(len(votes), kinCount)]), true
}

// ask adds what all kin say about the step from one node to another.
func (r *relatives) ask(votes []vote, own *relative, from, to int, k Metric) []vote {
	apart := kinNode * math.Abs(samefloat.Log2(r.nodes[from]/r.nodes[to]))
	for i := range r.structures {
		s := &r.structures[i]
		if !s.has[from] || !s.has[to] {
			continue
		}
		d := apart
		for j, w := range kinWeights {
			d += float64(w * math.Abs(s.features[j]-own.features[j]))
		}
		for _, c := range [...]Metric{Read, Area, CycleTime} {
			d += float64(kinCost * math.Abs(s.logs[from][c]-own.logs[from][c]))
		}
		votes = append(votes, vote{d, own.logs[from][k] + s.logs[to][k] - s.logs[from][k]})
	}
	return votes
}

// weightedMedian weighs votes by nearness.
func weightedMedian(votes []vote) float64 {
	weight := func(v vote) float64 { return 1 / (v.distance + kinCloser) }
	total := 0.0
	for _, v := range votes {
		total += weight(v)
	}
	slices.SortStableFunc(votes, func(a, b vote) int { return cmp.Compare(a.value, b.value) })
	sum := 0.0
	for _, v := range votes {
		if sum += weight(v); sum >= total/2 {
			return v.value
		}
	}
	return votes[len(votes)-1].value
}

// between gives the metric at any node between those of the results: the power
// law between the two nodes around it, where kin know both.
func (r *relatives) between(q Query, k Metric) (float64, bool) {
	n, exact := slices.BinarySearch(r.nodes, q.NodeNM)
	if exact {
		return r.estimate(q, n, k)
	}
	if n == 0 || n == len(r.nodes) {
		return 0, false
	}
	low, ok := r.estimate(q, n-1, k)
	if !ok {
		return 0, false
	}
	high, ok := r.estimate(q, n, k)
	if !ok {
		return 0, false
	}
	x := samefloat.Log2(q.NodeNM/r.nodes[n-1]) / samefloat.Log2(r.nodes[n]/r.nodes[n-1])
	return float64(low*(1-x)) + float64(high*x), true
}
