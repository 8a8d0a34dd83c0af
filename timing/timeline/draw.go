// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"fmt"
	"hash/fnv"
	"html"
	"io"
	"slices"
	"strings"
)

// Picture says what Draw draws.
type Picture struct {
	// From and To are cycles; To zero is the end.
	From, To uint64
	// Groups are those to draw; none: all.
	Groups []string
	// Tracks is the most tracks of one kind ("warp slot") in a group; zero: all.
	Tracks int
}

// The sizes of a picture in pixels.
const (
	pictureWidth = 1400
	labelWidth   = 220
	rowHeight    = 16
	leastWidth   = 0.4 // of a slice that is drawn
)

// colours of states; other names get one by their hash.
var colours = map[string]string{
	"issued": "#2e7d32", "issue": "#2e7d32", "idle": "#e0e0e0", "ready": "#a5d6a7", "memory": "#c62828", "compute": "#f9a825",
	"unit": "#fdd835", "lsu": "#ef6c00", "operand": "#d4a017", "fetch": "#6a1b9a", "barrier": "#1565c0", "fence": "#00838f", "drain": "#bdbdbd",
}

func colour(name string) string {
	if c, ok := colours[name]; ok {
		return c
	}
	h := fnv.New32a()
	io.WriteString(h, strings.TrimRight(name, "0123456789"))
	return fmt.Sprintf("hsl(%d,45%%,60%%)", h.Sum32()%360)
}

// Draw draws tracks below one another as an SVG picture, time from left to right.
func (d *Drawing) Draw(w io.Writer, p Picture) error {
	if p.To == 0 {
		p.To = d.end
	}
	if p.To <= p.From || p.From >= d.end {
		return fmt.Errorf("nothing lies between the cycles %d and %d: the timeline ends at %d", p.From, p.To, d.end)
	}
	rows := d.rows(&p)
	if len(rows) == 0 {
		return fmt.Errorf("no track has anything between the cycles %d and %d", p.From, p.To)
	}
	height := (len(rows) + 3) * rowHeight
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">`+"\n", pictureWidth, height)
	fmt.Fprintf(w, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", pictureWidth, height)
	used := map[string]bool{}
	for i, t := range rows {
		d.row(w, &p, t, (i+1)*rowHeight, used)
	}
	axis(w, &p, (len(rows)+1)*rowHeight)
	legend(w, used, (len(rows)+2)*rowHeight)
	_, err := io.WriteString(w, "</svg>\n")
	return err
}

// rows chooses the tracks, group by group; a group begins with an empty one.
func (d *Drawing) rows(p *Picture) []*readTrack {
	var groups []string
	byGroup := map[string][]*readTrack{}
	kinds := map[string]int{}
	for _, t := range d.tracks {
		kind := t.group + "\x00" + strings.TrimRight(t.title, "0123456789")
		if len(t.drawn) == 0 || len(p.Groups) > 0 && !slices.Contains(p.Groups, t.group) || p.Tracks > 0 && kinds[kind] >= p.Tracks {
			continue
		}
		kinds[kind]++
		if byGroup[t.group] == nil {
			groups = append(groups, t.group)
		}
		byGroup[t.group] = append(byGroup[t.group], t)
	}
	var rows []*readTrack
	for _, g := range groups {
		rows = append(rows, &readTrack{title: g})
		list := byGroup[g]
		slices.SortStableFunc(list, func(a, b *readTrack) int { return rank(a.title) - rank(b.title) })
		rows = append(rows, list...)
	}
	return rows
}

// rank orders the kinds of tracks of a group.
func rank(title string) int {
	for i, kind := range []string{"kernels", "copies", "block slot", "scheduler", "warp slot", "requests"} {
		if strings.HasPrefix(title, kind) {
			return i
		}
	}
	return 9
}

// x is the place of a time.
func (p *Picture) x(at uint64) float64 {
	at = min(max(at, p.From), p.To)
	return labelWidth + float64(float64(at-p.From)/float64(p.To-p.From)*(pictureWidth-labelWidth-10))
}

func (d *Drawing) row(w io.Writer, p *Picture, t *readTrack, y int, used map[string]bool) {
	if len(t.drawn) == 0 {
		fmt.Fprintf(w, `<text x="4" y="%d" font-weight="bold">%s</text>`+"\n", y+12, html.EscapeString(t.title))
		return
	}
	fmt.Fprintf(w, `<text x="12" y="%d">%s</text>`+"\n", y+12, html.EscapeString(t.title))
	if t.drawn[0].name == "" {
		d.steps(w, p, t, y)
		return
	}
	free := 0.0
	for i := range t.drawn {
		m := &t.drawn[i]
		if m.end <= p.From || m.start >= p.To {
			continue
		}
		left, right := p.x(m.start), p.x(m.end)
		if right < free+leastWidth {
			continue // hidden by the one before, at this width
		}
		free = right
		fmt.Fprintf(w, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"><title>%s, cycles %d to %d</title></rect>`+"\n",
			left, y+2, max(right-left, leastWidth), rowHeight-3, colour(m.name), html.EscapeString(m.name), m.start, m.end)
		if _, state := colours[m.name]; state {
			used[m.name] = true
		} else if text := html.EscapeString(m.name); right-left > float64(6*len(m.name)) {
			fmt.Fprintf(w, `<text x="%.1f" y="%d">%s</text>`+"\n", left+3, y+12, text)
		}
	}
}

// steps draws a counter as an area.
func (d *Drawing) steps(w io.Writer, p *Picture, t *readTrack, y int) {
	top := int64(1)
	for _, m := range t.drawn {
		top = max(top, m.value)
	}
	level := func(v int64) float64 {
		return float64(y+rowHeight-1) - float64(float64(max(v, 0))/float64(top)*(rowHeight-3))
	}
	fmt.Fprintf(w, `<path fill="#90a4ae" d="M%.1f %.1f`, p.x(t.drawn[0].start), level(0))
	for _, m := range t.drawn {
		fmt.Fprintf(w, "H%.1fV%.1f", p.x(m.start), level(m.value))
	}
	fmt.Fprintf(w, `H%.1fV%.1fZ"/>`+"\n", p.x(p.To), level(0))
	fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="end" fill="#546e7a">up to %d</text>`+"\n", labelWidth-4, y+12, top)
}

// axis draws the scale in core cycles.
func axis(w io.Writer, p *Picture, y int) {
	const ticks = 8
	for i := range uint64(ticks + 1) {
		at := p.From + (p.To-p.From)*i/ticks
		anchor := "middle"
		if i == ticks {
			anchor = "end"
		}
		fmt.Fprintf(w, `<text x="%.1f" y="%d" text-anchor="%s" fill="#616161">%d</text>`+"\n", p.x(at), y+12, anchor, at)
	}
	fmt.Fprintf(w, `<text x="12" y="%d" fill="#616161">core cycle</text>`+"\n", y+12)
}

// legend names the colours of states.
func legend(w io.Writer, used map[string]bool, y int) {
	var names []string
	for n := range used {
		names = append(names, n)
	}
	slices.Sort(names)
	x := labelWidth
	for _, n := range names {
		fmt.Fprintf(w, `<rect x="%d" y="%d" width="10" height="10" fill="%s"/><text x="%d" y="%d">%s</text>`+"\n", x, y+3, colour(n), x+14, y+12, n)
		x += 34 + 7*len(n)
	}
}
