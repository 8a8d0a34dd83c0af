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

// The tree is in microjoules: parts of 5 and 1 J, and of 2 J, are 8 J of the chip.
func TestTheTableIsInMicrojoules(t *testing.T) {
	reports := []Report{{Machine: "a", Seconds: 2, Leaves: []Leaf{{Path: "chip/sm", DynamicJ: 5e-6, StaticJ: 1e-6}, {Path: "chip/DRAM", DynamicJ: 2e-6}}}}
	var b bytes.Buffer
	if err := WriteTable(&b, reports); err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(b.String()) {
		if f := strings.Fields(line); len(f) == 3 && rows[f[0]] == "" { // views have rows of these names behind the tree
			rows[f[0]] = f[1] + " " + f[2]
		}
	}
	for part, want := range map[string]string{"chip": "7.000 1.000", "sm": "5.000 1.000", "DRAM": "2.000 0.000"} {
		if rows[part] != want {
			t.Errorf("%s has %q, want %q, in\n%s", part, rows[part], want, b.String())
		}
	}
	if !strings.HasPrefix(b.String(), "energy of a: ") || !strings.Contains(b.String(), "\n\n") {
		t.Errorf("the table begins with\n%.100s", b.String())
	}
}
