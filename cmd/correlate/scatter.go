package correlate

import (
	"errors"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// palette: Okabe and Ito's colours, which the colour-blind can tell apart.
var palette = []color.RGBA{
	{0, 114, 178, 255}, {230, 159, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
	{86, 180, 233, 255}, {213, 94, 0, 255}, {240, 228, 66, 255}, {120, 120, 120, 255},
}

// shapes tell models apart that share a colour.
var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.SquareGlyph{}, draw.CrossGlyph{}}

// panel is the size of one figure's plot, margin what is empty around it, in points of
// 1/72 inch.
const (
	panel  = 5 * vg.Inch
	margin = vg.Inch / 8
)

// ErrNothingToDraw says that no figure has a pair that can be drawn.
var ErrNothingToDraw = errors.New("there is nothing to draw: no figure has a pair of values above zero")

// WriteScatter draws measured values and ours as SVG, a panel per figure below the other,
// with both axes logarithmic and the line on which both are the same. Pairs with a zero
// have no place on it.
func (r *Report) WriteScatter(w io.Writer) error {
	var plots []*plot.Plot
	for f := range r.Models[0].Figures {
		p, err := r.panel(f)
		if err != nil {
			return err
		}
		if p != nil {
			plots = append(plots, p)
		}
	}
	if len(plots) == 0 {
		return ErrNothingToDraw
	}
	canvas := vgsvg.New(panel, panel*vg.Length(len(plots)))
	whole := draw.New(canvas)
	for i, p := range plots {
		top := vg.Length(float64(panel * vg.Length(len(plots)-i)))
		part := draw.Canvas{Canvas: whole.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: 0, Y: top - panel}, Max: vg.Point{X: panel, Y: top}}}
		p.Draw(draw.Crop(part, margin, -margin, margin, -margin))
	}
	_, err := canvas.WriteTo(w)
	return err
}

// panel draws one figure of all models; nil when there is nothing to draw.
func (r *Report) panel(f int) (*plot.Plot, error) {
	p := plot.New()
	about := &r.Models[0].Figures[f]
	p.Title.Text = about.Name
	p.X.Label.Text, p.Y.Label.Text = "measured", "simulated"
	if about.Unit != "" {
		p.X.Label.Text += " [" + about.Unit + "]"
		p.Y.Label.Text += " [" + about.Unit + "]"
	}
	p.Legend.Top, p.Legend.Left = true, true
	low, high := math.Inf(1), math.Inf(-1)
	for i := range r.Models {
		var points plotter.XYs
		for _, pair := range r.Models[i].Figures[f].Pairs {
			x, y := float64(pair.Measured), float64(pair.Ours)
			if x <= 0 || y <= 0 {
				continue
			}
			points = append(points, plotter.XY{X: x, Y: y})
			low, high = min(low, x, y), max(high, x, y)
		}
		if len(points) == 0 {
			continue
		}
		marks, err := plotter.NewScatter(points)
		if err != nil {
			return nil, err
		}
		marks.GlyphStyle = draw.GlyphStyle{Color: palette[i%len(palette)], Radius: 3, Shape: shapes[i/len(palette)%len(shapes)]}
		p.Add(marks)
		p.Legend.Add(r.Models[i].Name, marks)
	}
	if high < low {
		return nil, nil
	}
	low, high = low/1.5, high*1.5
	same, err := plotter.NewLine(plotter.XYs{{X: low, Y: low}, {X: high, Y: high}})
	if err != nil {
		return nil, err
	}
	same.Color = color.Gray{160}
	p.Add(same)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = low, high, low, high
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	return p, nil
}
