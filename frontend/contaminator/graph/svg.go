// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/warptape/warptape/frontend/contaminator"
)

// sideRoom is the room on the right in which edges go back up.
const sideRoom = 120

// svgClasses are by edgeKind.
var svgClasses = [...]string{"f", "t", "r"}

// SVG draws the control-flow graph of a kernel, from its entry at the top.
// Solid edges are branches, dashed ones fall through, dotted red ones lead from
// divergent branches to where their lanes meet again. The result stands alone.
func SVG(w io.Writer, k *contaminator.Kernel) error {
	g := build(k)
	l, b := arrange(g), bufio.NewWriter(w)
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" font-family="monospace" font-size="%d">
<title>%s</title>
<style>rect{fill:#fff;stroke:#444}.d{fill:#fdf0f3}.h{font-weight:bold}path{fill:none;stroke:#444}.f{stroke-dasharray:5 3}.r{stroke:#b03060;stroke-dasharray:1 3}</style>
<defs><marker id="a" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" style="fill:#444;stroke:none"/></marker></defs>
`, l.width, l.height, l.width, l.height, fontSize, escapeXML(k.PTX.Name))
	for i, e := range g.edges {
		fmt.Fprintf(b, "<path class=\"%s\" marker-end=\"url(#a)\" d=\"%s\"/>\n", svgClasses[e.kind], l.route(e, l.back[i], i))
	}
	for i, lines := range g.nodes {
		l.drawNode(b, i, lines, i < len(k.Segments) && k.Segments[i].Divergent)
	}
	b.WriteString("</svg>\n")
	return b.Flush()
}

func (l *layout) drawNode(b *bufio.Writer, i int, lines []string, divergent bool) {
	p, class := &l.places[i], ""
	if divergent {
		class = ` class="d"`
	}
	left := p.x - float64(p.width/2)
	fmt.Fprintf(b, "<rect%s x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"3\"/>\n", class, left, p.y, p.width, p.height)
	for n, s := range lines {
		class = ""
		if n == 0 {
			class = ` class="h"`
		}
		fmt.Fprintf(b, "<text%s x=\"%.1f\" y=\"%.1f\" xml:space=\"preserve\">%s</text>\n", class, left+padding, p.y+padding+float64(float64(n+1)*lineHeight)-3, escapeXML(s))
	}
}

// route is the path of an edge: down from the bottom of one node to the top of
// another; back up on the right; to a post-dominator on the left.
func (l *layout) route(e edge, back bool, number int) string {
	a, z := &l.places[e.from], &l.places[e.to]
	switch {
	case e.kind == reconverges:
		x1, x2 := a.x-float64(a.width/2), z.x-float64(z.width/2)
		out := min(x1, x2) - 20
		return fmt.Sprintf("M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", x1, a.y+float64(a.height/2), out, a.y+float64(a.height/2), out, z.y+padding, x2, z.y+padding)
	case back:
		x1, x2 := a.x+float64(a.width/2), z.x+float64(z.width/2)
		out := max(x1, x2) + 30 + float64(float64(number%8)*10)
		return fmt.Sprintf("M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", x1, a.y+a.height-padding, out, a.y+a.height, out, z.y, x2, z.y+padding)
	}
	path := fmt.Sprintf("M%.1f %.1f", a.x, a.y+a.height)
	for _, bend := range l.bends[number] {
		b := &l.places[bend]
		path += down(a.x, a.y+a.height, b.x, b.y) + fmt.Sprintf("V%.1f", b.y+b.height)
		a = b
	}
	return path + down(a.x, a.y+a.height, z.x, z.y)
}

// down is a curve that begins and ends vertically.
func down(x1, y1, x2, y2 float64) string {
	middle := (y1 + y2) / 2
	return fmt.Sprintf("C%.1f %.1f %.1f %.1f %.1f %.1f", x1, middle, x2, middle, x2, y2)
}

func escapeXML(s string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		panic("BUG: a strings.Builder fails: " + err.Error())
	}
	return b.String()
}
