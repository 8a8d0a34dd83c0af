// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

// TestTheAffineStudyHasThePapersPrograms: 29 of Table 2, which the catalogue marks
// as such, eleven of them compute-intensive.
func TestTheAffineStudyHasThePapersPrograms(t *testing.T) {
	var here, marked []string
	for _, w := range dacPrograms {
		here = append(here, w.Name)
	}
	catalogue, err := traces.ReadCatalogue()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range catalogue.Workloads {
		if slices.Contains(w.Tables, "Decoupled affine computation Table 2") {
			marked = append(marked, w.Name)
		}
	}
	slices.Sort(here)
	slices.Sort(marked)
	if len(here) != 29 || !slices.Equal(here, marked) {
		t.Errorf("%d programs:\n%q\nmarked in the catalogue:\n%q", len(here), here, marked)
	}
	if dacPrograms[dacCompute-1].Label != "BS" || dacPrograms[dacCompute].Label != "LIB" {
		t.Errorf("Table 2 lists CP to BS as compute-intensive, here it is up to %s", dacPrograms[dacCompute-1].Label)
	}
}

func TestGeometricMeansSkipWhatHasNoValue(t *testing.T) {
	got := GeometricMean([]Row{{Label: "a", Values: []float64{2, math.NaN()}}, {Label: "b", Values: []float64{8, 3}}})
	if math.Abs(got[0]-4) > 1e-12 || math.Abs(got[1]-3) > 1e-12 {
		t.Errorf("means %v, want 4 and 3", got)
	}
}

// classified is a study in which the first n programs gain 1.6 from a perfect memory,
// the others 1.4; CAE makes all faster by a tenth.
func classified(n int) *Data {
	r := &Results{}
	for i, w := range dacPrograms {
		ideal := uint64(700_000)
		if i < n {
			ideal = 600_000
		}
		for spec, cycles := range map[string]uint64{dacOff: 1_000_000, dacPerfect: ideal, dacCAE: 900_000, dacMTA: 1_000_000, dacOn: 800_000} {
			r.Measurements = append(r.Measurements, Measurement{Workload: w.Label, Architecture: spec, Cycles: cycles})
		}
	}
	return NewData(&Study{Name: "dac", Workloads: dacPrograms}, r)
}

func TestClassesAreThoseOfTheMeasuredPerfectMemory(t *testing.T) {
	for _, n := range []int{0, 5, len(dacPrograms)} {
		d := classified(n)
		rows, err := dacRows(func(workload string) ([]float64, error) {
			at := slices.IndexFunc(dacPrograms, func(w Workload) bool { return w.Label == workload })
			return []float64{float64(at)}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if rows, err = dacMeans(d, rows, Mean); err != nil {
			t.Fatal(err)
		}
		of := func(label string) float64 {
			return rows[slices.IndexFunc(rows, func(r Row) bool { return r.Label == label })].Values[0]
		}
		all := float64(len(dacPrograms))
		for label, want := range map[string]float64{
			"mean": (all - 1) / 2, "memory-intensive": (float64(n) - 1) / 2, "compute-intensive": (float64(n) + all - 1) / 2,
			"compute-intensive in Table 2": (dacCompute - 1) / 2., "memory-intensive in Table 2": (dacCompute + all - 1) / 2,
		} {
			if label == "memory-intensive" && n == 0 || label == "compute-intensive" && n == len(dacPrograms) {
				want = math.NaN()
			}
			if got := of(label); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%d memory-intensive programs: %s is %g, want %g", n, label, got, want)
			}
		}
	}
	rows, err := dacSpeedupsOn(dacCAE)(classified(3))
	if err != nil {
		t.Fatal(err)
	}
	if got := rows[len(dacPrograms)].Values[0]; math.Abs(got-1/0.9) > 1e-9 {
		t.Errorf("the mean speed-up of CAE is %g, want %g", got, 1/0.9)
	}
}

func TestMemoryIsNoOperationOfALU(t *testing.T) {
	m := &Measurement{Counters: map[string]uint64{"lane_ops_int_add": 3, "lane_ops_f32_fma": 5, "lane_ops_load": 100, "lane_ops_exit": 7, "issued_sp": 9}}
	if got := laneOperations(m); got != 8 {
		t.Errorf("%g operations, want 8", got)
	}
	for _, class := range elsewhere {
		found := false
		for c := range trace.OpClass(trace.ClassCount) {
			found = found || c.String() == class
		}
		if !found {
			t.Errorf("there is no class %q", class)
		}
	}
}

// TestProgramsAreCountedOnce, with the measurement on the first architecture.
func TestProgramsAreCountedOnce(t *testing.T) {
	s := tinyStudy()
	s.Workloads = s.Workloads[:1]
	counted := 0
	s.Program = func(r *wtape.Reader) (map[string]uint64, error) {
		counted++
		return map[string]uint64{"kernels": uint64(len(r.Kernels()))}, nil
	}
	r := &Runner{Cache: t.TempDir(), Model: "this", Workers: 1}
	for range 2 {
		results, err := r.Run(context.Background(), s, "tiny")
		if err != nil {
			t.Fatal(err)
		}
		if m := results.Measurements; m[0].Program["kernels"] != 1 || m[1].Program != nil {
			t.Errorf("program counts: %v and %v", m[0].Program, m[1].Program)
		}
		text, err := results.Encode()
		if err != nil || strings.Count(string(text), `"kernels"`) != 1 {
			t.Errorf("%v in\n%s", err, text)
		}
	}
	if counted != 1 {
		t.Errorf("the program was counted %d times", counted)
	}
}
