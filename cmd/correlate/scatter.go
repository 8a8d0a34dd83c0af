// SPDX-License-Identifier: Apache-2.0

package correlate

import (
	"errors"
	"io"

	"github.com/warptape/warptape/cmd/internal/chart"
)

// ErrNothingToDraw says that no figure has a pair that can be drawn.
var ErrNothingToDraw = errors.New("there is nothing to draw: no figure has a pair of values above zero")

// WriteScatter draws measured values and ours as SVG, a panel per figure below the other,
// with both axes logarithmic and the line on which both are the same. Pairs with a zero
// have no place on it.
func (r *Report) WriteScatter(w io.Writer) error {
	var panels []*chart.Plane
	for f := range r.Models[0].Figures {
		panels = append(panels, r.panel(f))
	}
	if err := chart.WritePlanes(w, panels...); !errors.Is(err, chart.ErrEmpty) {
		return err
	}
	return ErrNothingToDraw
}

// panel draws one figure of all models.
func (r *Report) panel(f int) *chart.Plane {
	about := &r.Models[0].Figures[f]
	p := &chart.Plane{Title: about.Name, X: "measured", Y: "simulated", Log: true, Same: true}
	if about.Unit != "" {
		p.X += " [" + about.Unit + "]"
		p.Y += " [" + about.Unit + "]"
	}
	for i := range r.Models {
		s := chart.PointSeries{Name: r.Models[i].Name}
		for _, pair := range r.Models[i].Figures[f].Pairs {
			s.Points = append(s.Points, chart.Point{X: float64(pair.Measured), Y: float64(pair.Ours)})
		}
		p.Points = append(p.Points, s)
	}
	return p
}
