// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Grid is a table of texts with a header.
type Grid struct {
	Columns []GridColumn
	Rows    [][]string // a cell per column
}

// GridColumn is the head of a column.
type GridColumn struct {
	Name string
	Left bool // its cells begin, and do not end, at one place
}

// gap stands between two columns.
const gap = "  "

func (g *Grid) widths() []int {
	widths := make([]int, len(g.Columns))
	for i := range g.Columns {
		widths[i] = utf8.RuneCountInString(g.Columns[i].Name)
	}
	for _, row := range g.Rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// Fitting is how many of the first columns fit into so many characters; at least one.
func (g *Grid) Fitting(width int) int {
	used := 0
	for i, w := range g.widths() {
		used += w
		if i > 0 {
			used += len(gap)
		}
		if used > width && i > 0 {
			return i
		}
	}
	return len(g.Columns)
}

// Write writes the table, a line per row, without spaces at the ends of lines.
func (g *Grid) Write(w io.Writer) error {
	widths := g.widths()
	var b strings.Builder
	line := func(cell func(i int) string) {
		var l strings.Builder
		for i := range g.Columns {
			if i > 0 {
				l.WriteString(gap)
			}
			text := cell(i)
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if g.Columns[i].Left {
				l.WriteString(text + pad)
			} else {
				l.WriteString(pad + text)
			}
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	line(func(i int) string { return g.Columns[i].Name })
	for _, row := range g.Rows {
		line(func(i int) string { return row[i] })
	}
	_, err := io.WriteString(w, b.String())
	return err
}
