// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"
	"testing"

	"github.com/warptape/warptape/cmd/results"
)

// TestSpreadsAreThoseOfPointsThatDifferInOneParameter: by hand, with a point missing.
func TestSpreadsAreThoseOfPointsThatDifferInOneParameter(t *testing.T) {
	m := &results.Manifest{Traces: []results.PlannedTrace{{Label: "a"}}, Axes: []results.Axis{{Name: "x", Values: []string{"1", "2"}}}}
	times := []float64{10, 30, 20, math.NaN()} // machines m and n, x of 1 and 2
	for i := range times {
		m.Points = append(m.Points, results.PlannedPoint{Key: "k", Machine: []string{"m", "n"}[i/2], Overlays: "none", Values: []string{[]string{"1", "2"}[i%2]}, Reference: -1})
	}
	s, err := newStudy(m, nil, NoDetails)
	if err != nil {
		t.Fatal(err)
	}
	all := newPoints(s)
	c := &sensitivity{points: all}
	for i, v := range times {
		p := &point{number: i, planned: &m.Points[i], trace: &m.Traces[0], missing: "is not there"}
		if !math.IsNaN(v) {
			p.result, p.missing, p.figures = &results.Point{}, "", map[string]float64{"time_ns": v}
		}
		if err := all.add(p); err != nil {
			t.Fatal(err)
		}
		if err := c.add(p); err != nil {
			t.Fatal(err)
		}
	}
	column := all.data.Column("time_ns")
	// x: on m from 10 to 30, 20 of a mean of 20. Machine: at x = 1 from 10 to 20, 10 of 15.
	for parameter, want := range map[string]float64{axisPrefix + "x": 100, columnMachine: 1000.0 / 15} {
		sum, largest, n := c.spreads(column, "a", parameter)
		if n != 1 || math.Abs(sum-want) > 1e-9 || sum != largest {
			t.Errorf("%s: %g, %g, %d groups; want %g of one", parameter, sum, largest, n, want)
		}
	}
}
