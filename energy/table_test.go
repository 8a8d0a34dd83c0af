// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// The rows below the tree, of 8 J in 2 s by four thread instructions, and of half of that
// energy in the same time, with ratios to the first.
func TestTheTableHasTheSummaries(t *testing.T) {
	reports := []Report{
		{Machine: "a", Seconds: 2, ThreadInstructions: 4, Leaves: []Leaf{{Path: "chip/sm", DynamicJ: 5, StaticJ: 1}, {Path: "chip/DRAM", DynamicJ: 2}}},
		{Machine: "b", Seconds: 2, ThreadInstructions: 4, Leaves: []Leaf{{Path: "chip/sm", DynamicJ: 3}, {Path: "chip/DRAM", DynamicJ: 1}}},
	}
	var b bytes.Buffer
	if err := WriteTable(&b, reports); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(b.String(), "\n"); !slices.ContainsFunc(lines, func(l string) bool {
		return strings.Join(strings.Fields(l), " ") == "component dynamic [uJ] static [uJ] dynamic [uJ] static [uJ] ratio"
	}) {
		t.Errorf("no row of titles in\n%s", b.String())
	}
	for title, want := range map[string][]string{
		"total [uJ]":                                   {"8e+06", "4e+06", "0.500"},
		"average power [W]":                            {"4", "2", "0.500"},
		"energy-delay [J s]":                           {"16", "8", "0.500"},
		"energy-delay^2 [J s^2]":                       {"32", "16", "0.500"},
		"energy per instruction [pJ/thread]":           {"2e+12", "1e+12", "0.500"},
		"performance per watt [thread instructions/J]": {"0.5", "1", "2.000"},
	} {
		at := strings.Index(b.String(), title)
		if at < 0 {
			t.Errorf("no row %s in\n%s", title, b.String())
			continue
		}
		line, _, _ := strings.Cut(b.String()[at+len(title):], "\n")
		if got := strings.Fields(line); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", title, got, want)
		}
	}
}
