// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"maps"
	"slices"
)

// absent lists the points without results, and the metrics without values.
type absent struct {
	*points
	data          *Dataset
	where         *coordinates
	state, reason *Column
}

func newAbsent(c *points) *absent {
	a := &absent{points: c, data: NewDataset("points")}
	a.where = c.study.coordinates(a.data)
	a.state, a.reason = a.data.Words(columnState, "state"), a.data.Words(columnReason, "reason")
	return a
}

func (c *absent) add(p *point) error {
	if p.result != nil {
		return nil
	}
	c.where.add(p)
	c.state.Add(p.state)
	c.reason.Add(p.missing)
	return nil
}

func (c *absent) section() *Section {
	s := &Section{ID: "missing", Title: "Points without results"}
	if c.data.Len() == 0 {
		s.Text = []string{"Every point of the plan has a result."}
	} else {
		s.Text = []string{"An impossible point has no machine. A refused one has a machine that cannot run the trace. One that failed, is damaged or is not made yet is made when the sweep is repeated."}
		s.Parts = append(s.Parts, Part{Table: &Table{
			Title: "Points without results", Dataset: c.data, Columns: concat(c.where.labels, []string{columnState, columnReason}), Any: append([]string{columnState}, c.where.labels...), Few: 20,
		}})
	}
	if len(c.failures) > 0 {
		s.Parts = append(s.Parts, Part{Table: c.metricsWithout()})
	}
	return s
}

// metricsWithout lists why metrics have no value at points with results.
func (c *absent) metricsWithout() *Table {
	d := NewDataset("reasons")
	metric, reason, n := d.Words("metric", "metric"), d.Words("reason", "reason"), d.Numbers("points", "points", "")
	order := slices.SortedFunc(maps.Keys(c.failures), func(a, b noValue) int {
		return cmp.Or(cmp.Compare(a.metric, b.metric), cmp.Compare(a.reason, b.reason))
	})
	for _, f := range order {
		metric.Add(f.metric)
		reason.Add(f.reason)
		n.AddNumber(float64(c.failures[f]))
	}
	return &Table{Title: "Metrics without values at points with results", Dataset: d, Columns: []string{"metric", "points", "reason"}}
}
