package reproduce

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// planeWidth of a plot, in points of 1/72 inch.
const planeWidth = 7 * vg.Inch

// writePlane draws the rows as points with their labels, and a line through those of the
// front: no other is at most as far in both directions.
func (t *Table) writePlane(w io.Writer) error {
	p := plot.New()
	title, _, _ := strings.Cut(t.Title, "; ") // what follows is of the table's columns
	p.Title.Text = "Figure " + t.ID + ": " + title
	p.X.Label.Text, p.Y.Label.Text = t.Series[0], t.Series[1]
	var points, front plotter.XYs
	var labels []string
	for _, r := range t.Values {
		if math.IsNaN(r.Values[0]) || math.IsNaN(r.Values[1]) {
			continue
		}
		at := plotter.XY{X: r.Values[0], Y: r.Values[1]}
		points, labels = append(points, at), append(labels, r.Label)
		if onFront(t.Values, &r) {
			front = append(front, at)
		}
	}
	slices.SortFunc(front, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
	dots, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: palette[0], Radius: 3, Shape: draw.CircleGlyph{}}
	names, err := labelled(points, labels)
	if err != nil {
		return err
	}
	line, err := plotter.NewLine(front)
	if err != nil {
		return err
	}
	line.Color = palette[1]
	p.Add(line, dots)
	p.Add(names...)
	p.Legend.Top = true
	p.Legend.Add("Pareto front", line)
	p.X.Max += (p.X.Max - p.X.Min) / 5 // room for the labels
	out, err := p.WriterTo(planeWidth, plotHeight, "svg")
	if err != nil {
		return err
	}
	_, err = out.WriteTo(w)
	return err
}

// labelled are labels at the right of their points, but above those that have another
// point there.
func labelled(points plotter.XYs, labels []string) ([]plot.Plotter, error) {
	const wide, high = 0.15, 0.06 // a label, as part of the axes
	left, right, low, top := plotter.XYRange(points)
	var list []plot.Plotter
	for i, p := range points {
		offset := vg.Point{X: 5, Y: -3}
		if slices.ContainsFunc(points, func(o plotter.XY) bool {
			return o.X > p.X && o.X-p.X < wide*(right-left) && math.Abs(o.Y-p.Y) < high*(top-low)
		}) {
			offset = vg.Point{X: -5, Y: 6}
		}
		l, err := plotter.NewLabels(plotter.XYLabels{XYs: points[i : i+1], Labels: labels[i : i+1]})
		if err != nil {
			return nil, err
		}
		l.Offset = offset
		list = append(list, l)
	}
	return list, nil
}

// onFront reports whether no other row is as good in both of the first values, and
// better in one.
func onFront(rows []Row, r *Row) bool {
	return !slices.ContainsFunc(rows, func(o Row) bool {
		return o.Values[0] <= r.Values[0] && o.Values[1] <= r.Values[1] && (o.Values[0] < r.Values[0] || o.Values[1] < r.Values[1])
	})
}
