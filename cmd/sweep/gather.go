// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep/plan"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace/store"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

// toRecord stands before the label of a trace that is not recorded yet, in the place of
// its digest.
const toRecord = "to be recorded: "

// gatherer finds the traces of a plan, and records those of workloads.
type gatherer struct {
	ctx    context.Context
	plan   *plan.Plan
	store  *results.Store // nil: nothing is recorded
	runner *Runner
	labels map[string]bool
}

// gather gives the traces of a plan in its order. With record unset, those of workloads
// that have yet to be recorded have a digest that begins with toRecord.
func (r *Runner) gather(ctx context.Context, p *plan.Plan, record bool) ([]plan.Trace, error) {
	g := &gatherer{ctx: ctx, plan: p, runner: r, labels: map[string]bool{}}
	if record {
		g.store = r.Store
	}
	var list []plan.Trace
	for i := range p.Traces {
		more, err := g.source(&p.Traces[i])
		if err != nil {
			return nil, p.Explain(&p.Traces[i], err)
		}
		list = append(list, more...)
	}
	return list, nil
}

func (g *gatherer) source(s *plan.Source) ([]plan.Trace, error) {
	switch {
	case s.Workload != "":
		return g.workload(s)
	case s.Store != "":
		path, err := stored(s.Store)
		if err != nil {
			return nil, err
		}
		t, err := g.open(path, s.Store, "store:"+s.Store)
		return []plan.Trace{t}, err
	}
	paths, err := files(filepath.Dir(g.plan.File), s.File)
	if err != nil {
		return nil, err
	}
	var list []plan.Trace
	for _, path := range paths {
		t, err := g.open(path, strings.TrimSuffix(filepath.Base(path), ".wtape"), "file:"+path)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// files are those of a pattern, relative to the plan's folder, in order of their names.
func files(folder, pattern string) ([]string, error) {
	if !filepath.IsAbs(pattern) {
		pattern = filepath.Join(folder, pattern)
	}
	if !strings.ContainsAny(pattern, "*?[") {
		if _, err := os.Stat(pattern); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: no such file; a workload of the catalogue is written {workload: NAME}, a stored trace {store: NAME}", pattern)
		}
		return []string{pattern}, nil
	}
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pattern, err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: no file has such a name", pattern)
	}
	return paths, nil
}

// stored is the file of a trace of the local store.
func stored(name string) (string, error) {
	ref, err := store.ParseReference(name)
	if err != nil {
		return "", err
	}
	root, err := store.DefaultRoot()
	if err != nil {
		return "", err
	}
	e, err := store.At(root).Lookup(ref)
	if err != nil {
		return "", fmt.Errorf("%w; get it with: warptape pull %s", err, name)
	}
	return e.Path, nil
}

// open reads what a manifest says of a trace.
func (g *gatherer) open(path, label, source string) (plan.Trace, error) {
	r, err := wtape.Open(path)
	if err != nil {
		return plan.Trace{}, err
	}
	defer r.Close()
	if path, err = g.runner.Store.Relative(path); err != nil {
		return plan.Trace{}, err
	}
	return plan.Trace{PlannedTrace: results.PlannedTrace{
		Label: g.label(label), Digest: r.Digest(), Source: source, Path: path, Summary: results.Summarize(r),
	}}, nil
}

// label makes a label that no other trace of the sweep has.
func (g *gatherer) label(want string) string {
	label := want
	for n := 2; g.labels[label]; n++ {
		label = fmt.Sprintf("%s-%d", want, n)
	}
	g.labels[label] = true
	return label
}

// workload gives a trace for each combination of sizes and parameters.
func (g *gatherer) workload(s *plan.Source) ([]plan.Trace, error) {
	w, err := traces.Find(s.Workload)
	if err != nil {
		return nil, err
	}
	program, err := host.Load(w.Files, w.Program)
	if err != nil {
		return nil, err
	}
	var list []plan.Trace
	for values := range combinations(s) {
		job := &recording{workload: w, program: program, source: s, size: values[plan.SizeAxis], set: maps.Clone(values)}
		delete(job.set, plan.SizeAxis)
		if err := job.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", w.Name, err)
		}
		t, err := g.recorded(job)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", job.label(), err)
		}
		t.Values, t.Workload = values, s.Workload
		list = append(list, t)
	}
	return list, nil
}

// recorded gives the trace of a workload, recording it when it is not there.
func (g *gatherer) recorded(job *recording) (plan.Trace, error) {
	path, err := job.path(filepath.Join(g.runner.Store.Root(), results.Traces))
	if err != nil {
		return plan.Trace{}, err
	}
	source := "workload:" + job.workload.Name
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if g.store == nil {
			return plan.Trace{PlannedTrace: results.PlannedTrace{
				Label: g.label(job.label()), Digest: toRecord + path, Source: source, Path: path, Summary: job.expected(),
			}}, nil
		}
		g.runner.say("recording %s", job.label())
		if err := job.record(g.ctx, path, g.runner.workers()); err != nil {
			return plan.Trace{}, err
		}
	}
	return g.open(path, job.label(), source)
}

// combinations are the sizes and parameters of a source, the last one changing fastest.
func combinations(s *plan.Source) func(yield func(map[string]string) bool) {
	axes := append([]results.Axis{{Name: plan.SizeAxis, Values: s.Sizes}}, s.Set...)
	return func(yield func(map[string]string) bool) {
		choice := make([]int, len(axes))
		for {
			values := map[string]string{}
			for i, axis := range axes {
				values[axis.Name] = axis.Values[choice[i]]
			}
			if !yield(values) {
				return
			}
			i := len(choice) - 1
			for ; i >= 0; i-- {
				if choice[i]++; choice[i] < len(axes[i].Values) {
					break
				}
				choice[i] = 0
			}
			if i < 0 {
				return
			}
		}
	}
}

// settings are parameters in one order.
func settings(set map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(set)) {
		fmt.Fprintf(&b, " %s=%s", name, set[name])
	}
	return b.String()
}
