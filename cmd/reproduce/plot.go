package reproduce

import (
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// palette: Okabe and Ito's colours, which the colour-blind can tell apart.
var palette = []color.RGBA{
	{0, 114, 178, 255}, {230, 159, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
	{86, 180, 233, 255}, {213, 94, 0, 255}, {240, 228, 66, 255}, {120, 120, 120, 255},
}

// The size of a plot, in points of 1/72 inch.
const (
	plotHeight  = 4 * vg.Inch
	groupWidth  = 0.8 * vg.Inch
	groupFilled = 0.8
)

// WriteSVG draws the table as groups of bars, one group a row, with a cross where
// the paper gives a value; a plane as points.
func (t *Table) WriteSVG(w io.Writer) error {
	if t.Plane {
		return t.writePlane(w)
	}
	p := plot.New()
	p.Title.Text = "Figure " + t.ID + ": " + t.Title
	p.Y.Label.Text = t.Unit
	p.Legend.Top, p.Legend.Left = true, true
	p.Y.Min = 0
	var labels []string
	for _, r := range t.Values {
		labels = append(labels, r.Label)
	}
	bar := groupWidth * groupFilled / vg.Length(len(t.Series))
	for k, name := range t.Series {
		bars, err := plotter.NewBarChart(t.column(k), bar)
		if err != nil {
			return err
		}
		bars.LineStyle.Width = 0
		bars.Color = palette[k%len(palette)]
		bars.Offset = bar * (vg.Length(k) - vg.Length(vg.Length(len(t.Series)-1)/2))
		p.Add(bars)
		p.Legend.Add(name, bars)
	}
	if err := t.addPublished(p); err != nil {
		return err
	}
	p.NominalX(labels...)
	p.X.Tick.Label.Rotation = math.Pi / 6
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YCenter
	p.Y.Max *= 1.15 // room for the legend
	width := vg.Length(groupWidth*vg.Length(len(t.Values))) + 2*vg.Inch
	out, err := p.WriterTo(width, plotHeight, "svg")
	if err != nil {
		return err
	}
	_, err = out.WriteTo(w)
	return err
}

// column is a series with zero where there is no value: no bar.
func (t *Table) column(k int) plotter.Values {
	var out plotter.Values
	for _, r := range t.Values {
		v := r.Values[k]
		if math.IsNaN(v) || math.IsInf(v, 0) {
			v = 0
		}
		out = append(out, v)
	}
	return out
}

// addPublished marks the published values over their bars.
func (t *Table) addPublished(p *plot.Plot) error {
	var points plotter.XYs
	n := float64(len(t.Series))
	// A nominal axis has a unit a group, which is drawn groupWidth wide.
	for i, r := range t.Values {
		for k, name := range t.Series {
			said := t.published(r.Label, name)
			if said == nil {
				continue
			}
			if v, ok := said.value(); ok {
				points = append(points, plotter.XY{X: float64(i) + float64(groupFilled/n*(float64(k)-float64((n-1)/2))), Y: v})
			}
		}
	}
	if len(points) == 0 {
		return nil
	}
	marks, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	marks.GlyphStyle = draw.GlyphStyle{Color: color.Black, Radius: 4, Shape: draw.CrossGlyph{}}
	p.Add(marks)
	p.Legend.Add("published", marks)
	return nil
}
