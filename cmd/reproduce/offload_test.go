// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace/wtape"
)

// TestOffloadHasAPlaceForEveryPublishedValue, when all the overlays exist that the
// paper's mechanisms and sweeps need.
func TestOffloadHasAPlaceForEveryPublishedValue(t *testing.T) {
	s := newOffloadStudy(func(string) bool { return true })
	list, err := allPublished("offload")
	if err != nil {
		t.Fatal(err)
	}
	rows := []string{"mean", "micro mean", "mean with variants", "mean with variants, unrolled", "micro mean with variants"}
	for _, n := range offloadLengths {
		rows = append(rows, strconv.Itoa(n))
	}
	for i := range s.Workloads {
		rows = append(rows, s.Workloads[i].Label)
	}
	for _, sweep := range offloadSweepList {
		for _, v := range sweep.variants {
			rows = append(rows, v.label)
		}
	}
	for _, p := range list {
		at := slices.IndexFunc(s.Figures, func(f Figure) bool { return f.ID == p.Figure })
		if at < 0 || !slices.Contains(s.Figures[at].Series, p.Series) || !slices.Contains(rows, p.Row) {
			t.Errorf("figure %s, row %s, series %s does not exist", p.Figure, p.Row, p.Series)
		}
	}
}

// TestOffloadColumnsAreOfOverlaysThatExist: without the mechanisms no figure needs
// them, and what is published of them is left out.
func TestOffloadColumnsAreOfOverlaysThatExist(t *testing.T) {
	none := newOffloadStudy(func(string) bool { return false })
	for _, size := range none.Sizes {
		for _, spec := range none.needed(size) {
			if _, err := arch.Load(spec); err != nil || strings.Contains(spec, "compute") {
				t.Errorf("without mechanisms figures need %s: %v", spec, err)
			}
		}
	}
	llc := newOffloadStudy(func(name string) bool { return name == offloadLLC })
	i := slices.IndexFunc(llc.Figures, func(f Figure) bool { return f.ID == "11a" })
	if i < 0 || !slices.Equal(llc.Figures[i].Series, []string{"LLC-Compute"}) || slices.Contains(llc.needed("small"), offloadOff+"+"+offloadOmni) {
		t.Errorf("with LLC-Compute alone: %+v", llc.Figures)
	}
}

// TestSizePaperReplaysThreeSystems: sweeps, networks and placements are for size small.
func TestSizePaperReplaysThreeSystems(t *testing.T) {
	s := newOffloadStudy(func(string) bool { return true })
	if got, want := s.needed("paper"), []string{offloadOff, offloadOff + "+" + offloadLLC, offloadOff + "+" + offloadOmni}; !slices.Equal(got, want) {
		t.Errorf("size paper needs %v, want %v", got, want)
	}
	if got := len(s.needed("small")); got < 20 {
		t.Errorf("size small needs %d systems", got)
	}
}

// TestTableOfChainsCountsWhatThePassTags, of RED in the version that is offloaded.
func TestTableOfChainsCountsWhatThePassTags(t *testing.T) {
	d := NewData(newOffloadStudy(func(string) bool { return true }), &Results{})
	for i := range offloadNine {
		label := offloadNine[i].Label
		if label == "RED" {
			label = offloadHybrid
		}
		m := Measurement{Workload: label, Architecture: offloadOff}
		if label != "SRAD" { // one that was measured before chains were counted
			m.Program = map[string]uint64{programWarp: 200, programChainInstructions: 20, programRequests: 50, programChainRequests: 40}
		}
		d.results.Measurements = append(d.results.Measurements, m)
	}
	rows, err := offloadTagged()[0].Rows(d)
	if err != nil || len(rows) != 10 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, r := range rows {
		if missing := r.Values[0] != r.Values[0]; missing != (r.Label == "SRAD") || !missing && (r.Values[0] != 10 || r.Values[1] != 80) {
			t.Errorf("%s: %v, want 10 and 80 %%", r.Label, r.Values)
		}
	}
}

// TestChainsOfSaxpy: y = a*x + y is one chain a warp, two loads, a multiply-add and a
// store, with a line for each of the three accesses. There are no others.
func TestChainsOfSaxpy(t *testing.T) {
	r, err := wtape.Open("../../traces/recorded/saxpy.wtape")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n, err := offloadProgram(r)
	if err != nil {
		t.Fatal(err)
	}
	if n[programRequests] == 0 || n[programChainRequests] != n[programRequests] || 3*n[programChainInstructions] != 4*n[programRequests] || n[programWarp] <= n[programChainInstructions] {
		t.Errorf("saxpy: %v", n)
	}
}

// TestVersionsOfREDRunWithWhatFiguresNeed and make no rows of their own; with
// offloading RED is its second hybrid.
func TestVersionsOfREDRunWithWhatFiguresNeed(t *testing.T) {
	s := newOffloadStudy(func(string) bool { return false })
	at := slices.IndexFunc(s.Workloads, func(w Workload) bool { return w.Label == "RED-hybrid-2" })
	if got := s.runs(&s.Workloads[at], "small"); !slices.Equal(got, []string{offloadOff}) {
		t.Errorf("without mechanisms RED-hybrid-2 runs on %v", got)
	}
	with := newOffloadStudy(func(string) bool { return true })
	have := with.runs(&with.Workloads[at], "small")
	for _, f := range with.Figures {
		for _, spec := range f.Architectures {
			if strings.Contains(spec, offloadOmni) && slices.Contains(f.Workloads, offloadHybrid) && !slices.Contains(have, spec) {
				t.Errorf("figure %s: RED-hybrid-2 does not run on %s", f.ID, spec)
			}
		}
	}
	if got := with.runs(&with.Workloads[0], "paper"); !slices.Equal(got, []string{offloadOff, offloadOff + "+" + offloadLLC, offloadOff + "+" + offloadOmni}) {
		t.Errorf("a micro-benchmark runs on %v", got)
	}
	d := NewData(s, &Results{Measurements: []Measurement{{Workload: "RED", Architecture: offloadOff}, {Workload: "RED-hybrid-2", Architecture: offloadOff + "+" + offloadOmni}}})
	for _, spec := range []string{offloadOff, offloadOff + "+" + offloadOmni} {
		if _, err := offloadRun(d, "RED", spec); err != nil {
			t.Error(err)
		}
	}
	rows, err := NewData(s, &Results{}).PerWorkload(func(string) ([]float64, error) { return []float64{1}, nil })
	if err != nil || len(rows) != 7+9+1 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if got := s.Workloads[at].settings(); got != " variant=hybrid-2" {
		t.Errorf("RED-hybrid-2 runs with %q", got)
	}
}
