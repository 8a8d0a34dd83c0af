// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/cmd/results"
)

// TestEqualResultsGiveEqualPages, whichever folder they lie in.
func TestEqualResultsGiveEqualPages(t *testing.T) {
	a, b := pageOf(t, documentOf(t, small(t))), pageOf(t, documentOf(t, small(t)))
	if !bytes.Equal(a, b) {
		t.Error("two pages of the same results differ")
	}
	if len(a) > 1<<20 {
		t.Errorf("a page of sixteen points has %d bytes", len(a))
	}
}

// TestPointsWithoutResultsAreListed, each with its state and its reason, and each chart
// has them among its rows.
func TestPointsWithoutResultsAreListed(t *testing.T) {
	store := small(t)
	m, err := store.Manifest("small")
	if err != nil {
		t.Fatal(err)
	}
	var possible []*results.PlannedPoint
	for i := range m.Points {
		if m.Points[i].Key != "" {
			possible = append(possible, &m.Points[i])
		}
	}
	file := func(p *results.PlannedPoint) string {
		return filepath.Join(store.Root(), "points", p.Key[:2], p.Key+".json.zst")
	}
	for i, refused := range []bool{true, false} {
		if err := os.Remove(file(possible[i])); err != nil {
			t.Fatal(err)
		}
		if err := store.PutFailure(&results.Failure{Key: possible[i].Key, Refused: refused, Reason: "no room for <b>it</b>"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(file(possible[2])); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file(possible[3]), []byte("cut off"), 0o666); err != nil {
		t.Fatal(err)
	}
	d := documentOf(t, store)
	table := sectionOf(t, d, "missing").Parts[0].Table
	got := map[string]int{}
	state := table.Dataset.Column(columnState)
	for row := range table.Dataset.Len() {
		got[state.words[state.index[row]]]++
	}
	want := map[string]int{stateImpossible: 8, stateRefused: 1, stateFailed: 1, stateNotMade: 1, stateDamaged: 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, s := range d.Sections {
		for _, p := range s.Parts {
			if p.Chart == nil || p.Chart.Reason == "" {
				continue
			}
			reason, none := p.Chart.Dataset.Column(columnReason), 0
			for _, w := range reason.index {
				if reason.words[w] == "" {
					none++
				}
			}
			if p.Chart.Dataset.Len() != len(m.Points) || none != 4 {
				t.Errorf("section %s: a chart has %d rows, %d of them without a reason", s.ID, p.Chart.Dataset.Len(), none)
			}
		}
	}
}

// TestMetricsAreThoseOfThePlan: the reference has a speed-up of one, and a metric of a
// mechanism that is off has no value and says why.
func TestMetricsAreThoseOfThePlan(t *testing.T) {
	d := documentOf(t, small(t))
	var data *Dataset
	for _, p := range sectionOf(t, d, "overview").Parts {
		if p.Table != nil && p.Table.Title == "All points" {
			data = p.Table.Dataset
		}
	}
	speedup, warps := data.Column(metricPrefix+"speedup"), data.Column(axisPrefix+"sm.max_warps")
	references := 0
	for row, v := range speedup.numbers {
		if warps.words[warps.index[row]] == "48" && !math.IsNaN(v) {
			references++
			if v != 1 {
				t.Errorf("row %d: a reference has a speed-up of %g", row, v)
			}
		}
	}
	if references != 4 {
		t.Errorf("%d references with a value", references)
	}
	for _, v := range data.Column(metricPrefix + "flushes").numbers {
		if !math.IsNaN(v) {
			t.Errorf("flushes without a tinyCache: %g", v)
		}
	}
	missing := sectionOf(t, d, "missing")
	if last := missing.Parts[len(missing.Parts)-1].Table; last == nil || last.Dataset.Column("points").numbers[0] != 8 {
		t.Error("the page does not say why a metric has no values")
	}
}

// TestLinesHaveTheirText: the text next to every instruction has its opcode. The lines add
// up to the slots of the kernel's own counters, but for idle ones.
func TestLinesHaveTheirText(t *testing.T) {
	d := documentOf(t, small(t))
	data := sectionOf(t, d, "lines").Parts[0].Chart.Dataset
	text, issued := data.Column("text"), data.Column("issued")
	instructions := 0
	for row, n := range issued.numbers {
		line := text.words[text.index[row]]
		if math.IsNaN(n) {
			continue
		}
		instructions++
		if !strings.Contains(line, ";") {
			t.Errorf("row %d is no instruction: %q", row, line)
		}
	}
	if instructions < 40 {
		t.Errorf("%d instructions", instructions)
	}
}

// TestAFolderWithoutItsTracesHasAReport: figures without text, and a note.
func TestAFolderWithoutItsTracesHasAReport(t *testing.T) {
	store := small(t)
	m, err := store.Manifest("small")
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Traces {
		m.Traces[i].Path = "traces/gone.wtape"
	}
	if err := store.PutManifest(m); err != nil {
		t.Fatal(err)
	}
	s := sectionOf(t, documentOf(t, store), "lines")
	notes := s.Parts[len(s.Parts)-1].Notes
	if len(notes) != 2 || !strings.Contains(notes[0], "no source text") {
		t.Errorf("%q", notes)
	}
}
