// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"

	"github.com/warptape/warptape/timing/replay"
)

// points is the dataset of all points of a plan with their measures, which several
// sections draw.
type points struct {
	study *study
	data  *Dataset
	at    *coordinates

	state, reason *Column
	metrics       []*Column
	figures       []*Column // by their names
	// failures counts the values that metrics do not have, by metric and reason.
	failures map[noValue]int
}

// noValue says why a metric has no value.
type noValue struct{ metric, reason string }

// better says which measures are better when they are low or high. For the others that
// depends on what they are for.
var better = map[string]string{
	"time_ns": "lower", "cycles": "lower", "elapsed_cycles": "lower", "energy_j": "lower", "energy_dynamic_j": "lower", "energy_static_j": "lower",
	"power_w": "lower", "area_mm2": "lower", "ipc_warp": "higher", "ipc_thread": "higher",
}

// measured are the figures that come first, in this order.
var measured = []struct{ name, title, unit string }{
	{"time_ns", "time", "ns"}, {"cycles", "core cycles", "cycles"}, {"energy_j", "energy", "J"}, {"power_w", "power", "W"}, {"area_mm2", "area", "mm²"},
	{"energy_dynamic_j", "dynamic energy", "J"}, {"energy_static_j", "static energy", "J"}, {"elapsed_cycles", "elapsed", "core cycles"},
}

func newPoints(s *study) *points {
	c := &points{study: s, data: NewDataset("points"), failures: map[noValue]int{}}
	c.at = s.coordinates(c.data)
	c.state = c.data.Words(columnState, "state")
	c.reason = c.data.Words(columnReason, "why there is no result")
	for _, m := range s.manifest.Metrics {
		column := c.data.Numbers(metricPrefix+m.Name, m.Name, m.Unit)
		column.Better = m.Better
		c.metrics = append(c.metrics, column)
	}
	add := func(name, title, unit string) {
		column := c.data.Numbers(name, title, unit)
		column.Better = better[name]
		c.figures = append(c.figures, column)
	}
	for _, m := range measured {
		add(m.name, m.title, m.unit)
	}
	for _, d := range replay.Declarations() {
		add(d.Name, d.Title, d.Unit)
	}
	return c
}

// measures are the names of the columns with numbers: metrics of the plan first.
func (c *points) measures() Role {
	var names Role
	for _, m := range append(append([]*Column(nil), c.metrics...), c.figures...) {
		names = append(names, m.Name)
	}
	return names
}

// comparable are the measures whose better direction is known.
func (c *points) comparable() Role {
	var names Role
	for _, m := range append(append([]*Column(nil), c.metrics...), c.figures...) {
		if m.Better != "" {
			names = append(names, m.Name)
		}
	}
	return names
}

func (c *points) add(p *point) error {
	c.at.add(p)
	c.state.Add(p.state)
	reason := ""
	if p.missing != "" {
		reason = p.state + ": " + p.missing
	}
	c.reason.Add(reason)
	reference, err := c.study.reference(p)
	if err != nil {
		return err
	}
	for i, column := range c.metrics {
		v := math.NaN()
		if p.result != nil {
			var why error
			if v, why = c.study.evaluator.Metric(i, p.number, p.figures, reference); why != nil {
				c.failures[noValue{column.Title, why.Error()}]++
				v = math.NaN()
			}
		}
		column.AddNumber(v)
	}
	for _, column := range c.figures {
		v, ok := p.figures[column.Name]
		if !ok {
			v = math.NaN()
		}
		column.AddNumber(v)
	}
	return nil
}
