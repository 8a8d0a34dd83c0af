// SPDX-License-Identifier: Apache-2.0

package linkmap

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/replay"
)

// drawing is a group of an SVG, as it is written.
type drawing struct {
	Width     float64   `xml:"width,attr"`
	Height    float64   `xml:"height,attr"`
	Transform string    `xml:"transform,attr"`
	Groups    []drawing `xml:"g"`
	Boxes     []struct {
		X      float64 `xml:"x,attr"`
		Y      float64 `xml:"y,attr"`
		Width  float64 `xml:"width,attr"`
		Height float64 `xml:"height,attr"`
		Fill   string  `xml:"fill,attr"`
		Title  string  `xml:"title"`
	} `xml:"rect"`
	Lines []struct {
		X1     float64 `xml:"x1,attr"`
		Y1     float64 `xml:"y1,attr"`
		X2     float64 `xml:"x2,attr"`
		Y2     float64 `xml:"y2,attr"`
		Stroke string  `xml:"stroke,attr"`
		Title  string  `xml:"title"`
	} `xml:"line"`
	Texts []struct {
		X    float64 `xml:"x,attr"`
		Y    float64 `xml:"y,attr"`
		Text string  `xml:",chardata"`
	} `xml:"text"`
}

// at is where a group has its upper left corner.
func (d *drawing) at(t *testing.T) (x, y float64) {
	t.Helper()
	if _, err := fmt.Sscanf(d.Transform, "translate(%g %g)", &x, &y); err != nil {
		t.Fatal(err)
	}
	return x, y
}

// A picture shows all of its panels and the legend, one next to or below the other. A link's line leads from the edge of
// its first router to that of the second, on the right-hand side; letters are in their routers.
func TestAPictureHasAllInItsPlace(t *testing.T) {
	for _, specs := range [][]string{{"mesh56"}, {"mesh56+butterfly"}, {"mesh56", "mesh56+butterfly", "mesh56"}} {
		var results []replay.Result
		for _, spec := range specs {
			results = append(results, result(t, spec))
		}
		var b bytes.Buffer
		if err := Write(&b, results); err != nil {
			t.Fatal(err)
		}
		var picture drawing
		if err := xml.Unmarshal(b.Bytes(), &picture); err != nil {
			t.Fatal(err)
		}
		if white := picture.Boxes; len(white) != 1 || white[0].Width != picture.Width || white[0].Height != picture.Height || white[0].Fill != "white" {
			t.Errorf("%v: the ground is %+v, the picture %g by %g", specs, white, picture.Width, picture.Height)
		}
		if len(picture.Groups) != 2*len(specs)+1 {
			t.Fatalf("%v: %d groups", specs, len(picture.Groups))
		}
		type place struct{ x, y float64 }
		taken := map[place]string{} // middles of routers in the picture
		lowest := 0.0
		for n, g := range picture.Groups[:2*len(specs)] {
			r := &results[n/2]
			name := fmt.Sprintf("%v, panel %d", specs, n)
			x0, y0 := g.at(t)
			middle := map[string]place{}
			letters, slices, sms := 0, 0, 0
			for _, box := range g.Boxes {
				at := place{box.X + box.Width/2, box.Y + box.Height/2}
				middle[strings.TrimPrefix(box.Title, "router ")] = at
				if box.Width != side || box.Height != side || box.X < 0 || box.Y < heading || x0+box.X+side > picture.Width-1 {
					t.Errorf("%s: %+v", name, box)
				}
				for other, whose := range taken {
					if math.Abs(other.x-x0-at.x) < 2*side && math.Abs(other.y-y0-at.y) < 2*side {
						t.Errorf("%s: %s is at %v, next to %s", name, box.Title, at, whose)
					}
				}
				taken[place{x0 + at.x, y0 + at.y}] = name + " " + box.Title
				lowest = max(lowest, y0+box.Y+side)
				switch box.Fill {
				case endColours[slice]:
					slices++
				case endColours[sm]:
					sms++
				}
			}
			for _, text := range g.Texts {
				if text.Text != "M" {
					continue
				}
				letters++
				inside := false
				for _, at := range middle {
					inside = inside || text.X == at.x && text.Y > at.y && text.Y < at.y+side/2
				}
				if !inside {
					t.Errorf("%s: a letter at %g, %g is in no router", name, text.X, text.Y)
				}
			}
			if r.Architecture.Network.Topology == "mesh" {
				placed, err := r.Architecture.MeshPlacement()
				if err != nil || letters != slices || slices != len(placed.Slices) || sms != len(placed.SMs) {
					t.Errorf("%s: %d letters, %d boxes of %d slices, %d of %d SMs, %v", name, letters, slices, len(placed.Slices), sms, len(placed.SMs), err)
				}
			}
			sum, most := 0.0, 0.0
			for _, l := range g.Lines {
				var from, to, flits int
				var busy float64
				if _, err := fmt.Sscanf(l.Title, "%d to %d: %d flits, busy %g", &from, &to, &flits, &busy); err != nil {
					t.Fatal(err)
				}
				sum, most = sum+busy, max(most, busy)
				a, z := middle[strconv.Itoa(from)], middle[strconv.Itoa(to)]
				length := math.Hypot(z.x-a.x, z.y-a.y)
				// Along the way and to its right, from the middle of the first router.
				along := func(x, y float64) (float64, float64) {
					dx, dy := (z.x-a.x)/length, (z.y-a.y)/length
					return (x-a.x)*dx + (y-a.y)*dy, (y-a.y)*dx - (x-a.x)*dy
				}
				first, right1 := along(l.X1, l.Y1)
				last, right2 := along(l.X2, l.Y2)
				for _, x := range []float64{first - (side/2 + 1), length - last - (side/2 + 1), right1 - apart, right2 - apart} {
					if math.Abs(x) > 0.11 {
						t.Errorf("%s: the line of %s is from %g, %g to %g, %g; routers are at %v and %v", name, l.Title, l.X1, l.Y1, l.X2, l.Y2, a, z)
						break
					}
				}
				if l.Stroke != colour(busy/100) {
					t.Errorf("%s: the line of %s is %s", name, l.Title, l.Stroke)
				}
			}
			if want := fmt.Sprintf("mean link %.1f %%, busiest %.1f %%", sum/float64(len(g.Lines)), most); !strings.HasSuffix(g.Texts[1].Text, want) {
				t.Errorf("%s: it says %q, want %q", name, g.Texts[1].Text, want)
			}
		}
		checkLegend(t, &picture, lowest)
	}
}

// checkLegend looks whether a legend is below everything and in the picture, with colours from idle to busy, and names
// that do not cover each other.
func checkLegend(t *testing.T, picture *drawing, lowest float64) {
	t.Helper()
	legend := &picture.Groups[len(picture.Groups)-1]
	x0, y0 := legend.at(t)
	ends, end := 0, 210.0 // behind the last mark
	if what := legend.Texts[3]; what.X < 200 || what.X > 220 {
		t.Errorf("what the colours are is written at %g", what.X)
	}
	for i, box := range legend.Boxes {
		if y0+box.Y < lowest || y0+box.Y+box.Height > picture.Height || x0+box.X+box.Width > picture.Width {
			t.Errorf("box %+v of the legend from %g on: routers reach %g, the picture %g", box, y0, lowest, picture.Height)
		}
		if box.Y != 8 { // one of an end, with its name next to it
			if ends++; box.X < end {
				t.Errorf("the box at %g covers the name before it, which ends at %g", box.X, end)
			}
			name := legend.Texts[len(legend.Texts)-3+ends-1]
			if name.X < box.X+box.Width || name.X > box.X+2*box.Width {
				t.Errorf("the name %q is at %g, its box at %g", name.Text, name.X, box.X)
			}
			end = name.X + 6*float64(len(name.Text)) // letters are 6 wide in the mean
			continue
		}
		if want := colour((box.X + box.Width/2) / (20 * box.Width)); box.X != float64(i)*box.Width || box.Fill != want {
			t.Errorf("box %d is %+v, want %s", i, box, want)
		}
	}
	if ends != 3 || x0+end > picture.Width {
		t.Errorf("%d ends have names, up to %g of %g", ends, x0+end, picture.Width)
	}
	for i, mark := range []float64{0, 50, 100} {
		if got := legend.Texts[i]; got.X != 2*mark || got.Text != fmt.Sprintf("%g %%", mark) {
			t.Errorf("mark %d is %+v", i, got)
		}
	}
}
