// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
)

// ErrEmpty says that a plane has no point that can be drawn.
var ErrEmpty = errors.New("there is nothing to draw: no point has finite values (above zero on logarithmic axes)")

// Plane is a chart of points in one or several planes below one another.
type Plane struct {
	Title, X, Y string
	Log         bool // both axes
	// Same draws the line on which both coordinates are equal, and gives both axes the
	// same ends.
	Same   bool
	Points []PointSeries
	// Line joins points in the order given; LineName is its name in the legend.
	Line     []Point
	LineName string
}

// Point is a place; one without finite coordinates, or on logarithmic axes without
// coordinates above zero, is left out.
type Point struct {
	X, Y  float64
	Label string // next to it; may be empty
}

// PointSeries is a set of points with one colour and shape.
type PointSeries struct {
	Name   string
	Points []Point
}

// The sizes of a plane in pixels.
const (
	planeWidth  = 560
	planeHeight = 480
)

// WritePlanes writes planes below one another as one SVG; those without a point are left out.
func WritePlanes(w io.Writer, planes ...*Plane) error {
	full := slices.DeleteFunc(slices.Clone(planes), func(p *Plane) bool { return !p.drawable() })
	if len(full) == 0 {
		return ErrEmpty
	}
	c := canvas{w: w}
	c.begin(planeWidth, float64(planeHeight*len(full)))
	for i, p := range full {
		c.printf(`<g transform="translate(0 %d)">`+"\n", i*planeHeight)
		p.draw(&c)
		c.printf("</g>\n")
	}
	return c.end()
}

func (p *Plane) has(at *Point) bool {
	return finite(at.X) && finite(at.Y) && (!p.Log || at.X > 0 && at.Y > 0)
}

// drawable reports whether any point has a place.
func (p *Plane) drawable() bool {
	for i := range p.Points {
		if slices.ContainsFunc(p.Points[i].Points, func(at Point) bool { return p.has(&at) }) {
			return true
		}
	}
	return false
}

func (p *Plane) draw(c *canvas) {
	f := frame{left: leftMargin, top: 40 + float64(fontSize*1.5*float64(len(p.Points)+1)), right: planeWidth - rightMargin, bottom: planeHeight - 56}
	x, y := p.scales(&f)
	c.text(planeWidth/2, 20, "middle", 0, p.Title)
	c.axisY(&f, &y, p.Y)
	c.axisX(&f, &x, p.X)
	if p.Same {
		c.line(x.at(x.low), y.at(x.low), x.at(x.high), y.at(x.high), "#a0a0a0")
	}
	c.polyline(p, &x, &y)
	for k := range p.Points {
		for i := range p.Points[k].Points {
			if at := &p.Points[k].Points[i]; p.has(at) {
				c.mark(k, x.at(at.X), y.at(at.Y))
			}
		}
	}
	p.labels(c, &x, &y)
	p.legend(c)
}

// scales spans all points, with room at the edges and, for labels, at the right.
func (p *Plane) scales(f *frame) (x, y scale) {
	lowX, highX, lowY, highY := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	labelled := false
	for k := range p.Points {
		for i := range p.Points[k].Points {
			at := &p.Points[k].Points[i]
			if !p.has(at) {
				continue
			}
			lowX, highX, lowY, highY = min(lowX, at.X), max(highX, at.X), min(lowY, at.Y), max(highY, at.Y)
			labelled = labelled || at.Label != ""
		}
	}
	if p.Same {
		lowX, highX = min(lowX, lowY), max(highX, highY)
		lowY, highY = lowX, highX
	}
	x, y = newScale(lowX, highX, f.left, f.right, p.Log), newScale(lowY, highY, f.bottom, f.top, p.Log)
	more := 0.05
	if labelled {
		more = 0.25
	}
	x.widen(0.05, more)
	y.widen(0.05, 0.05)
	if p.Same {
		y.low, y.high = x.low, x.high
	}
	return x, y
}

// widen moves the ends outwards by parts of the span.
func (s *scale) widen(low, high float64) {
	if s.log {
		span := s.high / s.low
		s.low, s.high = s.low/math.Pow(span, low), s.high*math.Pow(span, high)
		return
	}
	span := s.high - s.low
	s.low, s.high = s.low-float64(low*span), s.high+float64(high*span)
}

func (c *canvas) polyline(p *Plane, x, y *scale) {
	var places []string
	for i := range p.Line {
		if at := &p.Line[i]; p.has(at) {
			places = append(places, number(x.at(at.X))+","+number(y.at(at.Y)))
		}
	}
	if len(places) > 1 {
		c.printf(`<polyline points="%s" fill="none" stroke="%s"/>`+"\n", strings.Join(places, " "), Colour(1))
	}
}

// labels stand at the right of their points, but above those that have another point there.
func (p *Plane) labels(c *canvas, x, y *scale) {
	var all []Point
	for k := range p.Points {
		for _, at := range p.Points[k].Points {
			if p.has(&at) {
				all = append(all, Point{x.at(at.X), y.at(at.Y), at.Label})
			}
		}
	}
	for _, at := range all {
		if at.Label == "" {
			continue
		}
		dx, dy, anchor := 7.0, 4.0, "start"
		if slices.ContainsFunc(all, func(o Point) bool {
			return o.X > at.X && o.X-at.X < textWidth(at.Label)+7 && math.Abs(o.Y-at.Y) < fontSize
		}) {
			dx, dy, anchor = 0, -7, "middle"
		}
		c.text(at.X+dx, at.Y+dy, anchor, 0, at.Label)
	}
}

func (p *Plane) legend(c *canvas) {
	y := 40.0
	for k := range p.Points {
		if p.Points[k].Name == "" {
			continue
		}
		c.mark(k, leftMargin+6, y-4)
		c.text(leftMargin+18, y, "start", 0, p.Points[k].Name)
		y += fontSize * 1.5
	}
	if p.LineName != "" {
		c.line(leftMargin, y-4, leftMargin+12, y-4, Colour(1))
		c.text(leftMargin+18, y, "start", 0, p.LineName)
	}
}

// mark draws a point of the series with a number. Shapes tell series apart that share a
// colour.
func (c *canvas) mark(series int, x, y float64) {
	colour := Colour(series)
	switch series / len(palette) % 4 {
	case 0:
		c.printf(`<circle cx="%s" cy="%s" r="3.5" fill="%s"/>`+"\n", number(x), number(y), colour)
	case 1:
		c.printf(`<polygon points="%s,%s %s,%s %s,%s" fill="%s"/>`+"\n", number(x), number(y-4), number(x-4), number(y+3), number(x+4), number(y+3), colour)
	case 2:
		c.rect(x-3, y-3, 6, 6, colour)
	default:
		c.cross(x, y, colour)
	}
}

func (c *canvas) cross(x, y float64, colour string) {
	c.line(x-4, y-4, x+4, y+4, colour)
	c.line(x-4, y+4, x+4, y-4, colour)
}
