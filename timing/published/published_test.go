// SPDX-License-Identifier: Apache-2.0

package published

import (
	"slices"
	"testing"
)

// Each figure has a source, lies in what the model may say or was measured twice, and stands once.
func TestEachFigureStandsOnceWithItsSource(t *testing.T) {
	list, err := Microbenchmarks()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range list {
		name := f.Machine + " " + f.By + " " + f.Benchmark
		if seen[name] || f.Source == "" || !slices.Contains([]string{"looked up", "recalled", "inferred"}, f.Seen) || f.By != "model" && f.By != "program" || f.By == "model" && f.Missed != "" {
			t.Errorf("%s: a second time, without a source, seen as %q, by %q or missed by a test of the model", name, f.Seen, f.By)
		}
		if seen[name] = true; f.Published < f.Least || f.Published > f.Most+1 || f.Least > f.Most {
			t.Errorf("%s: %v is not between %v and %v", name, f.Published, f.Least, f.Most)
		}
	}
}
