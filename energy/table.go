// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/warptape/warptape/timing/columns"
)

// WriteTable compares reports. It writes one row per node of the tree, with
// dynamic and static energy in microjoules per machine. After the first machine
// comes the ratio of their sum to the first's; below are totals and the named
// views.
func WriteTable(w io.Writer, reports []Report) error {
	if len(reports) == 0 {
		return nil
	}
	var b strings.Builder
	for i := range reports {
		t := &reports[i].Technology
		fmt.Fprintf(&b, "energy of %s: %g nm%s, %g K, %g of nominal voltage (%s); %s\n", reports[i].Machine, t.NodeNM, lowPower(t), t.TemperatureK, t.VoltageRatio, t.Source, reports[i].Calibration)
	}
	b.WriteString("\n")
	writeTree(&b, reports)
	for i := range views {
		writeView(&b, &views[i], reports)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func lowPower(t *Technology) string {
	if t.LowPower {
		return " low power"
	}
	return ""
}

func writeTree(b *strings.Builder, reports []Report) {
	machines, header := []string{""}, []string{"component"}
	for i := range reports {
		machines = append(machines, reports[i].Machine, "")
		header = append(header, "dynamic [uJ]", "static [uJ]")
		if i > 0 {
			machines = append(machines, "")
			header = append(header, "ratio")
		}
	}
	table := [][]string{machines, header}
	for _, path := range nodes(reports) {
		row := []string{strings.Repeat("  ", strings.Count(path, "/")) + path[strings.LastIndex(path, "/")+1:]}
		base := reports[0].Node(path)
		for i := range reports {
			n := reports[i].Node(path)
			row = append(row, fixed(n.DynamicJ*1e6, 3), fixed(n.StaticJ*1e6, 3))
			if i > 0 {
				row = append(row, fixed(ratio(n.TotalJ(), base.TotalJ()), 3))
			}
		}
		table = append(table, row)
	}
	for _, s := range summaries {
		row := []string{s.title}
		base := s.of(&reports[0])
		for i := range reports {
			v := s.of(&reports[i])
			row = append(row, strconv.FormatFloat(v, 'g', 5, 64), "")
			if i > 0 {
				row = append(row, fixed(ratio(v, base), 3))
			}
		}
		table = append(table, row)
	}
	columns.Write(b, table)
}

// summaries are the rows below the tree.
var summaries = []struct {
	title string
	of    func(*Report) float64
}{
	{"total [uJ]", func(r *Report) float64 { return r.Total().TotalJ() * 1e6 }},
	{"average power [W]", (*Report).AverageW},
	{"energy-delay [J s]", (*Report).EnergyDelay},
	{"energy-delay^2 [J s^2]", (*Report).EnergyDelaySquared},
	{"energy per instruction [pJ/thread]", (*Report).PJPerInstruction},
	{"performance per watt [thread instructions/J]", (*Report).InstructionsPerJoule},
	{"area, without DRAM [mm^2]", func(r *Report) float64 { return r.Total().AreaMM2 }},
}

// nodes lists the nodes of all reports, parents before children, in the order of
// the leaves.
func nodes(reports []Report) []string {
	var list []string
	seen := map[string]bool{}
	var visit func(parent string)
	visit = func(parent string) {
		if seen[parent] {
			return
		}
		seen[parent] = true
		list = append(list, parent)
		for i := range reports {
			for _, l := range reports[i].Leaves {
				if under(l.Path, parent) && l.Path != parent {
					child, _, _ := strings.Cut(l.Path[len(parent)+1:], "/")
					visit(parent + "/" + child)
				}
			}
		}
	}
	visit("chip")
	return list
}

func writeView(b *strings.Builder, v *View, reports []Report) {
	fmt.Fprintf(b, "\n%s (%s)\n", v.Name, v.Source)
	header := []string{""}
	shares := make([][]Share, len(reports))
	for i := range reports {
		shares[i] = v.Shares(&reports[i])
		header = append(header, reports[i].Machine+" [uJ]", "%")
	}
	table := [][]string{header}
	for g := range v.Groups {
		row := []string{v.Groups[g].Name}
		for i := range reports {
			row = append(row, fixed(shares[i][g].Joules*1e6, 3), fixed(shares[i][g].Percent, 1))
		}
		table = append(table, row)
	}
	if row, found := addedRow(shares, len(v.Groups)); found {
		table = append(table, row)
	}
	columns.Write(b, table)
}

// addedRow is that of what mechanisms add, for the machines that have any.
func addedRow(shares [][]Share, groups int) (row []string, found bool) {
	row = []string{addedName}
	for _, list := range shares {
		s := Share{}
		if len(list) > groups {
			s, found = list[groups], true
		}
		row = append(row, fixed(s.Joules*1e6, 3), fixed(s.Percent, 1))
	}
	return row, found
}

func fixed(v float64, digits int) string {
	if math.IsNaN(v) {
		return "-"
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}
