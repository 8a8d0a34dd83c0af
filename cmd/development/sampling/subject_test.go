// SPDX-License-Identifier: Apache-2.0

package sampling

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/host"
)

// Every parameter of a larger run is one that the program has, and its name finds it.
func TestLargerRunsSetParametersThatTheirProgramsHave(t *testing.T) {
	all, err := samplingSubjects(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for i := range all {
		s := &all[i]
		if s.set == "" {
			continue
		}
		count++
		program, err := host.Load(s.Files, s.Program)
		if err != nil {
			t.Fatal(err)
		}
		has := program.Sizes()[0].Parameters
		for name := range s.parameters() {
			if !slices.ContainsFunc(has, func(p host.Parameter) bool { return p.Name == name }) {
				t.Errorf("%s: the program has no parameter %s", s.name(), name)
			}
		}
		only, err := samplingSubjects([]string{s.name()}, false)
		if err != nil || len(only) != 1 || only[0].name() != s.name() {
			t.Errorf("%s names %d subjects: %v", s.name(), len(only), err)
		}
		only, err = samplingSubjects([]string{s.Name}, false)
		if err != nil || len(only) != 1 || only[0].set != "" {
			t.Errorf("%s names %d subjects: %v", s.Name, len(only), err)
		}
	}
	if count != len(largerMeasured) || count == 0 {
		t.Errorf("%d larger runs of %d", count, len(largerMeasured))
	}
	two := samplingSubject{set: "height=3 width=4"}
	if want := map[string]string{"height": "3", "width": "4"}; !maps.Equal(two.parameters(), want) {
		t.Errorf("got %v, want %v", two.parameters(), want)
	}
}

// A larger run has rows of its own, and a line of its own in the tables.
func TestLargerRunsDoNotMixWithTheCataloguesSizes(t *testing.T) {
	rows := []samplingRow{
		{Workload: "copy-aligned", Machine: "gtx480", Asked: "auto", StoredPercent: 50, Cycles: 1, FullCycles: 1},
		{Workload: "copy-aligned", Set: "n=9", Machine: "gtx480", Asked: "auto", StoredPercent: 10, Cycles: 1, FullCycles: 1},
	}
	if rows[0].key() == rows[1].key() {
		t.Errorf("both rows have the key %q", rows[0].key())
	}
	machines := []string{"gtx480"}
	if got := matrix(rows, machines); strings.Count(got, "copy-aligned") != 1 || strings.Contains(got, "n=9") {
		t.Errorf("the catalogue's sizes:\n%s", got)
	}
	if got := larger(rows, machines); strings.Count(got, "copy-aligned") != 1 || !strings.Contains(got, "`copy-aligned n=9` | gtx480 | `auto` | 10.0") {
		t.Errorf("larger runs:\n%s", got)
	}
}
