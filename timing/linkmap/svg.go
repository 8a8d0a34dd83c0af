// SPDX-License-Identifier: Apache-2.0

package linkmap

import (
	"bytes"
	"fmt"
	"html"
	"io"

	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace/samefloat"
)

// Measures in SVG's pixels.
const (
	step    = 44.0 // between neighbours
	side    = 18.0 // of a router
	apart   = 4.0  // of the two directions of a link, from its middle
	margin  = 30.0
	heading = 40.0 // above a panel
	legend  = 56.0
	least   = 620.0 // width of a picture, so that the legend fits
)

// endColours are those of routers by what is attached, endLetters what is written
// on them.
var (
	endColours = [...]string{nothing: "#ffffff", sm: "#cfe2f3", slice: "#0072b2", both: "#7fb2d6"}
	endLetters = [...]string{nothing: "", sm: "", slice: "M", both: ""}
)

// Write draws the networks of all results in one picture, a row for each machine:
// the same trace before and after a change of the machine can be compared. Each
// line has a tooltip with its routers, flits and use. Results without routers are
// left out; the error says when none is left, or what could not be written.
func Write(w io.Writer, results []replay.Result) error {
	var rows [][]panel
	for i := range results {
		row, err := panels(&results[i])
		if err != nil {
			return err
		}
		if len(row) > 0 {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return fmt.Errorf("no links between routers: a crossbar has none; replay on a machine with network.topology mesh or butterfly, such as mesh56")
	}
	width, height := size(rows)
	var b bytes.Buffer
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"12\">\n", width, height, width, height)
	fmt.Fprintf(&b, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"white\"/>\n", width, height)
	y := 0.0
	for _, row := range rows {
		x, tallest := 0.0, 0.0
		for k := range row {
			row[k].draw(&b, x, y)
			x += row[k].width()
			tallest = max(tallest, row[k].height())
		}
		y += tallest
	}
	drawLegend(&b, y)
	b.WriteString("</svg>\n")
	_, err := w.Write(b.Bytes())
	return err
}

func (p *panel) width() float64  { return 2*margin + side + float64((p.columns-1)*step) }
func (p *panel) height() float64 { return heading + margin + side + float64((p.rows-1)*step) }

func size(rows [][]panel) (width, height float64) {
	width, height = least, legend
	for _, row := range rows {
		across, tallest := 0.0, 0.0
		for k := range row {
			across += row[k].width()
			tallest = max(tallest, row[k].height())
		}
		width = max(width, across)
		height += tallest
	}
	return width, height
}

// draw writes the panel with its upper left corner at x, y.
func (p *panel) draw(b *bytes.Buffer, x, y float64) {
	mean, most := p.load()
	fmt.Fprintf(b, "<g transform=\"translate(%.1f %.1f)\">\n", x, y)
	fmt.Fprintf(b, "<text x=\"%.0f\" y=\"20\" font-weight=\"bold\">%s</text>\n", margin, html.EscapeString(p.machine))
	fmt.Fprintf(b, "<text x=\"%.0f\" y=\"36\">%s network: mean link %.1f %%, busiest %.1f %%</text>\n", margin, p.network, 100*mean, 100*most)
	for _, l := range p.links {
		p.line(b, &l)
	}
	for n := range p.routers {
		p.box(b, n)
	}
	b.WriteString("</g>\n")
}

// middle is where the middle of a router is drawn.
func (p *panel) middle(n int) (x, y float64) {
	r := &p.routers[n]
	return margin + side/2 + float64(r.x*step), heading + 12 + side/2 + float64(r.y*step)
}

// line draws a link on the right-hand side of its way.
func (p *panel) line(b *bytes.Buffer, l *replay.Link) {
	x1, y1 := p.middle(l.From)
	x2, y2 := p.middle(l.To)
	dx, dy := x2-x1, y2-y1
	length := samefloat.Hypot(dx, dy)
	dx, dy = dx/length, dy/length
	ox, oy := float64(-dy*apart), float64(dx*apart)
	reach := side/2 + 1
	fmt.Fprintf(b, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%.1f\"><title>%d to %d: %d flits, busy %.1f %%</title></line>\n",
		x1+float64(dx*reach)+ox, y1+float64(dy*reach)+oy, x2-float64(dx*reach)+ox, y2-float64(dy*reach)+oy, colour(l.Busy), 1.5+float64(4.5*min(l.Busy, 1)), l.From, l.To, l.Flits, 100*l.Busy)
}

func (p *panel) box(b *bytes.Buffer, n int) {
	x, y := p.middle(n)
	e := p.routers[n].end
	fmt.Fprintf(b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\" fill=\"%s\" stroke=\"#444444\"><title>router %d</title></rect>\n", x-side/2, y-side/2, side, side, endColours[e], n)
	if p.labels && endLetters[e] != "" {
		fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"white\" pointer-events=\"none\">%s</text>\n", x, y+4, endLetters[e])
	}
}

// drawLegend explains colours and boxes below the panels.
func drawLegend(b *bytes.Buffer, y float64) {
	fmt.Fprintf(b, "<g transform=\"translate(%.0f %.1f)\">\n", margin, y)
	const steps, wide = 20, 10
	for i := range steps {
		fmt.Fprintf(b, "<rect x=\"%d\" y=\"8\" width=\"%d\" height=\"12\" fill=\"%s\"/>\n", i*wide, wide, colour((float64(i)+0.5)/steps))
	}
	for _, mark := range []int{0, 50, 100} {
		fmt.Fprintf(b, "<text x=\"%d\" y=\"34\" text-anchor=\"middle\">%d %%</text>\n", mark*steps*wide/100, mark)
	}
	fmt.Fprintf(b, "<text x=\"%d\" y=\"18\">of cycles busy; a direction is right of its link's middle</text>\n", steps*wide+12)
	x := steps*wide + 60
	for _, e := range []struct {
		end  end
		name string
	}{{sm, "SM"}, {slice, "L2 slice and memory"}, {nothing, "router only"}} {
		fmt.Fprintf(b, "<rect x=\"%d\" y=\"26\" width=\"12\" height=\"12\" fill=\"%s\" stroke=\"#444444\"/><text x=\"%d\" y=\"36\">%s</text>\n", x, endColours[e.end], x+17, e.name)
		x += 40 + 7*len(e.name)
	}
	b.WriteString("</g>\n")
}
