// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/trace/tracetest"
)

// tinyStudy is quick to measure.
func tinyStudy() *Study { return tinyStudyOn("gpsim-tiny") }

// tinyStudyOn is the same for another machine, with its L1 and without.
func tinyStudyOn(machine string) *Study {
	return &Study{
		Name: "tinycache", Sizes: []string{"tiny"},
		Workloads:     []Workload{{Label: "axpy", Name: "saxpy"}, {Label: "spmv", Name: "spmv"}},
		Architectures: []string{machine, machine + "+l1-off"},
		Figures: []Figure{{ID: "1", Title: "cycles", Unit: "%", Series: []string{"with", "without"}, Rows: func(d *Data) ([]Row, error) {
			return d.PerWorkload(func(workload string) ([]float64, error) {
				with, err := d.Run(workload, machine)
				if err != nil {
					return nil, err
				}
				without, err := d.Run(workload, machine+"+l1-off")
				if err != nil {
					return nil, err
				}
				return []float64{Percent(float64(with.Cycles), float64(without.Cycles)), math.NaN()}, nil
			})
		}}},
	}
}

func TestAStoppedStudyGoesOnWhereItWas(t *testing.T) {
	s := tinyStudy()
	var said []string
	ctx, stop := context.WithCancel(context.Background())
	r := &Runner{Cache: t.TempDir(), Model: "this", Workers: 1}
	r.Say = func(line string) {
		if said = append(said, line); len(said) == 3 { // recorded, replayed on the first machine
			stop()
		}
	}
	if _, err := r.Run(ctx, s, "tiny"); !errors.Is(err, context.Canceled) {
		t.Fatalf("a stopped run ends with %v", err)
	}
	said = nil
	r.Say = func(line string) { said = append(said, line) }
	var progress []Progress
	r.Progress = func(p Progress) { progress = append(progress, p) }
	first, err := r.Run(context.Background(), s, "tiny")
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range progress {
		if p.Total != 4 || p.Present != 1 || p.Made != i || p.Work <= 0 || (p.Done == p.Work) != (i == 3) {
			t.Errorf("progress %d: %+v", i, p)
		}
	}
	if len(progress) != 4 {
		t.Errorf("progress was told %d times, want before the first of three measurements and after each", len(progress))
	}
	want := []string{
		"replaying saxpy, size tiny, on gpsim-tiny+l1-off", "recording spmv, size tiny",
		"replaying spmv, size tiny, on gpsim-tiny", "replaying spmv, size tiny, on gpsim-tiny+l1-off",
	}
	if !slices.Equal(said, want) {
		t.Errorf("the second run did\n%s", strings.Join(said, "\n"))
	}
	said = nil
	again, err := r.Run(context.Background(), s, "tiny")
	if err != nil {
		t.Fatal(err)
	}
	if len(said) != 0 || !cmp.Equal(first, again) {
		t.Errorf("a run with everything in the cache did %q and gives other results:\n%s", said, cmp.Diff(first, again))
	}
	r.Model = "another"
	if _, err := r.Run(context.Background(), s, "tiny"); err != nil || len(said) != 4 {
		t.Errorf("another simulator replayed %q: %v", said, err)
	}
	checkTable(t, s, first)
}

// checkTable checks the forms of a figure against its measurements.
func checkTable(t *testing.T, s *Study, r *Results) {
	t.Helper()
	tables, err := NewData(s, r).Tables()
	if err != nil {
		t.Fatal(err)
	}
	var text, table, svg bytes.Buffer
	for _, err := range []error{tables[0].WriteText(&text), tables[0].WriteCSV(&table), tables[0].WriteSVG(&svg)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got, _ := tables[0].At("axpy", "with")
	if want := 100 * float64(r.Measurements[0].Cycles) / float64(r.Measurements[1].Cycles); got != want {
		t.Errorf("the figure shows %g, the cycles say %g", got, want)
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil || len(rows) != 1+3*2 || rows[6][2] != "mean" || rows[6][5] != "NaN" {
		t.Errorf("CSV rows %q: %v", rows, err)
	}
	if !strings.Contains(text.String(), "Figure 1: cycles [%]") || !strings.Contains(text.String(), "axpy") {
		t.Errorf("text:\n%s", text.String())
	}
	var second bytes.Buffer
	if err := tables[0].WriteSVG(&second); err != nil || !bytes.Equal(svg.Bytes(), second.Bytes()) {
		t.Errorf("the same figure drawn twice differs: %v", err)
	}
	d := xml.NewDecoder(&svg)
	for err == nil {
		_, err = d.Token()
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("the SVG is not well-formed: %v", err)
	}
}

func TestOnlyChoosesFiguresAndRefusesOthers(t *testing.T) {
	s, err := Find("tinycache")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Only("small", "9.9"); err == nil || !strings.Contains(err.Error(), "5.4") {
		t.Errorf("figure 9.9: %v", err)
	}
	only, err := s.Only("small", "5.9", "5.9")
	if err != nil || len(only.Figures) != 1 {
		t.Fatal(only, err)
	}
	if _, err := Find("9"); err == nil || !strings.Contains(err.Error(), "tinycache") {
		t.Errorf("study 9: %v", err)
	}
}

func TestResultsOfAnotherMachineAreStale(t *testing.T) {
	all, err := CommittedResults()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if err := r.Stale(); err != nil {
			t.Error(err)
		}
	}
	for _, r := range tracetest.Draw(t, all, tracetest.Fewer(3, len(all))) {
		r.Measurements[0].ArchitectureDigest, r.Older = "another", ""
		if err := r.Stale(); err == nil || !strings.Contains(err.Error(), "make reproduction") {
			t.Errorf("%s at %s on another machine: %v", r.Study, r.Size, err)
		}
		if r.Older = "the network is slower"; r.Stale() != nil {
			t.Errorf("%s at %s, which says what has changed since: %v", r.Study, r.Size, r.Stale())
		}
		if r.Measurements[0].ProgramDigest = "another"; r.Stale() == nil {
			t.Errorf("%s at %s: older results of another program are good", r.Study, r.Size)
		}
	}
}
