// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// elements parses an SVG text and counts its elements by name.
func elements(t *testing.T, text string) map[string]int {
	t.Helper()
	count := map[string]int{}
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return count
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if start, ok := token.(xml.StartElement); ok {
			count[start.Name.Local]++
			for _, a := range start.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("<%s %s=%q>", start.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
}

func TestBarsDrawEachFiniteValueOnce(t *testing.T) {
	b := Bars{
		Title: `less & "more"`, Unit: "IPC", Labels: []string{"a<b", "c", "d"}, MarksName: "published",
		Series: []BarSeries{
			{Name: "ours", Values: []float64{1, math.NaN(), -2}, Marks: []float64{1.5, math.NaN(), math.NaN()}},
			{Name: "theirs", Values: []float64{0, 3, math.Inf(1)}},
		},
	}
	var text bytes.Buffer
	if err := b.Write(&text); err != nil {
		t.Fatal(err)
	}
	n := elements(t, text.String())
	// The ground, three bars (zero has none), two colours of the legend.
	if n["rect"] != 1+3+2 {
		t.Errorf("%d rectangles in\n%s", n["rect"], text.String())
	}
	if !strings.Contains(text.String(), "published") || !strings.Contains(text.String(), "a&lt;b") {
		t.Error(text.String())
	}
}

func TestPlanesLeaveOutPointsWithoutAPlace(t *testing.T) {
	p := Plane{
		Title: "cycles", X: "measured", Y: "simulated", Log: true, Same: true,
		Points: []PointSeries{{Name: "m", Points: []Point{{X: 1, Y: 1}, {X: 100, Y: 1000, Label: "far"}, {X: 0, Y: 1}, {X: 3, Y: math.NaN()}}}},
	}
	var text bytes.Buffer
	if err := WritePlanes(&text, &p, &Plane{}); err != nil {
		t.Fatal(err)
	}
	if n := elements(t, text.String()); n["circle"] != 2+1 {
		t.Errorf("%d circles in\n%s", n["circle"], text.String())
	}
	if err := WritePlanes(io.Discard, &Plane{}); !errors.Is(err, ErrEmpty) {
		t.Errorf("an empty plane gives %v", err)
	}
}

func TestOnePointHasAScale(t *testing.T) {
	for _, p := range []Plane{
		{Points: []PointSeries{{Points: []Point{{X: 0, Y: 0}}}}},
		{Log: true, Points: []PointSeries{{Points: []Point{{X: 5, Y: 5}}}}},
	} {
		var text bytes.Buffer
		if err := WritePlanes(&text, &p); err != nil {
			t.Fatal(err)
		}
		elements(t, text.String())
	}
}

func TestTicksAreRoundAndInside(t *testing.T) {
	for _, c := range []struct {
		s    scale
		want []float64
	}{
		{newScale(0, 1, 300, 0, false), []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
		{newScale(-3, 7, 0, 300, false), []float64{-2, 0, 2, 4, 6}},
		{newScale(1, 1000, 0, 300, true), []float64{1, 10, 100, 1000}},
		{newScale(15, 60, 0, 400, true), []float64{20, 50}},
	} {
		got := c.s.ticks()
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("%+v: ticks %v, want %v", c.s, got, c.want)
		}
	}
}

func TestTheFirstErrorOfTheWriterIsReported(t *testing.T) {
	b := Bars{Labels: []string{"a"}, Series: []BarSeries{{Values: []float64{1}}}}
	if err := b.Write(failing{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
