// SPDX-License-Identifier: Apache-2.0

package table

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/warptape/warptape/cmd/internal/suggestion"
	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep/plan"
)

// namedColumns are the columns that do not depend on the points' figures.
func (t *Table) namedColumns() []Column {
	list := slices.Clone(leading)
	list = append(list, t.axes(list)...)
	list = append(list, outcome...)
	if t.launches {
		return append(append(list, launching...), trailing...)
	}
	list = append(list, t.metrics(list)...)
	return append(list, trailing...)
}

// briefColumns are those of Options.Brief.
func (t *Table) briefColumns(known []Column) []Column {
	var list []Column
	for _, c := range known {
		switch {
		case c.role == axisColumn, c.role == metricColumn,
			slices.Contains([]string{SweepName, TraceName, MachineName, OverlaysName, StateName, LaunchName, KernelName}, c.Name):
			list = append(list, c)
		}
	}
	for _, c := range declaredFigures() {
		if slices.Contains(Headline, c.Name) {
			list = append(list, c)
		}
	}
	return list
}

// place is that of a column's axis or metric in the manifest of a part; -1: it has none.
func (t *Table) place(c *Column, p *part) int {
	for i, other := range t.parts {
		if other == p {
			return c.places[i]
		}
	}
	return -1
}

// nowhere are the places of a column that no sweep has yet.
func (t *Table) nowhere() []int {
	places := make([]int, len(t.parts))
	for i := range places {
		places[i] = -1
	}
	return places
}

// axes makes a column for each parameter. Those of one name are one column.
func (t *Table) axes(taken []Column) []Column {
	var list []Column
	index := map[string]int{}
	for i, p := range t.parts {
		if p.manifest == nil {
			continue
		}
		for j := range p.manifest.Axes {
			axis := &p.manifest.Axes[j]
			at, ok := index[axis.Name]
			if !ok {
				at, list = len(list), append(list, Column{Name: free(axis.Name, "parameter.", taken), Kind: Number, Meaning: "parameter " + axis.Name, role: axisColumn, places: t.nowhere()})
				index[axis.Name] = at
			}
			list[at].places[i] = j
			list[at].take(axis)
		}
	}
	return list
}

// take makes a column of numbers one of texts when a value of the axis is no number.
func (c *Column) take(axis *results.Axis) {
	for _, v := range axis.Values {
		if v == "" {
			continue
		}
		if _, ok := plan.Number(v); !ok {
			c.Kind, c.Unit = Text, ""
			return
		}
		if c.Kind == Number && v[len(v)-1] == 'B' {
			c.Unit = "bytes"
		}
	}
}

// metrics makes a column for each metric. Metrics of several sweeps share one if their
// names, expressions and units are the same; other metrics of one name stand behind the
// names of their sweeps.
func (t *Table) metrics(taken []Column) []Column {
	first, several := map[string]results.Metric{}, map[string]bool{}
	for _, p := range t.parts {
		if p.manifest == nil {
			continue
		}
		for _, m := range p.manifest.Metrics {
			if f, ok := first[m.Name]; !ok {
				first[m.Name] = m
			} else if f != m {
				several[m.Name] = true
			}
		}
	}
	var list []Column
	index := map[string]int{}
	for i, p := range t.parts {
		if p.manifest == nil {
			continue
		}
		for j, m := range p.manifest.Metrics {
			name := free(m.Name, "metric.", taken)
			if several[m.Name] {
				name = p.manifest.Name + "." + m.Name
			}
			at, ok := index[name]
			if !ok {
				at, list = len(list), append(list, Column{Name: name, Kind: Number, Unit: m.Unit, Meaning: m.Expression, role: metricColumn, places: t.nowhere()})
				index[name] = at
			}
			list[at].places[i] = j
		}
	}
	return list
}

// free is a name that no column has: with the prefix where another has it.
func free(name, prefix string, taken []Column) string {
	fixed := slices.Concat(taken, outcome, launching, trailing)
	if slices.ContainsFunc(fixed, func(c Column) bool { return c.Name == name }) ||
		slices.ContainsFunc(results.Values(), func(v results.Value) bool { return v.Name == name }) {
		return prefix + name
	}
	return name
}

func figure(v results.Value) Column {
	return Column{Name: v.Name, Kind: Number, Unit: v.Unit, Meaning: v.Meaning, role: figureColumn}
}

func declaredFigures() []Column {
	var list []Column
	for _, v := range results.Values() {
		list = append(list, figure(v))
	}
	return list
}

// findFigures reads all points once for the figures that they have, in the declared order;
// those that only another version declares come last.
func (t *Table) findFigures(ctx context.Context) ([]Column, error) {
	names, seen := map[string]bool{}, map[string]fate{}
	for r, err := range t.records(ctx) {
		if err != nil {
			return nil, err
		}
		seen[r.key] = r.fate
		if r.state != Done {
			continue
		}
		for launch := range r.rows(t.launches) {
			for name := range r.figures(t.launches, launch) {
				names[name] = true
			}
		}
	}
	t.seen = seen
	var list []Column
	for _, v := range results.Values() {
		if names[v.Name] {
			list = append(list, figure(v))
			delete(names, v.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		list = append(list, figure(results.Value{Name: name, Meaning: "not a figure of this version"}))
	}
	return list, nil
}

// inOrder puts figures between the metrics and the columns that identify a result.
func inOrder(known, figures []Column) []Column {
	at := len(known) - len(trailing)
	return slices.Concat(known[:at], figures, known[at:])
}

// choose picks columns by name; ok says whether there are all of them.
func choose(known, figures []Column, names []string) (list []Column, ok bool) {
	all := slices.Concat(known, figures)
	for j, name := range names {
		i := slices.IndexFunc(all, func(c Column) bool { return c.Name == name })
		if i < 0 || slices.Contains(names[:j], name) {
			return nil, false
		}
		list = append(list, all[i])
	}
	return list, true
}

// chosen is choose with an error that names what there is.
func chosen(known, figures []Column, names []string) ([]Column, error) {
	var all []string
	for _, c := range slices.Concat(known, figures) {
		all = append(all, c.Name)
	}
	for i, name := range names {
		if !slices.Contains(all, name) {
			return nil, &UnknownColumnError{Name: name, Known: all}
		}
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("column %q is asked for twice", name)
		}
	}
	list, _ := choose(known, figures, names)
	return list, nil
}

// UnknownColumnError names a column that a table does not have.
type UnknownColumnError struct {
	Name  string
	Known []string
}

func (e *UnknownColumnError) Error() string {
	return fmt.Sprintf("no column %q%s", e.Name, suggestion.For(e.Name, e.Known))
}
