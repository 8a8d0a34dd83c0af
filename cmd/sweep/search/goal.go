// SPDX-License-Identifier: Apache-2.0

package search

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep/plan"
)

// goal is the metric of a search.
type goal struct {
	name   string
	metric int // of the plan; -1: a figure
	higher bool
}

// costs are the figures that are better when they are lower.
var costs = []string{"cycles", "elapsed_cycles", "time_ns", "energy_j", "energy_dynamic_j", "energy_static_j", "power_w", "area_mm2"}

func newGoal(p *plan.Plan, name, better string) (*goal, error) {
	g := &goal{name: name, metric: slices.IndexFunc(p.Metrics, func(m results.Metric) bool { return m.Name == name })}
	if g.metric >= 0 && better == "" {
		better = p.Metrics[g.metric].Better
	}
	if g.metric < 0 {
		if !slices.ContainsFunc(results.Values(), func(v results.Value) bool { return v.Name == name }) {
			var names []string
			for _, m := range p.Metrics {
				names = append(names, m.Name)
			}
			return nil, fmt.Errorf("%s: has no metric %q, and no figure has that name; it has: %s", p.File, name, strings.Join(names, ", "))
		}
		if better == "" && slices.Contains(costs, name) {
			better = "lower"
		}
	}
	switch better {
	case "lower":
	case "higher":
		g.higher = true
	default:
		return nil, fmt.Errorf("which %s is better? write %s:lower or %s:higher", name, name, name)
	}
	return g, nil
}

func (g *goal) better() string {
	if g.higher {
		return "higher"
	}
	return "lower"
}

// compares reports whether the metric looks at the reference of a point.
func (g *goal) compares(p *plan.Plan) bool {
	return g.metric >= 0 && strings.Contains(p.Metrics[g.metric].Expression, plan.ReferenceName)
}

// value of a point; the error says why it has none.
func (g *goal) value(e *plan.Evaluator, point int, figures, reference map[string]float64) (float64, error) {
	if g.metric >= 0 {
		return e.Metric(g.metric, point, figures, reference)
	}
	v, ok := figures[g.name]
	if !ok {
		return 0, fmt.Errorf("%s has no value", g.name)
	}
	return v, nil
}

// compare orders scores, the best first, and equal ones by name.
func (g *goal) compare(a, b results.Scored) int {
	switch {
	case a.Score == b.Score:
		return strings.Compare(a.Architecture, b.Architecture)
	case (a.Score > b.Score) == g.higher:
		return -1
	}
	return 1
}

// mean is the geometric mean, which weighs traces of all lengths alike.
func mean(values []float64) (float64, error) {
	var sum float64
	for _, v := range values {
		if !(v > 0) {
			return 0, fmt.Errorf("a value of %g has no geometric mean with others", v)
		}
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values))), nil
}
