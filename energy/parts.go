// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/warptape/warptape/timing/columns"
)

// Part is a part of a run with its account: a launch, or all those of a kernel.
type Part struct {
	Name   string
	Number int // of launches
	Report Report
}

// Merge adds up parts of the same name, in the order of their first.
func Merge(parts []Part) []Part {
	var list []Part
	at := map[string]int{}
	for _, p := range parts {
		i, ok := at[p.Name]
		if !ok {
			at[p.Name] = len(list)
			p.Report.Leaves = append([]Leaf(nil), p.Report.Leaves...)
			list = append(list, p)
			continue
		}
		list[i].Number += p.Number
		list[i].Report.add(&p.Report)
	}
	return list
}

// add adds the account of another run on the same machine.
func (r *Report) add(other *Report) {
	r.Seconds += other.Seconds
	r.ThreadInstructions += other.ThreadInstructions
	for i := range r.Leaves {
		r.Leaves[i].DynamicJ += other.Leaves[i].DynamicJ
		r.Leaves[i].StaticJ += other.Leaves[i].StaticJ
	}
}

// WriteParts compares the parts of one run: a row each, with time, energy in
// microjoules, power, and the groups of components with dynamic energy.
func WriteParts(w io.Writer, title string, parts []Part) error {
	if len(parts) == 0 {
		return nil
	}
	header := []string{title, "launches", "time [us]", "dynamic [uJ]", "static [uJ]", "power [W]", "pJ/thread"}
	for _, g := range parts[0].Report.Groups() {
		header = append(header, g.Path+" [uJ]")
	}
	table := [][]string{header}
	for i := range parts {
		r := &parts[i].Report
		sum := r.Total()
		row := []string{
			parts[i].Name, strconv.Itoa(parts[i].Number), fixed(r.Seconds*1e6, 2), fixed(sum.DynamicJ*1e6, 3), fixed(sum.StaticJ*1e6, 3),
			fixed(r.AverageW(), 2), fixed(r.PJPerInstruction(), 1),
		}
		for _, g := range r.Groups() {
			row = append(row, fixed(g.DynamicJ*1e6, 3))
		}
		table = append(table, row)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "energy of %s by %s; the columns of components are dynamic energy\n", parts[0].Report.Machine, title)
	columns.Write(&b, table)
	_, err := io.WriteString(w, b.String())
	return err
}
