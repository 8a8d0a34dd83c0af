// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"io"
	"math"

	"github.com/warptape/warptape/cmd/internal/chart"
)

// WriteSVG draws the table as groups of bars, one group a row, with a cross where
// the paper gives a value; a plane as points.
func (t *Table) WriteSVG(w io.Writer) error {
	if t.Plane {
		return t.writePlane(w)
	}
	bars := chart.Bars{Title: "Figure " + t.ID + ": " + t.Title, Unit: t.Unit, MarksName: "published"}
	for _, r := range t.Values {
		bars.Labels = append(bars.Labels, r.Label)
	}
	for k, name := range t.Series {
		s := chart.BarSeries{Name: name}
		for _, r := range t.Values {
			s.Values = append(s.Values, r.Values[k])
			s.Marks = append(s.Marks, t.mark(r.Label, name))
		}
		bars.Series = append(bars.Series, s)
	}
	return bars.Write(w)
}

// mark is the published value of a row and a series, NaN without one.
func (t *Table) mark(label, series string) float64 {
	if said := t.published(label, series); said != nil {
		if v, ok := said.value(); ok {
			return v
		}
	}
	return math.NaN()
}
