// SPDX-License-Identifier: Apache-2.0

// Package terminal lays out what commands print for people.
package terminal

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// usualWidth is assumed where nothing says how wide the output is.
const usualWidth = 80

// Width is how many characters a line of the output has room for: those of the terminal,
// or else what the environment variable COLUMNS says, or 80.
func Width(w io.Writer) int {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return usualWidth
}
