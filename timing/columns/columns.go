// SPDX-License-Identifier: Apache-2.0

// Package columns lays out the tables that reports print.
package columns

import (
	"strings"
	"unicode/utf8"
)

// Write appends the rows to b, a line each. The first column is aligned to the
// left, the others to the right, with two spaces between columns, no space at
// the end of a line. All rows have as many cells as the first.
func Write(b *strings.Builder, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line.WriteString(cell + pad)
			} else {
				line.WriteString("  " + pad + cell)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
