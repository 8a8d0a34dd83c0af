// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/warptape/warptape/cmd/internal/chart"
)

// writePlane draws the rows as points with their labels, and a line through those of the
// front: no other is at most as far in both directions.
func (t *Table) writePlane(w io.Writer) error {
	title, _, _ := strings.Cut(t.Title, "; ") // what follows is of the table's columns
	var rows chart.PointSeries
	p := chart.Plane{Title: "Figure " + t.ID + ": " + title, X: t.Series[0], Y: t.Series[1], LineName: "Pareto front"}
	for i := range t.Values {
		r := &t.Values[i]
		at := chart.Point{X: r.Values[0], Y: r.Values[1], Label: r.Label}
		rows.Points = append(rows.Points, at)
		if onFront(t.Values, r) {
			p.Line = append(p.Line, at)
		}
	}
	slices.SortFunc(p.Line, func(a, b chart.Point) int { return cmp.Compare(a.X, b.X) })
	p.Points = []chart.PointSeries{rows}
	return chart.WritePlanes(w, &p)
}

// onFront reports whether no other row is as good in both of the first values, and
// better in one.
func onFront(rows []Row, r *Row) bool {
	return !slices.ContainsFunc(rows, func(o Row) bool {
		return o.Values[0] <= r.Values[0] && o.Values[1] <= r.Values[1] && (o.Values[0] < r.Values[0] || o.Values[1] < r.Values[1])
	})
}
