// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/traces"
	cputraces "github.com/warptape/warptape/traces/cpu"
)

// TestEveryFigureAskedForIsMadeOrRefused: every figure of every study at every size comes
// out alone as it does among all others. Or it is refused before the run, with the sizes and
// the figures that there are. One that is small only has once come out as nothing.
func TestEveryFigureAskedForIsMadeOrRefused(t *testing.T) {
	for _, s := range tracetest.Draw(t, Studies(), 1) {
		for _, size := range s.Sizes {
			whole, err := NewData(s, madeUp(s, size)).Tables()
			if err != nil {
				t.Fatal(err)
			}
			for i := range s.Figures {
				f := &s.Figures[i]
				only, err := s.Only(size, f.ID)
				if !f.madeAt(size) {
					checkRefused(t, s, f, size, err)
					continue
				}
				if err != nil {
					t.Errorf("%s at %s, figure %s: %v", s.Name, size, f.ID, err)
					continue
				}
				tables, err := NewData(only, madeUp(only, size)).Tables()
				at := slices.IndexFunc(whole, func(t Table) bool { return t.ID == f.ID })
				if err != nil || len(tables) != 1 || at < 0 {
					t.Errorf("%s at %s: figure %s alone gives %d tables: %v", s.Name, size, f.ID, len(tables), err)
				} else if d := cmp.Diff(whole[at].Values, tables[0].Values, cmpopts.EquateNaNs()); d != "" || !hasValues(&tables[0]) {
					t.Errorf("%s at %s: figure %s alone is another than among all: %s", s.Name, size, f.ID, d)
				}
			}
		}
	}
}

// checkRefused checks that a refusal names the figure, a size that makes it and figures
// that the size asked for makes.
func checkRefused(t *testing.T, s *Study, f *Figure, size string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s at %s: figure %s is dropped without a word", s.Name, size, f.ID)
		return
	}
	for _, part := range []string{s.Name, "figure " + f.ID + " ", "--size " + f.Sizes[0], s.at(size)[0].ID} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%s at %s, figure %s: %q lacks %q", s.Name, size, f.ID, err, part)
		}
	}
	if _, err := s.Only(f.Sizes[0], f.ID); err != nil {
		t.Errorf("%s, figure %s: the remedy is refused: %v", s.Name, f.ID, err)
	}
}

// hasValues reports whether some place of a table has a number.
func hasValues(t *Table) bool {
	return slices.ContainsFunc(t.Values, func(r Row) bool {
		return slices.ContainsFunc(r.Values, func(v float64) bool { return !math.IsNaN(v) })
	})
}

// madeUp are results with a measurement for everything that a run would measure, and for
// nothing else.
func madeUp(s *Study, size string) *Results {
	list := &Results{Study: s.Name, Size: size}
	for i := range s.Workloads {
		w := &s.Workloads[i]
		for k, spec := range s.runs(w, size) {
			seed := fnv.New32a()
			fmt.Fprint(seed, w.Label, spec)
			some := 100 + uint64(seed.Sum32()%400)
			m := Measurement{Workload: w.Label, Architecture: spec, Cycles: some, Nanoseconds: float64(some), Elapsed: 2 * some, Counters: map[string]uint64{}}
			for id := range new(counters.Set) {
				if name := counters.Declared(counters.ID(id)).Name; name != "" {
					m.Counters[name] = some + uint64(id)%7
				}
			}
			if k == 0 && s.Program != nil {
				m.Program = map[string]uint64{programStatic: 10, programStaticAffine: 5, programWarp: 10, programRemoved: 5, programAffine: 1, programLoads: 4, programAffineLoads: 2, programChainInstructions: 5, programRequests: 10, programChainRequests: 5}
			}
			if slices.Contains(s.PerLaunch, spec) {
				m.Launches = []Launch{{Kernel: "k", Cycles: some, Nanoseconds: float64(some), Counters: m.Counters}}
			}
			if names, ok := cputraces.Find(w.CPU); ok {
				for _, name := range names {
					m.Programs = append(m.Programs, ProgramRun{Name: name, Instructions: 10, Cycles: 20, AloneInstructions: 10, AloneCycles: 15})
				}
			}
			list.Measurements = append(list.Measurements, m)
		}
	}
	return list
}

// TestFiguresAreOfTheirStudy: no figure has the name of another, shows a workload that its study lacks, or wants a size that there is none of.
func TestFiguresAreOfTheirStudy(t *testing.T) {
	for _, s := range Studies() {
		seen := map[string]bool{}
		for i := range s.Figures {
			f := &s.Figures[i]
			if seen[f.ID] {
				t.Errorf("%s has two figures %s", s.Name, f.ID)
			}
			seen[f.ID] = true
			for _, label := range f.Workloads {
				if !slices.ContainsFunc(s.Workloads, func(w Workload) bool { return w.Label == label }) {
					t.Errorf("%s, figure %s: there is no workload %s", s.Name, f.ID, label)
				}
			}
			for _, size := range f.Sizes {
				if err := s.checkSize(size); err != nil {
					t.Errorf("figure %s: %v", f.ID, err)
				}
			}
		}
	}
}

// TestWorkloadsHaveTheSizesOfTheirStudy: a size that one workload lacks would be found when
// the run comes to it, hours after its begin.
func TestWorkloadsHaveTheSizesOfTheirStudy(t *testing.T) {
	catalogue, err := traces.ReadCatalogue()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range Studies() {
		for _, size := range s.Sizes {
			for i := range s.Workloads {
				w := &s.Workloads[i]
				if _, err := w.digest(); err != nil {
					t.Errorf("%s, %s: %v", s.Name, w.Label, err)
				}
				if w.Name == "" || len(s.runs(w, size)) == 0 {
					continue
				}
				if entry := catalogue.Find(w.Name); entry == nil || entry.Size(w.input(size)) == nil {
					t.Errorf("%s at %s: the catalogue has no size %s of %s", s.Name, size, w.input(size), w.Name)
				}
			}
		}
	}
}
