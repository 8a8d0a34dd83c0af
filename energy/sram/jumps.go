// SPDX-License-Identifier: Apache-2.0

package sram

import (
	"math"
	"slices"

	"github.com/warptape/warptape/trace/samefloat"
)

// Jump counts how often CACTI's own results fall where they must rise.
type Jump struct {
	Class  Class
	Metric Metric
	// Pairs of results that differ in capacity only, next to one another.
	Pairs int
	// Falls are the pairs in which the larger costs less than the smaller by more
	// than Aim. An estimate that rises with capacity misses one of the two by half
	// of that at least. Leaps are the pairs in which the larger costs more than in
	// proportion to capacity, by more than Aim.
	Falls, Leaps int
}

// Jumps counts them for all classes and metrics: they bound from below what a
// smooth model can reach.
func Jumps(points []Point) []Jump {
	series := map[Query][]Point{}
	for i := range points {
		p := points[i]
		p.Query = p.Query.normal()
		key := p.Query
		key.Bytes = 0
		series[key] = append(series[key], p)
	}
	counts := map[[2]int]*Jump{}
	for key, line := range series {
		slices.SortFunc(line, func(a, b Point) int { return a.Query.Bytes - b.Query.Bytes })
		for k := range Metric(MetricCount) {
			if !key.Class.Has(k) {
				continue
			}
			at := [2]int{int(key.Class), int(k)}
			if counts[at] == nil {
				counts[at] = &Jump{Class: key.Class, Metric: k}
			}
			counts[at].count(line)
		}
	}
	var list []Jump
	for _, c := range Classes() {
		for k := range MetricCount {
			if j := counts[[2]int{int(c), k}]; j != nil {
				list = append(list, *j)
			}
		}
	}
	return list
}

// count adds the pairs of a line of rising capacity.
func (j *Jump) count(line []Point) {
	for i := 1; i < len(line); i++ {
		ratio := line[i].Estimate.Of(j.Metric) / line[i-1].Estimate.Of(j.Metric)
		capacity := float64(line[i].Query.Bytes) / float64(line[i-1].Query.Bytes)
		j.Pairs++
		if ratio < 1-aim {
			j.Falls++
		}
		if ratio > capacity*(1+aim) && !math.IsInf(ratio, 0) {
			j.Leaps++
		}
	}
}

// sameArea is the difference in area, in feature sizes squared, within which an
// array has the same organisation at two nodes: equal ones differ by a percent.
const sameArea = 0.05

// changesBeside reports whether a result has, at the next node on either side, an
// area in feature sizes that says that CACTI has organised the array otherwise.
func (r *relatives) changesBeside(q Query) bool {
	own := &r.structures[r.index[withoutNode(q)]]
	at, _ := slices.BinarySearch(r.nodes, q.NodeNM)
	area := func(n int) float64 { return own.logs[n][Area] - 2*samefloat.Log2(r.nodes[n]) }
	for _, step := range [...]int{-1, 1} {
		n := at + step
		for n >= 0 && n < len(r.nodes) && !own.has[n] {
			n += step
		}
		if n >= 0 && n < len(r.nodes) && math.Abs(area(n)-area(at)) > samefloat.Log2(1+sameArea) {
			return true
		}
	}
	return false
}

// ofClass gives the points of a class.
func ofClass(c Class, lists ...[]Point) []Point {
	var out []Point
	for _, points := range lists {
		for i := range points {
			if points[i].Query.Class == c {
				out = append(out, points[i])
			}
		}
	}
	return out
}
