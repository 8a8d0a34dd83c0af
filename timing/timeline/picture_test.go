// SPDX-License-Identifier: Apache-2.0

package timeline_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/timeline"
)

// element is a part of a picture.
type element struct {
	X      float64 `xml:"x,attr"`
	Y      float64 `xml:"y,attr"`
	Width  float64 `xml:"width,attr"`
	Height float64 `xml:"height,attr"`
	Fill   string  `xml:"fill,attr"`
	Anchor string  `xml:"text-anchor,attr"`
	Weight string  `xml:"font-weight,attr"`
	Title  string  `xml:"title"`
	Text   string  `xml:",chardata"`
	Path   string  `xml:"d,attr"`
}

type svg struct {
	Width  float64   `xml:"width,attr"`
	Height float64   `xml:"height,attr"`
	Rects  []element `xml:"rect"`
	Texts  []element `xml:"text"`
	Paths  []element `xml:"path"`
}

// drawn is the picture of a timeline.
func drawn(t testing.TB, data []byte, p timeline.Picture) (s svg) {
	t.Helper()
	d, err := timeline.Read(bytes.NewReader(data), p.From, p.To)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := d.Draw(&b, p); err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(b.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// text is the place of a text.
func (s *svg) text(t testing.TB, text string) element {
	t.Helper()
	i := slices.IndexFunc(s.Texts, func(e element) bool { return e.Text == text })
	if i < 0 {
		t.Fatalf("%q is not in the picture", text)
	}
	return s.Texts[i]
}

// letter is the least width of a letter of the font in pixels, about.
const letter = 6

// scene is a timeline of few things: a warp, thread blocks, a queue, a launch.
func scene(t testing.TB) []byte {
	_, data := told(t, timeline.Options{DepthCycles: 1}, func(r *timeline.Recorder) {
		depth := 0
		r.Measure([]seam.Gauge{{Name: "queue", SM: 0}}, func(into []int) { into[0] = depth })
		r.Bound(0, 0, 0, twoLines)
		for _, e := range []struct {
			at    clock.Cycle
			state seam.WarpState
		}{{0, seam.WarpMemory}, {40, seam.WarpIssues}, {41, seam.WarpBarrier}, {300, seam.WarpGone}, {350, seam.WarpFetch}} {
			r.Warp(e.at, seam.WarpSlot{Warp: 0, State: e.state})
		}
		r.Block(0, 0, 0, 5, true)
		r.Block(300, 0, 0, 5, false)
		r.Block(305, 0, 0, 6, true)
		r.Block(312, 0, 0, 6, false)
		for _, at := range []clock.Cycle{100, 200, 250} {
			depth = []int{2, 8, 0}[at/100-1+at%100/50]
			r.Depth(at)
		}
		r.Bound(400, 0, 0, nil)
	})
	return data
}

// A slice lies where its cycles are on the scale, in its track's row, coloured as the legend says of its state, or labelled
// where the name has room. What is not in the chosen stretch is not drawn.
func TestSlicesLieWhereTheScaleSays(t *testing.T) {
	data := scene(t)
	for _, p := range []timeline.Picture{{To: 400}, {From: 30, To: 310}, {From: 41, To: 300}} {
		s := drawn(t, data, p)
		first, last := s.text(t, fmt.Sprint(p.From)), s.text(t, fmt.Sprint(p.To))
		x := func(at int) float64 {
			cycle := float64(min(max(at, int(p.From)), int(p.To)))
			return first.X + (cycle-float64(p.From))/float64(p.To-p.From)*(last.X-first.X)
		}
		found := map[string]int{}
		for _, e := range s.Rects {
			var from, to int
			name, cycles, ok := strings.Cut(e.Title, ", cycles ")
			if _, err := fmt.Sscanf(cycles, "%d to %d", &from, &to); !ok || err != nil {
				continue
			}
			found[name]++
			if e.Fill == "" || math.Abs(e.X-x(from)) > 0.11 || math.Abs(e.Width-(x(to)-x(from))) > 0.11 {
				t.Errorf("%+v: %q lies from %g for %g, want from %g to %g", p, e.Title, e.X, e.Width, x(from), x(to))
			}
			row := "warp slot 0"
			if strings.HasPrefix(name, "thread block") {
				row = "block slot 0"
				i := slices.IndexFunc(s.Texts, func(l element) bool { return l.Text == name })
				if fits := e.Width > float64(letter*len(name)); i >= 0 != fits {
					t.Errorf("%+v: %q has a label %v in %g pixels", p, name, i >= 0, e.Width)
				} else if l := s.Texts[max(i, 0)]; fits && (l.X < e.X || l.X+float64(letter*(len(name)-1)) > e.X+e.Width || l.Y < e.Y || l.Y > e.Y+e.Height) {
					t.Errorf("%+v: %q lies at %g, %g for %g, its label at %g, %g", p, name, e.X, e.Y, e.Width, l.X, l.Y)
				}
			} else if !slices.ContainsFunc(s.Rects, func(l element) bool { return l.Width == l.Height && l.Fill == e.Fill }) {
				t.Errorf("%+v: the colour %s of %s is not in the legend", p, e.Fill, name)
			}
			if title := s.text(t, row); e.Y > title.Y || e.Y+e.Height < title.Y || title.X+float64(letter*len(row)) > e.X {
				t.Errorf("%+v: %q lies at %g, its row at %g", p, e.Title, e.Y, title.Y)
			}
		}
		want := map[string]int{}
		for _, x := range []struct {
			name     string
			from, to uint64
		}{{"memory", 0, 40}, {"issue", 40, 41}, {"barrier", 41, 300}, {"fetch", 350, 400}, {"thread block 5", 0, 300}, {"thread block 6", 305, 312}} {
			if x.to > p.From && x.from < p.To {
				want[x.name]++
			}
		}
		if fmt.Sprint(found) != fmt.Sprint(want) {
			t.Errorf("%+v: slices %v, want %v", p, found, want)
		}
	}
}

// The scale has its cycles at equal distances, and ends inside the picture. Groups, their tracks, the scale and the legend
// follow each other in rows, and nothing lies outside of the picture.
func TestAPictureHoldsItsRowsScaleAndLegend(t *testing.T) {
	s := drawn(t, scene(t), timeline.Picture{To: 400})
	for i, e := range append(slices.Clone(s.Rects), s.Texts...) {
		if e.X < 0 || e.X+e.Width > s.Width || e.Y < 0 || e.Y+e.Height > s.Height || i > 0 && e.Width > s.Width-200 {
			t.Errorf("%+v lies outside of %g x %g", e, s.Width, s.Height)
		}
	}
	var ticks []element
	for i := range 9 {
		ticks = append(ticks, s.text(t, strconv.Itoa(400*i/8)))
	}
	step := ticks[1].X - ticks[0].X
	for i, e := range ticks[1:] {
		if math.Abs(e.X-ticks[i].X-step) > 0.21 || e.Y != ticks[0].Y || (e.Anchor == "end") != (i == 7) {
			t.Errorf("the scale has %+v behind %+v", e, ticks[i])
		}
	}
	order := []string{"SM 0", "block slot 0", "warp slot 0", "queue", "core cycle", "barrier"}
	for i := 1; i < len(order); i++ {
		if before, e := s.text(t, order[i-1]), s.text(t, order[i]); e.Y-before.Y != 16 {
			t.Errorf("%q lies at %g, %q at %g", order[i-1], before.Y, order[i], e.Y)
		}
	}
	if group := s.text(t, "SM 0"); group.Weight != "bold" || s.text(t, "queue").Weight != "" {
		t.Errorf("a group is %+v", group)
	}
	// The legend: a square, its state, and the next square behind it.
	end := 0.0
	for _, state := range []string{"barrier", "fetch", "issue", "memory"} {
		name := s.text(t, state)
		i := slices.IndexFunc(s.Rects, func(e element) bool {
			return e.Width == e.Height && e.X < name.X && e.X+e.Width+5 >= name.X && e.Y < name.Y && e.Y+e.Height >= name.Y-2
		})
		if i < 0 || s.Rects[i].X < end {
			t.Fatalf("%s at %+v has no square of its own in %+v", state, name, s.Rects)
		}
		square := s.Rects[i]
		if j := slices.IndexFunc(s.Rects, func(e element) bool { return strings.HasPrefix(e.Title, state+", ") }); square.Fill != s.Rects[j].Fill {
			t.Errorf("%s is %s in the legend, and drawn as %s", state, square.Fill, s.Rects[j].Fill)
		}
		end = name.X + float64(letter*len(state))
	}
}

// A queue is an area: as high as its row where it is fullest, a quarter of that with a quarter in it, closed at the bottom.
// A part of the timeline begins with what the queue has then.
func TestAQueueIsAnAreaOfItsDepth(t *testing.T) {
	type step struct{ cycle, share float64 }
	data := scene(t)
	for _, c := range []struct {
		from uint64
		want []step
	}{
		{0, []step{{100, 0.25}, {200, 1}, {250, 0}, {400, 0}}},
		{220, []step{{220, 1}, {250, 0}, {400, 0}}},
	} {
		s := drawn(t, data, timeline.Picture{From: c.from, To: 400})
		if len(s.Paths) != 1 {
			t.Fatalf("%d areas", len(s.Paths))
		}
		var at, levels []float64
		for _, part := range regexp.MustCompile(`[HV][0-9.]+`).FindAllString(s.Paths[0].Path, -1) {
			v, _ := strconv.ParseFloat(part[1:], 64)
			if part[0] == 'H' {
				at = append(at, v)
			} else {
				levels = append(levels, v)
			}
		}
		x := func(cycle float64) float64 {
			first, end := s.text(t, fmt.Sprint(c.from)), s.text(t, "400")
			return first.X + (cycle-float64(c.from))/(400-float64(c.from))*(end.X-first.X)
		}
		row := s.text(t, "queue")
		bottom := levels[len(levels)-1]
		high := bottom - slices.Min(levels)
		if high < 10 || high > 16 || bottom < row.Y || bottom > row.Y+16 {
			t.Errorf("an area from %g up by %g in the row at %g", bottom, high, row.Y)
		}
		for i, want := range c.want {
			if len(at) != len(c.want) || math.Abs(at[i]-x(want.cycle)) > 0.11 || math.Abs(bottom-levels[i]-want.share*high) > 0.11 {
				t.Fatalf("from %d: steps at %v to %v: want %g of the height from %g on", c.from, at, levels, want.share, x(want.cycle))
			}
		}
		if most := s.text(t, "up to 8"); most.Anchor != "end" || most.X > x(float64(c.from)) || most.Y != row.Y {
			t.Errorf("the largest depth is told by %+v", most)
		}
	}
}
