// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"strings"
	"testing"
)

func TestGridsAreAlignedAndFit(t *testing.T) {
	g := Grid{
		Columns: []GridColumn{{Name: "machine", Left: true}, {Name: "cycles"}, {Name: "µs"}, {Name: "note", Left: true}},
		Rows:    [][]string{{"gtx480", "7", "12.5", ""}, {"v100", "12345678", "1", "done"}},
	}
	var b strings.Builder
	if err := g.Write(&b); err != nil {
		t.Fatal(err)
	}
	want := "" +
		"machine    cycles    µs  note\n" +
		"gtx480          7  12.5\n" +
		"v100     12345678     1  done\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	for width, columns := range map[int]int{0: 1, 7: 1, 16: 1, 17: 2, 22: 2, 23: 3, 28: 3, 29: 4, 80: 4} {
		if got := g.Fitting(width); got != columns {
			t.Errorf("%d columns fit into %d characters, want %d", got, width, columns)
		}
	}
}

func TestWidthIsWhatTheEnvironmentSaysInAPipe(t *testing.T) {
	for text, want := range map[string]int{"": 80, "200": 200, "-3": 80, "wide": 80} {
		t.Setenv("COLUMNS", text)
		if got := Width(&strings.Builder{}); got != want {
			t.Errorf("COLUMNS=%q: %d, want %d", text, got, want)
		}
	}
}
