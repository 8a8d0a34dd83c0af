// SPDX-License-Identifier: Apache-2.0

// Package krige interpolates a function that is known at scattered points by
// kriging with a linear trend. The trend is a least-squares plane, and the
// residuals are taken to be correlated as exp(-sum |difference| / length) over
// the dimensions. The estimate at a known point is the known value. Between two
// points that differ in one dimension it is close to the straight line. A
// residual carries over from a point that differs in another dimension as far
// as the lengths say (Cressie, Statistics for Spatial Data, ch. 3). With
// logarithms as coordinates straight lines are power laws.
package krige

import (
	"fmt"
	"math"
	"slices"

	"github.com/warptape/warptape/trace/samefloat"
)

// neighbours is how many points an estimate is made of. More do not change it
// visibly: near points screen far ones.
const neighbours = 32

// ridge keeps the systems regular; it is far below the spread of residuals.
const ridge = 1e-9

// Field is a function known at points.
type Field struct {
	points  [][]float64 // one row per point
	rest    []float64   // value minus trend
	lengths []float64   // per dimension
	trend   []float64   // constant, then slope per dimension
}

// New builds a field. Rows of points have as many entries as lengths, each
// point differs from all others, and values has one entry per point.
func New(points [][]float64, values, lengths []float64) (*Field, error) {
	f := &Field{points: points, lengths: lengths, rest: make([]float64, len(values))}
	if len(points) == 0 {
		return nil, fmt.Errorf("BUG: a field needs points")
	}
	trend, err := plane(points, values)
	if err != nil {
		return nil, err
	}
	f.trend = trend
	for i, p := range points {
		f.rest[i] = values[i] - f.trendAt(p)
	}
	return f, nil
}

// Points is the number of points.
func (f *Field) Points() int { return len(f.points) }

// WithLengths is the same field under other correlation lengths.
func (f *Field) WithLengths(lengths []float64) *Field {
	g := *f
	g.lengths = lengths
	return &g
}

// At estimates the function at x.
func (f *Field) At(x []float64) float64 { return f.estimate(x, -1) }

// Without estimates the function at point i from the other points.
func (f *Field) Without(i int) float64 { return f.estimate(f.points[i], i) }

// ValueAt is the known value of point i.
func (f *Field) ValueAt(i int) float64 { return f.rest[i] + f.trendAt(f.points[i]) }

func (f *Field) trendAt(x []float64) float64 {
	v := f.trend[0]
	for d, c := range x {
		v += float64(f.trend[d+1] * c)
	}
	return v
}

func (f *Field) distance(a, b []float64) float64 {
	sum := 0.0
	for d, l := range f.lengths {
		sum += math.Abs(a[d]-b[d]) / l
	}
	return sum
}

// estimate leaves out the point numbered skip.
func (f *Field) estimate(x []float64, skip int) float64 {
	near := f.nearest(x, skip)
	n := len(near)
	matrix, right := make([]float64, n*n), make([]float64, n)
	for i, a := range near {
		for j, b := range near[:i] {
			matrix[i*n+j] = samefloat.Exp(-f.distance(f.points[a.point], f.points[b.point]))
		}
		matrix[i*n+i] = 1 + ridge
		right[i] = samefloat.Exp(-a.distance)
	}
	weights := solve(matrix, right)
	v := f.trendAt(x)
	for i, a := range near {
		v += float64(weights[i] * f.rest[a.point])
	}
	return v
}

type neighbour struct {
	distance float64
	point    int
}

// nearest gives the nearest points, ties in the order of the points.
func (f *Field) nearest(x []float64, skip int) []neighbour {
	best := make([]neighbour, 0, neighbours+1)
	for i, p := range f.points {
		if i == skip {
			continue
		}
		d := f.distance(x, p)
		if len(best) == neighbours && d >= best[neighbours-1].distance {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, d, func(n neighbour, d float64) int {
			if n.distance <= d {
				return -1
			}
			return 1
		})
		best = slices.Insert(best, at, neighbour{d, i})
		best = best[:min(len(best), neighbours)]
	}
	return best
}
