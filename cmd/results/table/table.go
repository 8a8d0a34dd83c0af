// SPDX-License-Identifier: Apache-2.0

package table

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep/plan"
)

// Options choose what is in a table.
type Options struct {
	// Sweeps by name, in this order. Empty: all sweeps by name, then the points that no
	// sweep has by key.
	Sweeps []string
	// Launches asks for a row per launch in the place of one per point.
	Launches bool
	// Columns by name, in this order. Empty: all that have a value in some row.
	Columns []string
	// Brief asks for the columns that a terminal has room for, if Columns is empty: what
	// tells points apart, metrics and the figures of Headline.
	Brief bool
}

// Headline are the figures that Options.Brief asks for.
var Headline = []string{"cycles", "time_ns", "ipc_warp", "energy_j"}

// Table reads its rows from a folder of results whenever they are asked for. It holds no
// more than one point at a time, so that a folder may have a million of them.
type Table struct {
	Columns []Column

	store    *results.Store
	parts    []*part
	launches bool
	// seen says what became of each key when the columns were looked for. A point that
	// comes later is missing here, as it may have figures without a column. It is nil
	// until the columns have been looked for.
	seen map[string]fate
	// references are figures of points that metrics compare with.
	references map[string]map[string]float64
}

// fate is what became of a point.
type fate struct{ state, reason string }

// part is a sweep, or the points that no sweep has.
type part struct {
	manifest  *results.Manifest // nil: no sweep
	evaluator *plan.Evaluator
	keys      []string // of points without a sweep
}

// New finds the columns of a table.
func New(ctx context.Context, store *results.Store, o Options) (*Table, error) {
	t := &Table{store: store, launches: o.Launches, references: map[string]map[string]float64{}}
	if err := t.gather(o.Sweeps); err != nil {
		return nil, err
	}
	known := t.namedColumns()
	if o.Brief && len(o.Columns) == 0 {
		t.Columns = t.briefColumns(known)
		return t, nil
	}
	if wanted, ok := choose(known, declaredFigures(), o.Columns); ok && len(o.Columns) > 0 {
		t.Columns = wanted
		return t, nil
	}
	figures, err := t.findFigures(ctx)
	if err != nil {
		return nil, err
	}
	if len(o.Columns) > 0 {
		t.Columns, err = chosen(known, append(figures, declaredFigures()...), o.Columns)
		return t, err
	}
	t.Columns = inOrder(known, figures)
	return t, nil
}

// gather reads the manifests.
func (t *Table) gather(names []string) error {
	rest := len(names) == 0
	if rest {
		var err error
		if names, err = t.store.Sweeps(); err != nil {
			return err
		}
	}
	named := map[string]bool{}
	for _, name := range names {
		m, err := t.store.Manifest(name)
		if err != nil {
			return err
		}
		e, err := plan.NewEvaluator(m)
		if err != nil {
			return err
		}
		t.parts = append(t.parts, &part{manifest: m, evaluator: e})
		for i := range m.Points {
			named[m.Points[i].Key] = true
		}
	}
	if !rest {
		return nil
	}
	loose := &part{}
	for key, err := range t.store.Keys() {
		if err != nil {
			return err
		}
		if !named[key] {
			loose.keys = append(loose.keys, key)
		}
	}
	if len(loose.keys) > 0 {
		t.parts = append(t.parts, loose)
	}
	return nil
}

// Rows gives the cells of one row after the other. A row is valid until the next one. The
// order depends on the manifests and the keys alone.
func (t *Table) Rows(ctx context.Context) iter.Seq2[[]Cell, error] {
	return func(yield func([]Cell, error) bool) {
		for r, err := range t.records(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			for launch := range r.rows(t.launches) {
				if !yield(r.cells(t, launch), nil) {
					return
				}
			}
		}
	}
}

// records gives the points of all parts.
func (t *Table) records(ctx context.Context) iter.Seq2[*record, error] {
	return func(yield func(*record, error) bool) {
		for _, p := range t.parts {
			n := len(p.keys)
			if p.manifest != nil {
				n = len(p.manifest.Points)
			}
			for i := range n {
				if err := ctx.Err(); err != nil {
					yield(nil, err)
					return
				}
				r, err := t.read(p, i)
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

// read reads what there is of a point.
func (t *Table) read(p *part, i int) (*record, error) {
	r := &record{part: p, index: i}
	if p.manifest == nil {
		r.key = p.keys[i]
	} else {
		planned := &p.manifest.Points[i]
		r.key = planned.Key
		if planned.Impossible != "" {
			r.fate = fate{Impossible, planned.Impossible}
			return r, nil
		}
	}
	if seen, ok := t.seen[r.key]; ok && seen.state != Done {
		r.fate = seen
		return r, nil
	}
	err := r.load(t.store)
	var missing *results.NotFoundError
	var damaged *results.DamagedError
	switch {
	case err == nil:
		r.state = Done
		return r, nil
	case errors.As(err, &damaged):
		r.fate = fate{Damaged, damaged.Error()}
		return r, nil
	case !errors.As(err, &missing):
		return nil, err
	}
	r.state = Missing
	failure, err := t.store.Failure(r.key)
	if err != nil || failure == nil {
		return r, err
	}
	r.fate = fate{Failed, failure.Reason}
	if failure.Refused {
		r.state = Refused
	}
	return r, nil
}

// mostReferences bounds the figures that are kept of reference points.
const mostReferences = 1000

// reference gives the figures that the metrics of a point compare with; nil without any.
func (t *Table) reference(r *record) (map[string]float64, error) {
	m := r.part.manifest
	at := m.Points[r.index].Reference
	if at < 0 || m.Points[at].Key == "" {
		return nil, nil
	}
	key := m.Points[at].Key
	if figures, ok := t.references[key]; ok {
		return figures, nil
	}
	other, err := t.read(r.part, at)
	if err != nil {
		return nil, fmt.Errorf("reference of point %.12s: %w", r.key, err)
	}
	if len(t.references) >= mostReferences {
		clear(t.references)
	}
	t.references[key] = nil
	if other.state == Done {
		t.references[key] = other.point.TotalFigures(other.statistics)
	}
	return t.references[key], nil
}
