// SPDX-License-Identifier: Apache-2.0

package sram

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"github.com/warptape/warptape/trace/samefloat"
)

// heldShare is the share of points that Split holds out: one in this many.
const heldShare = 10

// Split divides points into those that the model is fitted to and those that
// its error is stated on. It divides by a hash of what the point is, so that
// neither order nor values play a part. Points with a caution are never held
// out.
func Split(points []Point) (training, held []Point) {
	for _, p := range points {
		h := fnv.New64a()
		fmt.Fprintf(h, "%+v", p.Query.normal())
		if h.Sum64()%heldShare == 0 && p.Caution == "" {
			held = append(held, p)
		} else {
			training = append(training, p)
		}
	}
	return training, held
}

// splitSizes divides points as Split does, but holds out all nodes of a structure
// together: what is held out has a size that the model has not seen.
func splitSizes(points []Point) (training, held []Point) {
	for _, p := range points {
		h := fnv.New64a()
		fmt.Fprintf(h, "%+v", withoutNode(p.Query.normal()))
		switch {
		case h.Sum64()%heldShare != 0:
			training = append(training, p)
		case p.Caution == "":
			held = append(held, p)
		}
	}
	return training, held
}

// aim is the error that no point should exceed.
const aim = 0.15

// Error summarises the error of a class and metric on held-out points inside the
// grid of training points. Every such point has training points of the same
// organisation with at least and with at most its capacity, at some node.
type Error struct {
	Class     Class
	Metric    Metric
	Points    int
	Mean      float64 // of |estimate/CACTI - 1|
	NineInTen float64 // the error that nine points in ten do not exceed
	Worst     float64
	Beyond    int // points whose error exceeds Aim
	// Changing is how many of those lie next to a change of CACTI's organisation:
	// at a neighbouring node the array has another area in feature sizes.
	Changing   int
	WorstPoint Query
}

// Errors fits a model to the training points and states the errors of its interpolation on
// those held out, by class and metric.
func Errors(training, held []Point, fit *Fit) ([]Error, error) {
	m, err := NewModel(training, fit)
	if err != nil {
		return nil, err
	}
	inside := newInterior(training)
	var tested []Point
	for _, p := range held {
		if inside.holds(p.Query) {
			tested = append(tested, p)
		}
	}
	var list []Error
	for _, c := range Classes() {
		all := newRelatives(ofClass(c, training, held))
		for k := range Metric(MetricCount) {
			if c.Has(k) {
				list = append(list, errorOf(c, k, tested, all, m.interpolated))
			}
		}
	}
	return list, nil
}

// OrganisedErrors states the errors of caches and RAMs that are organised as CACTI does, on the points that Split holds out.
// No point has a part in the search.
func OrganisedErrors() ([]Error, error) {
	points, err := grid()
	if err != nil {
		return nil, err
	}
	_, held := Split(points)
	var list []Error
	for _, c := range []Class{Cache, RAM} {
		for k := range Metric(MetricCount) {
			if c.Has(k) {
				list = append(list, errorOf(c, k, held, newRelatives(ofClass(c, points)), organisedLog))
			}
		}
	}
	return list, nil
}

// organisedLog is the logarithm of what the search gives; infinite, where it gives nothing.
func organisedLog(q Query, k Metric) float64 {
	e, ok := organisations.at(q)
	if !ok {
		return math.Inf(1)
	}
	return samefloat.Log2(e.Of(k))
}

// DefaultErrors states the errors of the committed fit's interpolation, on single results held
// out and on whole sizes.
func DefaultErrors() (results, sizes []Error, err error) {
	points, err := grid()
	if err != nil {
		return nil, nil, err
	}
	training, held := Split(points)
	if results, err = Errors(training, held, &fitted); err != nil {
		return nil, nil, err
	}
	training, held = splitSizes(points)
	sizes, err = Errors(training, held, &fitted)
	return results, sizes, err
}

// interior holds the capacities between which each organisation is known.
type interior map[Query][2]int

func shapeOf(q Query) Query {
	q = q.normal()
	q.Bytes, q.NodeNM = 0, 0
	return q
}

func newInterior(points []Point) interior {
	in := interior{}
	for i := range points {
		n := points[i].Query.Bytes
		o := shapeOf(points[i].Query)
		if r, ok := in[o]; ok {
			in[o] = [2]int{min(r[0], n), max(r[1], n)}
		} else {
			in[o] = [2]int{n, n}
		}
	}
	return in
}

func (in interior) holds(q Query) bool {
	r, ok := in[shapeOf(q)]
	return ok && r[0] <= q.Bytes && q.Bytes <= r[1]
}

func errorOf(c Class, k Metric, held []Point, known *relatives, estimate func(Query, Metric) float64) Error {
	e := Error{Class: c, Metric: k}
	var all []float64
	for i := range held {
		q := held[i].Query.normal()
		if q.Class != c {
			continue
		}
		off := math.Abs(samefloat.Exp2(estimate(q, k))/held[i].Estimate.Of(k) - 1)
		all = append(all, off)
		if off > aim {
			e.Beyond++
			if known.changesBeside(q) {
				e.Changing++
			}
		}
		if off >= e.Worst {
			e.Worst, e.WorstPoint = off, q
		}
	}
	if len(all) == 0 {
		return e
	}
	slices.Sort(all)
	for _, off := range all {
		e.Mean += off / float64(len(all))
	}
	e.Points, e.NineInTen = len(all), all[len(all)*9/10]
	return e
}
