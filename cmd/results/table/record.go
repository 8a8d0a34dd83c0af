// SPDX-License-Identifier: Apache-2.0

package table

import (
	"strings"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep/plan"
)

// record is a point with what is known of it.
type record struct {
	part  *part
	index int    // in the manifest's points, or in the part's keys
	key   string // empty when no machine could be built
	fate
	// of points that are done
	point      *results.Point
	statistics *results.Statistics
}

func (r *record) load(store *results.Store) error {
	p, err := store.Get(r.key)
	if err != nil {
		return err
	}
	s, err := p.Read()
	if err != nil {
		return &results.DamagedError{Path: store.PointPath(r.key), Err: err}
	}
	r.point, r.statistics = p, s
	return nil
}

// total is the place of the row that is not a launch's.
const total = -1

// rows gives the launches that have a row, or total. A point without launches has a row
// that says so.
func (r *record) rows(launches bool) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		if !launches || r.state != Done || len(r.statistics.Launches) == 0 {
			yield(total)
			return
		}
		for i := range r.statistics.Launches {
			if !yield(i) {
				return
			}
		}
	}
}

// figures are those of a launch or of the total; nil without any.
func (r *record) figures(launches bool, launch int) map[string]float64 {
	switch {
	case r.state != Done:
		return nil
	case !launches:
		return r.point.TotalFigures(r.statistics)
	case launch == total:
		return nil
	}
	return r.point.LaunchFigures(r.statistics, launch)
}

// cells makes a row.
func (r *record) cells(t *Table, launch int) []Cell {
	figures := r.figures(t.launches, launch)
	var metrics []Cell
	var missing []string
	if !t.launches {
		metrics, missing = r.metrics(t, figures)
	}
	row := make([]Cell, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		switch c.role {
		case fixedColumn:
			row[i] = r.fixed(c.Name, launch)
		case axisColumn:
			row[i] = r.axis(c, t.place(c, r.part))
		case metricColumn:
			if at := t.place(c, r.part); at >= 0 && metrics != nil {
				row[i] = metrics[at]
			}
		case figureColumn:
			if v, ok := figures[c.Name]; ok {
				row[i] = number(v)
			}
		}
		if c.Name == ReasonName && c.role == fixedColumn && r.state == Done {
			row[i] = text(strings.Join(missing, "; "))
		}
	}
	return row
}

// metrics computes those of the sweep. Missing says why some have no value.
func (r *record) metrics(t *Table, figures map[string]float64) (cells []Cell, missing []string) {
	m := r.part.manifest
	if m == nil || r.state != Done {
		return nil, nil
	}
	reference, err := t.reference(r)
	if err != nil {
		missing = append(missing, err.Error())
	}
	cells = make([]Cell, len(m.Metrics))
	for i := range m.Metrics {
		v, err := r.part.evaluator.Metric(i, r.index, figures, reference)
		if err != nil {
			missing = append(missing, err.Error())
			continue
		}
		cells[i] = number(v)
	}
	return cells, missing
}

// axis gives the value of a parameter. Sizes are bytes.
func (r *record) axis(c *Column, at int) Cell {
	if at < 0 {
		return Cell{}
	}
	value := r.part.manifest.Points[r.index].Values[at]
	if c.Kind == Text || value == "" {
		return text(value)
	}
	v, ok := plan.Number(value)
	if !ok {
		return Cell{}
	}
	return number(v)
}

// fixed gives a value that every table has.
func (r *record) fixed(name string, launch int) Cell {
	switch name {
	case StateName:
		return text(r.state)
	case ReasonName:
		return text(r.reason)
	case KeyName:
		return text(r.key)
	}
	if m := r.part.manifest; m != nil {
		if c, ok := planned(m, r.index, name); ok {
			return c
		}
	}
	if r.state != Done {
		return Cell{}
	}
	switch name {
	case MachineName, ArchitectureName:
		return text(r.statistics.Machine)
	case ProgramName:
		return text(r.point.Trace.Program)
	case "sampling":
		return text(r.point.Trace.Sampling)
	case "trace_digest":
		return text(r.point.TraceDigest)
	case "architecture_digest":
		return text(r.point.ArchitectureDigest)
	case "model":
		return text(r.point.Model)
	}
	if launch == total {
		return Cell{}
	}
	l := &r.statistics.Launches[launch]
	switch name {
	case LaunchName:
		return number(float64(l.Launch))
	case KernelName:
		return text(l.Kernel)
	case "grid_thread_blocks":
		return number(float64(l.Grid.Count()))
	case "block_threads":
		return number(float64(l.Block.Count()))
	case "start_cycle":
		return number(float64(l.Start))
	case "end_cycle":
		return number(float64(l.End))
	}
	return Cell{}
}

// planned gives what a manifest knows without a result.
func planned(m *results.Manifest, index int, name string) (Cell, bool) {
	p := &m.Points[index]
	switch name {
	case SweepName:
		return text(m.Name), true
	case TraceName:
		return text(m.Traces[p.Trace].Label), true
	case ProgramName:
		return text(m.Traces[p.Trace].Summary.Program), true
	case MachineName:
		return text(p.Machine), true
	case OverlaysName:
		return text(p.Overlays), true
	case ArchitectureName:
		return text(p.Architecture), true
	case "sampling":
		return text(m.Traces[p.Trace].Summary.Sampling), true
	case "trace_digest":
		return text(m.Traces[p.Trace].Digest), true
	case "model":
		return text(m.Model), true
	}
	return Cell{}, false
}
