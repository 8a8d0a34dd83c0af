// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"math"
	"testing"
)

// The extremes of a series are those of its rows, without means of rows and without places that have no value.
func TestExtremesAreThoseOfRows(t *testing.T) {
	nan := math.NaN()
	table := &Table{Figure: &Figure{Series: []string{"a", "b", "none"}}, Values: []Row{
		{Label: "mean of some", Of: []string{"x", "y"}, Values: []float64{-5, 500, 1}},
		{Label: "x", Values: []float64{nan, 3, nan}},
		{Label: "y", Values: []float64{4, 9, nan}},
		{Label: "mean", Of: []string{"x", "y", "z"}, Values: []float64{100, -1, nan}},
		{Label: "z", Values: []float64{2, 7, nan}},
	}}
	for _, c := range []struct {
		row, series string
		want        float64
	}{
		{leastRow, "a", 2}, {greatestRow, "a", 4}, {leastRow, "b", 3}, {greatestRow, "b", 9}, {leastRow, "none", nan}, {greatestRow, "none", nan},
		{leastRow, "c", nan}, {"y", "b", 9}, {"mean", "a", 100}, {"w", "a", nan},
	} {
		if got := table.cell(Place{c.row, c.series}); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s of %s is %g, want %g", c.row, c.series, got, c.want)
		}
	}
}
