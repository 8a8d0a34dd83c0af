// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/warptape/warptape/cmd/internal/numbers"
)

// overview says how many points there are, and which ones are best.
type overview struct {
	*points
	states map[string]int
	rows   int
	labels []string
}

func newOverview(c *points) *overview { return &overview{points: c, states: map[string]int{}} }

func (c *overview) add(p *point) error {
	c.states[p.state]++
	c.rows++
	parts := []string{p.planned.Machine}
	for _, name := range c.at.parameters() {
		if name == columnOverlays {
			parts = append(parts, p.planned.Overlays)
		}
	}
	for i, a := range c.study.manifest.Axes {
		if v := p.value(i); v != "" {
			parts = append(parts, a.Name+" "+v)
		}
	}
	c.labels = append(c.labels, strings.Join(parts, ", "))
	return nil
}

func (c *overview) section() *Section {
	m := c.study.manifest
	facts := []Fact{{Name: "points", Value: fmt.Sprint(c.rows)}, {Name: "with results", Value: fmt.Sprint(c.states[""]), Note: "the others are listed under Points without results"}}
	for _, state := range []string{stateImpossible, stateRefused, stateFailed, stateDamaged, stateNotMade} {
		if n := c.states[state]; n > 0 {
			facts = append(facts, Fact{Name: state, Value: fmt.Sprint(n)})
		}
	}
	var warps uint64
	for i := range m.Traces {
		warps += m.Traces[i].Summary.WarpInstructions
	}
	facts = append(facts, Fact{Name: "traces", Value: fmt.Sprint(len(m.Traces)), Note: numbers.Short(warps) + " warp instructions"})
	facts = append(facts, Fact{Name: "machines", Value: fmt.Sprint(len(c.data.Column(columnMachine).words))})
	for i, a := range m.Axes {
		if len(c.at.axes[i].words) > 1 {
			facts = append(facts, Fact{Name: a.Name, Value: fmt.Sprintf("%d values", len(a.Values)), Note: strings.Join(a.Values, ", ")})
		}
	}
	s := &Section{ID: "overview", Title: "Overview", Parts: []Part{{Facts: facts}}}
	if best := c.best(); best.Len() > 0 {
		s.Parts = append(s.Parts, Part{Table: &Table{Title: "Best points of each trace", Dataset: best, Columns: []string{"measure", columnTrace, "best", "value", "unit", "ratio"}, Any: []string{"measure", columnTrace}, Few: 24}})
	}
	s.Parts = append(s.Parts, Part{Table: &Table{
		Title: "All points", Dataset: c.data, Columns: concat(c.at.labels, c.state0(), c.measures()[:len(c.metrics)+5]), Any: c.at.labels, Few: 10,
	}})
	return s
}

// state0 shows states where some points have one.
func (c *overview) state0() []string {
	if c.states[""] == c.rows {
		return nil
	}
	return []string{columnState}
}

// best finds for each trace and each measure the best point.
func (c *overview) best() *Dataset {
	d := NewDataset("best points")
	measure, trace, best := d.Words("measure", "measure"), d.Words(columnTrace, "trace"), d.Words("best", "best point")
	value, unit, ratio := d.Numbers("value", "value", ""), d.Words("unit", "unit"), d.Numbers("ratio", "worst point over best one", "")
	measures := c.comparable()
	if len(c.metrics) == 0 {
		measures = Role{"time_ns", "energy_j"}
	}
	traces := c.data.Column(columnTrace)
	for _, name := range measures {
		column := c.data.Column(name)
		if len(c.metrics) > 0 && !strings.HasPrefix(name, metricPrefix) {
			continue
		}
		for t, label := range traces.words {
			low, high := -1, -1
			for row, v := range column.numbers {
				if traces.index[row] != t || math.IsNaN(v) {
					continue
				}
				if low < 0 || v < column.numbers[low] {
					low = row
				}
				if high < 0 || v > column.numbers[high] {
					high = row
				}
			}
			if low < 0 {
				continue
			}
			first, last := low, high
			if column.Better == "higher" {
				first, last = high, low
			}
			measure.Add(column.Title)
			trace.Add(label)
			best.Add(c.labels[first])
			value.AddNumber(column.numbers[first])
			unit.Add(column.Unit)
			ratio.AddNumber(column.numbers[last] / column.numbers[first])
		}
	}
	return d
}
