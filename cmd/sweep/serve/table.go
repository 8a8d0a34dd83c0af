// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"fmt"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep/plan"
)

// table makes rows of the first results of a sweep, in the order of its plan.
type table struct {
	store     *results.Store
	manifest  *results.Manifest
	evaluator *plan.Evaluator
	figures   map[string]map[string]float64 // by key; results never change
}

// mostRows of a table are shown.
const mostRows = 20

// without metrics of the plan, a row shows these figures.
var defaultFigures = []string{"time_ns", "energy_j"}

func newTable(store *results.Store, name string) (*table, error) {
	m, err := store.Manifest(name)
	if err != nil {
		return nil, err
	}
	e, err := plan.NewEvaluator(m)
	if err != nil {
		return nil, err
	}
	return &table{store: store, manifest: m, evaluator: e, figures: map[string]map[string]float64{}}, nil
}

// of gives the figures of a point; nil when it has no result that can be read.
func (t *table) of(key string) map[string]float64 {
	if f, ok := t.figures[key]; ok || key == "" || !t.store.Has(key) {
		return f
	}
	p, err := t.store.Get(key)
	if err != nil {
		return nil
	}
	f, err := p.Figures()
	if err != nil {
		return nil
	}
	t.figures[key] = f
	return f
}

// first gives the first results there are.
func (t *table) first() (columns []string, rows [][]string, err error) {
	m := t.manifest
	columns = []string{"trace", "architecture"}
	if len(m.Metrics) == 0 {
		columns = append(columns, defaultFigures...)
	}
	for _, metric := range m.Metrics {
		columns = append(columns, metric.Name)
	}
	for i := range m.Points {
		p := &m.Points[i]
		f := t.of(p.Key)
		if f == nil {
			continue
		}
		row := []string{m.Traces[p.Trace].Label, p.Architecture}
		if len(m.Metrics) == 0 {
			for _, name := range defaultFigures {
				row = append(row, fmt.Sprintf("%.4g", f[name]))
			}
		}
		for k := range m.Metrics {
			row = append(row, t.metric(k, i, f))
		}
		if rows = append(rows, row); len(rows) == mostRows {
			break
		}
	}
	return columns, rows, nil
}

// metric is the text of a value; "–" where there is none yet.
func (t *table) metric(k, point int, figures map[string]float64) string {
	var reference map[string]float64
	if r := t.manifest.Points[point].Reference; r >= 0 {
		reference = t.of(t.manifest.Points[r].Key)
	}
	v, err := t.evaluator.Metric(k, point, figures, reference)
	if err != nil {
		return "–"
	}
	return fmt.Sprintf("%.4g", v)
}
