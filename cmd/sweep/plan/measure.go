// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"math"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/types"

	"github.com/warptape/warptape/cmd/results"
)

// Evaluator computes the metrics of a manifest.
type Evaluator struct {
	manifest *results.Manifest
	metrics  []Expression
	axes     *axes
}

// NewEvaluator compiles the metrics of a manifest, which were checked with the plan: an
// error is that of a manifest of another version.
func NewEvaluator(m *results.Manifest) (*Evaluator, error) {
	e := &Evaluator{manifest: m, axes: newAxes(m.Axes)}
	figures := types.Map{}
	for _, v := range results.Values() {
		nest(figures, v.Name, types.Float)
	}
	names := types.Map{"machine": types.String, "overlays": types.String, ReferenceName: figures}
	for name, t := range figures {
		names[name] = t
	}
	e.axes.addTypes(names)
	for _, metric := range m.Metrics {
		p, err := expr.Compile(metric.Expression, expr.Env(names), expr.AsFloat64())
		if err != nil {
			return nil, fmt.Errorf("metric %s of sweep %s: %s; repeat the sweep with this version", metric.Name, m.Name, firstLine(err))
		}
		e.metrics = append(e.metrics, Expression{Text: metric.Expression, program: p})
	}
	return e, nil
}

// Metric computes a metric of a point from its figures and those of its reference (nil:
// it has no result). The error says why there is no value.
func (e *Evaluator) Metric(metric, point int, figures, reference map[string]float64) (float64, error) {
	p := &e.manifest.Points[point]
	env := map[string]any{"machine": p.Machine, "overlays": p.Overlays, ReferenceName: environment(reference)}
	for name, v := range environment(figures) {
		env[name] = v
	}
	e.axes.put(env, p.Values)
	v, err := e.metrics[metric].number(env)
	if err != nil {
		err = fmt.Errorf("metric %s: %w", e.manifest.Metrics[metric].Name, err)
	}
	return v, err
}

// environment nests figures; those that a point lacks are NaN.
func environment(figures map[string]float64) map[string]any {
	env := map[string]any{}
	for _, v := range results.Values() {
		f, ok := figures[v.Name]
		if !ok {
			f = math.NaN()
		}
		set(env, v.Name, f)
	}
	return env
}
