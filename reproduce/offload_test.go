package reproduce

import (
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
)

// TestOffloadHasAPlaceForEveryPublishedValue, when all the overlays exist that the
// paper's mechanisms and sweeps need.
func TestOffloadHasAPlaceForEveryPublishedValue(t *testing.T) {
	s := newOffloadStudy(func(string) bool { return true })
	list, err := allPublished("offload")
	if err != nil {
		t.Fatal(err)
	}
	rows := []string{"mean", "micro mean"}
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
			if strings.Contains(spec, offloadOmni) && !slices.Contains(have, spec) {
				t.Errorf("figure %s: RED-hybrid-2 does not run on %s", f.ID, spec)
			}
		}
	}
	if got := with.runs(&with.Workloads[0], "small"); !slices.Equal(got, []string{offloadOff, offloadOff + "+" + offloadLLC, offloadOff + "+" + offloadOmni}) {
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
