// SPDX-License-Identifier: Apache-2.0

package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep"
	"github.com/warptape/warptape/cmd/sweep/plan"
	_ "github.com/warptape/warptape/timing/mechanisms"
	"github.com/warptape/warptape/trace/tracetest"
)

// machines is a plan; a third of its machines cannot be built.
const machines = `
name: found
traces: [TRACE]
machines: [gtx480]
parameters: {l1.ways: [4, 8, 7], dram.queue: [2, 8, 32], sm.max_warps: [16, 48]}
reference: {l1.ways: 4, dram.queue: 8, sm.max_warps: 48}
metrics: {speedup: {value: reference.time_ns / time_ns, better: higher}, edp: energy_j * time_ns}
`

// A sample of long is smaller than the trace; a sample of short is not.
const (
	long  = "{workload: saxpy, size: tiny, set: {n: 600000}}"
	short = "{workload: saxpy, size: tiny}"
)

func searchIn(t *testing.T, root, trace string) *Search {
	t.Helper()
	p, err := plan.Parse("plan.yaml", []byte(strings.ReplaceAll(machines, "TRACE", trace)))
	if err != nil {
		t.Fatal(err)
	}
	store, err := results.Create(root)
	if err != nil {
		t.Fatal(err)
	}
	return &Search{Runner: &sweep.Runner{Store: store, Workers: 2}, Plan: p, Metric: "speedup", Budget: 4, Seed: 3}
}

func searched(t *testing.T, s *Search) *results.Search {
	t.Helper()
	out, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// looked are the machines of a rung.
func looked(r *results.Rung) (list []string) {
	for _, s := range r.Scores {
		list = append(list, s.Architecture)
	}
	for _, d := range r.Dropped {
		list = append(list, d.Architecture)
	}
	return list
}

// checkWhole: every machine of the plan is in one list, the best of a rung go on, and the
// cost is within the budget.
func checkWhole(t *testing.T, s *Search, out *results.Search) {
	t.Helper()
	if len(out.Rungs) < 2 || out.Rungs[0].Sampling == "" || out.Rungs[len(out.Rungs)-1].Sampling != "" {
		t.Fatalf("%+v", out.Rungs)
	}
	if out.Cost > out.Budget || out.Cost == 0 {
		t.Errorf("cost %v of %v", out.Cost, out.Budget)
	}
	all := slices.Concat(out.NotLooked, looked(&out.Rungs[0]))
	for _, l := range out.LeftOut {
		all = append(all, l.Architecture)
	}
	manifest, err := s.Runner.Store.Manifest("found")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range manifest.Points {
		want = append(want, manifest.Points[i].Architecture)
	}
	slices.Sort(all)
	slices.Sort(want)
	if d := cmp.Diff(want, all); d != "" {
		t.Error(d)
	}
	if len(out.NotLooked) == 0 || len(out.LeftOut) != 6 {
		t.Errorf("not looked at: %d; left out: %d", len(out.NotLooked), len(out.LeftOut))
	}
	for k := range out.Rungs[:len(out.Rungs)-1] {
		r, next := &out.Rungs[k], looked(&out.Rungs[k+1])
		if len(next) != r.Promoted || r.Instructions >= out.Rungs[k+1].Instructions {
			t.Errorf("rung %d: %d went on of %d promoted", k, len(next), r.Promoted)
		}
		for i, scored := range r.Scores {
			if slices.Contains(next, scored.Architecture) != (i < r.Promoted) {
				t.Errorf("rung %d: machine %d by its score", k, i)
			}
		}
	}
	kept, err := s.Runner.Store.Search("found")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(out, kept); d != "" {
		t.Error(d)
	}
	// The samples' points are a sweep that can be listed, complete, with its references.
	samples, err := s.Runner.Store.Manifest(out.Rungs[0].Sweep)
	if err != nil {
		t.Fatal(err)
	}
	for i := range samples.Points {
		if p := &samples.Points[i]; p.Reference < 0 || !s.Runner.Store.Has(p.Key) {
			t.Errorf("%+v", p)
		}
	}
}

// TestALargeBudgetFindsTheBest: that of all machines, each replayed whole.
func TestALargeBudgetFindsTheBest(t *testing.T) {
	s := searchIn(t, filepath.Join(t.TempDir(), "r"), short)
	s.Budget = 1000
	out := searched(t, s)
	if len(out.Rungs) != 1 || len(out.NotLooked) != 0 || len(out.Best) != 12 {
		t.Fatalf("%d rungs, %d not looked at, %d scored", len(out.Rungs), len(out.NotLooked), len(out.Best))
	}
	m, err := s.Runner.Store.Manifest("found")
	if err != nil {
		t.Fatal(err)
	}
	times, best := map[string]float64{}, math.Inf(1)
	for i := range m.Points {
		if m.Points[i].Key == "" {
			continue
		}
		p, err := s.Runner.Store.Get(m.Points[i].Key)
		if err != nil {
			t.Fatal(err)
		}
		f, err := p.Figures()
		if err != nil {
			t.Fatal(err)
		}
		times[m.Points[i].Architecture] = f["time_ns"]
		best = min(best, f["time_ns"])
	}
	if len(times) != 12 || times[out.Best[0].Architecture] != best {
		t.Errorf("%s takes %v ns and the fastest %v", out.Best[0].Architecture, times[out.Best[0].Architecture], best)
	}
}

// TestASearchKeepsToItsBudgetAndIsTheSameAgain with the same seed, however many replay,
// and when it was interrupted; another seed looks at others.
func TestASearchKeepsToItsBudgetAndIsTheSameAgain(t *testing.T) {
	tracetest.Nightly(t)
	one, other := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	s := searchIn(t, one, long)
	first := searched(t, s)
	checkWhole(t, s, first)
	s = searchIn(t, other, long)
	s.Runner.Workers = 1
	ctx, stop := context.WithCancel(context.Background())
	s.Runner.Progress = func(p sweep.Progress) {
		if p.Made == 2 {
			stop()
		}
	}
	if _, err := s.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	s.Runner.Progress = nil
	if d := cmp.Diff(first, searched(t, s)); d != "" {
		t.Error(d)
	}
	read := func(root string) string {
		text, err := os.ReadFile(filepath.Join(root, "sweeps", "found", "search.json"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if read(one) != read(other) {
		t.Error("the searches are kept with other bytes")
	}
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprint(i))
	}
	three, rest := (&Search{Seed: 3}).draw(names, []int{10, 4})
	four, _ := (&Search{Seed: 4}).draw(names, []int{10, 4})
	if len(three) != 10 || len(rest) != 90 || slices.Equal(three, four) {
		t.Errorf("%v and %v", three, four)
	}
}

// TestWrongSearchesSayWhatIsMissing.
func TestWrongSearchesSayWhatIsMissing(t *testing.T) {
	for want, change := range map[string]func(*Search){
		`has no metric "speed"`:      func(s *Search) { s.Metric = "speed" },
		"write edp:lower":            func(s *Search) { s.Metric = "edp" },
		"budget of 0.5 whole points": func(s *Search) { s.Budget = 0.5 },
		"has no machine": func(s *Search) {
			s.Plan.Reference["l1.ways"] = "7"
		},
		"in shards": func(s *Search) { s.Runner.Shards = 2 },
	} {
		s := searchIn(t, filepath.Join(t.TempDir(), "r"), short)
		change(s)
		if _, err := s.Run(context.Background()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

func TestMeans(t *testing.T) {
	if v, err := mean([]float64{2, 8}); err != nil || math.Abs(v-4) > 1e-12 {
		t.Error(v, err)
	}
	for _, bad := range []float64{0, -1, math.NaN()} {
		if _, err := mean([]float64{1, bad}); err == nil {
			t.Errorf("%v has a mean", bad)
		}
	}
	g := &goal{}
	list := []results.Scored{{Architecture: "b", Score: 2}, {Architecture: "a", Score: 2}, {Architecture: "c", Score: 1}}
	slices.SortFunc(list, g.compare)
	if list[0].Architecture != "c" || list[1].Architecture != "a" {
		t.Error(list)
	}
	g.higher = true
	slices.SortFunc(list, g.compare)
	if list[0].Architecture != "a" || list[2].Architecture != "c" {
		t.Error(list)
	}
}
