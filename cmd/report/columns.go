// SPDX-License-Identifier: Apache-2.0

package report

import (
	"github.com/warptape/warptape/cmd/results"
)

// Names of the columns that most datasets have.
const (
	columnTrace        = "trace"
	columnMachine      = "machine"
	columnOverlays     = "overlays"
	columnArchitecture = "architecture"
	columnState        = "state"
	columnReason       = "reason"
	axisPrefix         = "axis " // before the name of an axis
	metricPrefix       = "metric "
)

// coordinates are the columns that say which point a row is of.
type coordinates struct {
	trace, machine, overlays *Column
	axes                     []*Column
	// labels are their names, without those that all points share.
	labels []string
}

// coordinates adds the columns to a dataset.
func (s *study) coordinates(d *Dataset) *coordinates {
	m := s.manifest
	c := &coordinates{trace: d.Words(columnTrace, "trace"), machine: d.Words(columnMachine, "machine"), overlays: d.Words(columnOverlays, s.overlays)}
	c.labels = []string{columnTrace, columnMachine}
	if s.varies(func(p *results.PlannedPoint) string { return p.Overlays }) {
		c.labels = append(c.labels, columnOverlays)
	}
	for i, a := range m.Axes {
		c.axes = append(c.axes, d.Words(axisPrefix+a.Name, a.Name, a.Values...))
		if s.varies(func(p *results.PlannedPoint) string { return p.Values[i] }) {
			c.labels = append(c.labels, axisPrefix+a.Name)
		}
	}
	return c
}

func (c *coordinates) add(p *point) {
	c.trace.Add(p.trace.Label)
	c.machine.Add(p.planned.Machine)
	c.overlays.Add(p.planned.Overlays)
	for i, axis := range c.axes {
		axis.Add(p.value(i))
	}
}

// mostTogether is how many points a chart shows of all traces at once.
const mostTogether = 60

// choices are the columns by which readers select the points of a chart of bars: one
// trace at a time where there are many points.
func (s *study) choices(c *coordinates) (one, any []string) {
	any = append([]string{columnMachine}, c.parameters()...)
	if len(s.manifest.Points) > mostTogether {
		return []string{columnTrace}, any
	}
	return nil, append([]string{columnTrace}, any...)
}

// varies reports whether points differ in something.
func (s *study) varies(of func(p *results.PlannedPoint) string) bool {
	for i := range s.manifest.Points {
		if of(&s.manifest.Points[i]) != of(&s.manifest.Points[0]) {
			return true
		}
	}
	return false
}

// parameters are the labels behind trace and machine: what a sweep changes.
func (c *coordinates) parameters() []string { return c.labels[2:] }
