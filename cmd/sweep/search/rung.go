// SPDX-License-Identifier: Apache-2.0

package search

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warptape/warptape/cmd/internal/samplepolicy"
	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep"
	"github.com/warptape/warptape/cmd/sweep/plan"
	"github.com/warptape/warptape/trace/sample"
	"github.com/warptape/warptape/trace/wtape"
)

// rung is a stage of the search: samples of one size, or the whole traces.
type rung struct {
	sampling     string
	traces       []plan.Trace
	instructions uint64 // of one machine on all traces
}

// samplings are the policies of the rungs before the whole traces, the smallest first.
// Less than two fills of a machine tell nothing of its caches and its DRAM.
var samplings = []string{
	"fraction=0.0625,launches,waves=2,work=20000,run=64",
	"fraction=0.25,launches,waves=3-6,work=100000,run=256",
}

// worthwhile is the most that a sample may have of the next rung's instructions.
const worthwhile = 0.6

// rungs makes the samples. A rung that saves too little is left out.
func (s *Search) rungs(ctx context.Context, traces []plan.Trace) ([]rung, error) {
	whole := rung{traces: traces}
	for i := range traces {
		whole.instructions += traces[i].Summary.StoredWarpInstructions
	}
	list := []rung{whole}
	for _, sampling := range slices.Backward(samplings) {
		r, err := s.sampled(ctx, traces, sampling)
		if err != nil {
			return nil, err
		}
		if float64(r.instructions) <= float64(worthwhile*float64(list[0].instructions)) {
			list = slices.Insert(list, 0, *r)
		}
	}
	return list, nil
}

// sampled takes samples of whole traces, for the plan's machines. What is a sample already
// stays as it is.
func (s *Search) sampled(ctx context.Context, traces []plan.Trace, sampling string) (*rung, error) {
	for _, m := range s.Plan.Machines {
		sampling += ",for=" + m
	}
	text, err := samplepolicy.WithFill(sampling)
	if err != nil {
		return nil, err
	}
	policy, err := sample.Parse(text)
	if err != nil {
		return nil, err
	}
	r := &rung{sampling: policy.String()}
	for i := range traces {
		t := traces[i]
		if t.Summary.Sampling == "" {
			if t.PlannedTrace, err = s.sample(ctx, &t.PlannedTrace, policy); err != nil {
				return nil, fmt.Errorf("a sample of %s: %w", t.Label, err)
			}
		}
		r.instructions += t.Summary.StoredWarpInstructions
		r.traces = append(r.traces, t)
	}
	return r, nil
}

// sample gives the sample of a trace, making it when it is not in the folder.
func (s *Search) sample(ctx context.Context, whole *results.PlannedTrace, policy sample.Policy) (results.PlannedTrace, error) {
	store := s.Runner.Store
	name := sha256.Sum256([]byte(whole.Digest + " " + policy.String()))
	path := filepath.Join(store.Root(), results.Traces, fmt.Sprintf("sample-%x.wtape", name[:12]))
	t := *whole
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := s.take(ctx, whole, path, policy); err != nil {
			return t, err
		}
	}
	r, err := wtape.Open(path)
	if err != nil {
		return t, err
	}
	defer r.Close()
	t.Digest, t.Summary = r.Digest(), results.Summarize(r)
	t.Path, err = store.Relative(path)
	return t, err
}

func (s *Search) take(ctx context.Context, whole *results.PlannedTrace, path string, policy sample.Policy) error {
	if s.Runner.Say != nil {
		s.Runner.Say("taking a sample of " + whole.Label)
	}
	r, err := s.Runner.Open(ctx, whole)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return sample.Trace(r, path, policy, wtape.Options{})
}

// climb replays machines, and what they are compared with, on a rung and scores them.
func (s *Search) climb(ctx context.Context, k int, r *rung, c *candidates, g *goal, machines []string) (*results.Rung, error) {
	e, err := sweep.Multiply(s.Plan, r.traces)
	if err != nil {
		return nil, err
	}
	out := &results.Rung{Sampling: r.sampling, Sweep: s.Plan.Name, Instructions: r.instructions, Scores: []results.Scored{}, Dropped: []results.Reason{}}
	kept := set(with(machines, c.references))
	if r.sampling != "" {
		// Samples are a sweep of their own, of the machines that were drawn.
		out.Sweep = fmt.Sprintf("%.80s.samples-%d", s.Plan.Name, k+1)
		restrict(e.Manifest, out.Sweep, kept)
		if err := s.Runner.Store.PutManifest(e.Manifest); err != nil {
			return nil, err
		}
	}
	runner := *s.Runner
	runner.Only = map[string]bool{}
	for i := range e.Manifest.Points {
		if p := &e.Manifest.Points[i]; p.Key != "" && kept[p.Architecture] {
			runner.Only[p.Key] = true
		}
	}
	if _, err := runner.Make(ctx, e); err != nil {
		return nil, err
	}
	return out, s.score(e.Manifest, g, machines, out)
}

func set(list []string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, name := range list {
		m[name] = true
	}
	return m
}

// restrict leaves the points of some machines in a manifest.
func restrict(m *results.Manifest, name string, machines map[string]bool) {
	m.Name = name
	at := make([]int, len(m.Points))
	var points []results.PlannedPoint
	for i := range m.Points {
		at[i] = -1
		if machines[m.Points[i].Architecture] {
			at[i] = len(points)
			points = append(points, m.Points[i])
		}
	}
	for i := range points {
		if r := points[i].Reference; r >= 0 {
			points[i].Reference = at[r]
		}
	}
	m.Points = points
}

// score orders the machines of a rung, the best first.
func (s *Search) score(m *results.Manifest, g *goal, machines []string, out *results.Rung) error {
	e, err := plan.NewEvaluator(m)
	if err != nil {
		return err
	}
	among := set(machines)
	figures, reasons, err := s.figures(m, among)
	if err != nil {
		return err
	}
	values := map[string][]float64{}
	for i := range m.Points {
		p := &m.Points[i]
		if !among[p.Architecture] || reasons[p.Architecture] != "" {
			continue
		}
		var reference map[string]float64
		if p.Reference >= 0 {
			reference = figures[m.Points[p.Reference].Key]
		}
		v, err := g.value(e, i, figures[p.Key], reference)
		if err != nil {
			reasons[p.Architecture] = fmt.Sprintf("on %s: %v", m.Traces[p.Trace].Label, err)
			continue
		}
		values[p.Architecture] = append(values[p.Architecture], v)
	}
	for _, a := range machines {
		if reasons[a] == "" && len(values[a]) < len(m.Traces) {
			reasons[a] = "it has no result on every trace"
		}
		v, err := mean(values[a])
		switch {
		case reasons[a] != "":
			out.Dropped = append(out.Dropped, results.Reason{Architecture: a, Reason: reasons[a]})
		case err != nil:
			out.Dropped = append(out.Dropped, results.Reason{Architecture: a, Reason: err.Error()})
		default:
			out.Scores = append(out.Scores, results.Scored{Architecture: a, Score: v})
		}
	}
	slices.SortFunc(out.Scores, g.compare)
	return nil
}

// figures reads the results of a rung. Machines that lack one have a reason.
func (s *Search) figures(m *results.Manifest, machines map[string]bool) (figures map[string]map[string]float64, reasons map[string]string, err error) {
	figures, reasons = map[string]map[string]float64{}, map[string]string{}
	for i := range m.Points {
		p := &m.Points[i]
		if p.Key == "" || figures[p.Key] != nil {
			continue
		}
		if !s.Runner.Store.Has(p.Key) {
			if f, err := s.Runner.Store.Failure(p.Key); err == nil && f != nil && machines[p.Architecture] {
				line, _, _ := strings.Cut(f.Reason, "\n")
				reasons[p.Architecture] = fmt.Sprintf("on %s: %s", m.Traces[p.Trace].Label, line)
			}
			continue
		}
		if !machines[p.Architecture] && p.Reference != i {
			continue // neither looked at nor compared with
		}
		point, err := s.Runner.Store.Get(p.Key)
		if err != nil {
			return nil, nil, err
		}
		if figures[p.Key], err = point.Figures(); err != nil {
			return nil, nil, err
		}
	}
	return figures, reasons, nil
}
