// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"io"
	"math"
)

// Bars is a chart of groups of bars: a group for each label, in it a bar for each series.
type Bars struct {
	Title, Unit string
	Labels      []string
	Series      []BarSeries
	// MarksName names the crosses of all series in the legend.
	MarksName string
}

// BarSeries has a value for each label; one that is not finite has no bar.
type BarSeries struct {
	Name   string
	Values []float64
	// Marks are values that a cross shows at the bar's place; NaN has none. It is empty
	// or as long as Values.
	Marks []float64
}

// The sizes of bar charts in pixels.
const (
	barsHeight   = 420
	groupWidth   = 80
	groupFilled  = 0.8
	labelDegrees = 30
	leftMargin   = 70
	rightMargin  = 24
)

// Write writes the chart as SVG.
func (b *Bars) Write(w io.Writer) error {
	slant := 0.0
	for _, l := range b.Labels {
		slant = max(slant, textWidth(l))
	}
	legendHeight := float64(fontSize * 1.5 * float64(len(b.Series)+1))
	width := max(float64(leftMargin+rightMargin+groupWidth*len(b.Labels)), float64(leftMargin+rightMargin)+textWidth(b.Title))
	f := frame{left: leftMargin, top: 40 + legendHeight, right: width - rightMargin}
	f.bottom = f.top + barsHeight - 120
	height := f.bottom + 30 + float64(slant*math.Sin(float64(labelDegrees*math.Pi/180)))
	c := canvas{w: w}
	c.begin(width, height)
	c.text(width/2, 20, "middle", 0, b.Title)
	low, high := b.extent()
	s := newScale(low, high, f.bottom, f.top, false)
	c.axisY(&f, &s, b.Unit)
	b.draw(&c, &f, &s)
	b.legend(&c)
	return c.end()
}

// extent is the least and the greatest value, zero included.
func (b *Bars) extent() (low, high float64) {
	for i := range b.Series {
		for _, list := range [][]float64{b.Series[i].Values, b.Series[i].Marks} {
			for _, v := range list {
				if finite(v) {
					low, high = min(low, v), max(high, v)
				}
			}
		}
	}
	return low, high
}

func (b *Bars) draw(c *canvas, f *frame, s *scale) {
	bar := groupWidth * groupFilled / float64(max(len(b.Series), 1))
	zero := s.at(0)
	for g, label := range b.Labels {
		left := f.left + float64((float64(g)+(1-groupFilled)/2)*groupWidth)
		for k := range b.Series {
			x := left + float64(float64(k)*bar)
			if v := b.Series[k].Values[g]; finite(v) && v != 0 {
				y := s.at(v)
				c.rect(x, min(y, zero), bar, math.Abs(zero-y), Colour(k))
			}
			if marks := b.Series[k].Marks; len(marks) > 0 && finite(marks[g]) {
				c.cross(x+float64(bar/2), s.at(marks[g]), "#000000")
			}
		}
		c.text(f.left+float64((float64(g)+0.5)*groupWidth), f.bottom+16, "end", -labelDegrees, label)
	}
	c.line(f.left, zero, f.right, zero, "#000000")
}

func (b *Bars) legend(c *canvas) {
	y := 40.0
	for k := range b.Series {
		c.rect(leftMargin, y-10, 12, 12, Colour(k))
		c.text(leftMargin+18, y, "start", 0, b.Series[k].Name)
		y += fontSize * 1.5
	}
	if b.MarksName != "" && b.marked() {
		c.cross(leftMargin+6, y-4, "#000000")
		c.text(leftMargin+18, y, "start", 0, b.MarksName)
	}
}

func (b *Bars) marked() bool {
	for i := range b.Series {
		for _, v := range b.Series[i].Marks {
			if finite(v) {
				return true
			}
		}
	}
	return false
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
