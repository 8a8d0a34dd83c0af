// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"slices"
	"strconv"

	"github.com/warptape/warptape/timing/counters"
)

// figures are the columns of a CSV table that hold metrics and counters: those
// of the baseline, and those of every mechanism that is on in one of the results.
type figures struct {
	groups []counters.Group
	// on holds per group the machines on which it is on; elsewhere fields are empty.
	on []map[*Result]bool
}

func newFigures(results []Result) *figures {
	f := &figures{}
	for _, g := range counters.Groups() {
		on := map[*Result]bool{}
		for i := range results {
			if m := results[i].Architecture; m != nil && slices.Contains(m.Mechanisms(), g.Name) {
				on[&results[i]] = true
			}
		}
		if len(on) > 0 {
			f.groups, f.on = append(f.groups, g), append(f.on, on)
		}
	}
	return f
}

// appendNames appends the names of the columns.
func (f *figures) appendNames(header []string) []string {
	for i := range declarations {
		header = append(header, declarations[i].Name)
	}
	for id := range counters.ID(counters.Count) {
		header = append(header, counters.Declared(id).Name)
	}
	for _, g := range f.groups {
		for _, row := range g.Rows {
			header = append(header, row.Name)
		}
	}
	return header
}

// append appends the values of a section or interval of a result.
func (f *figures) append(row []string, r *Result, m *Metrics, c *Counts) []string {
	for _, v := range m {
		row = append(row, decimal(v))
	}
	for _, n := range c[:counters.Count] {
		row = append(row, strconv.FormatUint(n, 10))
	}
	for i, g := range f.groups {
		for _, n := range c[g.First:][:len(g.Rows)] {
			if f.on[i][r] {
				row = append(row, strconv.FormatUint(n, 10))
			} else {
				row = append(row, "")
			}
		}
	}
	return row
}
