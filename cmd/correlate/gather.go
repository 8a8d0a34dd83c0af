// SPDX-License-Identifier: Apache-2.0

package correlate

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/results/table"
	"github.com/warptape/warptape/cmd/sweep/plan"
)

// ofLaunches are columns that only launches have.
var ofLaunches = []string{table.LaunchName, table.KernelName, "grid_thread_blocks", "block_threads"}

// result is a row of the table of results.
type result struct {
	point, state, reason string
	model, version       string
	keys                 []string // as Measurements.Keys, as normal writes them
	values               []float64
	has                  []bool // by value
	cells                []string
}

// gathered has the results, and the measurements that they are compared with.
type gathered struct {
	measured *Measurements
	table    *table.Table
	units    []string // by figure
	launches bool
	results  []result
	models   []string // in the order of the table
}

// gather reads both sides.
func gather(ctx context.Context, store *results.Store, sweeps []string, file string, text []byte, o Reading) (*gathered, error) {
	g := &gathered{launches: namesLaunches(text, &o)}
	var err error
	if g.table, err = table.New(ctx, store, table.Options{Sweeps: sweeps, Launches: g.launches}); err != nil {
		return nil, err
	}
	var keys, figures []string
	for i := range g.table.Columns {
		switch c := &g.table.Columns[i]; {
		case c.Identifies():
			keys = append(keys, c.Name)
		case c.Kind != table.Text && c.Name != "start_cycle" && c.Name != "end_cycle":
			figures = append(figures, c.Name)
		}
	}
	if g.measured, err = Read(file, bytes.NewReader(text), keys, figures, o); err != nil {
		return nil, err
	}
	if err := g.normalize(); err != nil {
		return nil, err
	}
	return g, g.read(ctx)
}

// namesLaunches reports whether the header has a column of launches.
func namesLaunches(text []byte, o *Reading) bool {
	header, err := csv.NewReader(withoutMark(bytes.NewReader(text))).Read()
	if err != nil {
		return false // Read says what is wrong
	}
	for _, name := range header {
		name = strings.TrimSpace(name)
		if slices.Contains(o.Ignore, name) {
			continue
		}
		if ours, ok := o.Rename[name]; ok {
			name = ours
		}
		if slices.Contains(ofLaunches, name) {
			return true
		}
	}
	return false
}

func (g *gathered) column(name string) int {
	return slices.IndexFunc(g.table.Columns, func(c table.Column) bool { return c.Name == name })
}

// normalize writes numbers of keys in one way: sizes in bytes.
func (g *gathered) normalize() error {
	p := &Problems{File: g.measured.File}
	for k, name := range g.measured.Keys {
		c := &g.table.Columns[g.column(name)]
		if c.Kind == table.Text {
			continue
		}
		for i := range g.measured.Rows {
			m := &g.measured.Rows[i]
			if m.Keys[k] == "" {
				continue
			}
			v, ok := plan.Number(m.Keys[k])
			if !ok {
				p.add(m.Line, "column %s: %q is not a number, as all values of results are", name, m.Keys[k])
				continue
			}
			m.Keys[k] = strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	if len(p.List) > 0 {
		return p
	}
	return nil
}

// read takes the rows of the table. A point that several sweeps have is one.
func (g *gathered) read(ctx context.Context) error {
	var keys, figures []int
	for _, name := range g.measured.Keys {
		keys = append(keys, g.column(name))
	}
	for _, name := range g.measured.Figures {
		i := g.column(name)
		figures = append(figures, i)
		g.units = append(g.units, g.table.Columns[i].Unit)
	}
	point, state, reason, launch := g.column(table.KeyName), g.column(table.StateName), g.column(table.ReasonName), g.column(table.LaunchName)
	seen := map[[2]string]bool{}
	version, versions := g.column("model"), map[string]bool{}
	for row, err := range g.table.Rows(ctx) {
		if err != nil {
			return err
		}
		r := result{point: row[point].Text, state: row[state].Text, reason: row[reason].Text, model: g.modelOf(row)}
		at := [2]string{r.point}
		if launch >= 0 {
			at[1] = row[launch].String()
		}
		if r.point != "" && seen[at] {
			continue
		}
		seen[at] = true
		for _, i := range keys {
			r.keys = append(r.keys, row[i].String())
		}
		for _, i := range figures {
			r.values, r.has = append(r.values, row[i].Number), append(r.has, row[i].Present)
		}
		for i := range g.table.Columns {
			if c := &g.table.Columns[i]; c.Identifies() {
				r.cells = append(r.cells, row[i].String())
			}
		}
		r.version = row[version].Text
		versions[r.version] = true
		g.results = append(g.results, r)
	}
	for i := range g.results {
		r := &g.results[i]
		if len(versions) > 1 {
			r.model += " replayed by " + r.version
		}
		if !slices.Contains(g.models, r.model) {
			g.models = append(g.models, r.model)
		}
	}
	return nil
}

// modelOf names the architecture of a row, as far as the measurements do not say it.
func (g *gathered) modelOf(row []table.Cell) string {
	architecture := row[g.column(table.ArchitectureName)].Text
	var parts []string
	for i := range g.table.Columns {
		c := &g.table.Columns[i]
		if !row[i].Present || slices.Contains(g.measured.Keys, c.Name) {
			continue
		}
		switch {
		case c.Name == table.MachineName, c.Name == table.OverlaysName && row[i].Text != plan.NoOverlay:
			parts = append(parts, row[i].Text)
		case c.Parameter() && setsParameter(architecture, c.Name):
			parts = append(parts, c.Name+"="+row[i].String())
		}
	}
	if len(parts) == 0 {
		return "all"
	}
	return strings.Join(parts, " ")
}

// setsParameter reports whether an architecture sets a parameter, which is else one of a
// workload.
func setsParameter(architecture, name string) bool {
	return strings.Contains(architecture, "("+name+"=") || strings.Contains(architecture, ","+name+"=")
}

// describe says of what a result is, by the columns of these names.
func (g *gathered) describe(r *result, names []string) string {
	var parts []string
	n := 0
	for i := range g.table.Columns {
		c := &g.table.Columns[i]
		if !c.Identifies() {
			continue
		}
		if v := r.cells[n]; v != "" && slices.Contains(names, c.Name) {
			parts = append(parts, fmt.Sprintf("%s %s", c.Name, v))
		}
		n++
	}
	return strings.Join(parts, ", ")
}
