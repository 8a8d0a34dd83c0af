// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/warptape/warptape/timing/columns"
)

// headlineMetric is a declaration by its name, and what stands above a column of it.
type headlineMetric struct{ name, short string }

// headline are the metrics of WriteHeadline, the first ones being those that a narrow
// table keeps.
var headline = []headlineMetric{
	{"ipc_warp", "IPC"}, {"slots_issued_percent", "issued %"}, {"l1_read_hit_percent", "L1 hit %"}, {"l2_hit_percent", "L2 hit %"},
	{"dram_gb_per_s", "DRAM GB/s"}, {"dram_busy_percent", "DRAM busy %"}, {"load_latency_cycles_mean", "load cycles"},
	{"occupancy_percent", "occupancy %"}, {"lanes_active_percent", "lanes %"},
}

// WriteHeadline writes what WriteTable does in a dozen rows, for lines of so many
// characters: a column per machine, or, when those have no room, a row per machine.
func WriteHeadline(w io.Writer, results []Result, width int) error {
	if len(results) == 0 {
		return nil
	}
	var b strings.Builder
	first := &results[0]
	fmt.Fprintf(&b, "%s: %d launches, %s, trace %.12s, version %s\n", first.Program, len(first.Launches), first.issued(), first.TraceDigest, first.Version)
	for _, note := range estimates(results) {
		wrap(&b, note, "", width)
	}
	b.WriteString("\n")
	if table := headlineRows(results); tableWidth(table) <= width {
		columns.Write(&b, table)
		b.WriteString("\n")
		for i := range results {
			t := &results[i].Total.TopDown
			wrap(&b, fmt.Sprintf("%s, bottleneck: %s (%s)", results[i].Machine, t.Bottleneck, t.Evidence), "  ", width)
		}
	} else {
		writeMachines(&b, results, width)
	}
	for _, warning := range allWarnings(results) {
		wrap(&b, "warning: "+warning, "  ", width)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// headlineRows are the rows of WriteTable that make the headline.
func headlineRows(results []Result) [][]string {
	all := rows(results)
	metrics := len(all) - len(declarations)
	// Copies are the difference of the whole time and that of kernels.
	table := slices.DeleteFunc(slices.Clone(all[:metrics]), func(row []string) bool { return strings.HasPrefix(row[0], "copies") })
	for i := range declarations {
		if slices.ContainsFunc(headline, func(h headlineMetric) bool { return h.name == declarations[i].Name }) {
			table = append(table, all[metrics+i])
		}
	}
	return table
}

func tableWidth(table [][]string) int {
	width := make([]int, len(table[0]))
	for _, row := range table {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	sum := 2 * (len(width) - 1)
	for _, n := range width {
		sum += n
	}
	return sum
}

// writeMachines writes a row per machine, with as many columns as have room.
func writeMachines(b *strings.Builder, results []Result, width int) {
	base := &results[0].Total
	head := []string{"machine", "core cycles", "time [us]", "ratio"}
	if base.Uncertainty != nil {
		head = append(head, "95 %")
	}
	head = append(head, "bottleneck")
	for _, h := range headline {
		head = append(head, h.short)
	}
	table := [][]string{head}
	for i := range results {
		t := &results[i].Total
		row := []string{results[i].Machine, strconv.FormatInt(int64(t.Cycles), 10), fixed(t.Nanoseconds/1000, 2), relative(t.Nanoseconds, base.Nanoseconds)}
		if t.Uncertainty != nil {
			row = append(row, "± "+fixed(t.Uncertainty.Percent, 1)+" %")
		}
		row = append(row, t.TopDown.Bottleneck)
		for _, h := range headline {
			row = append(row, headlineCell(t, h.name))
		}
		table = append(table, row)
	}
	n := len(head)
	for n > 2 && tableWidth(cut(table, n)) > width {
		n--
	}
	columns.Write(b, cut(table, n))
	if n < len(head) {
		wrap(b, "no room for "+strings.Join(head[n:], ", "), "  ", width)
	}
}

// cut keeps the first n columns.
func cut(table [][]string, n int) [][]string {
	out := make([][]string, len(table))
	for i := range table {
		out[i] = table[i][:n]
	}
	return out
}

func headlineCell(t *Section, name string) string {
	for i := range declarations {
		if d := &declarations[i]; d.Name == name {
			digits := 3
			if d.Unit == "%" {
				digits = 1
			}
			return fixed(t.Metrics[i], digits)
		}
	}
	panic("BUG: no metric " + name)
}

// wrap writes a text in lines of so many characters, all but the first indented.
func wrap(b *strings.Builder, text, indent string, width int) {
	used := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case used+1+n > width:
			b.WriteString("\n" + indent)
			used = utf8.RuneCountInString(indent)
		default:
			b.WriteString(" ")
			used++
		}
		b.WriteString(word)
		used += n
	}
	b.WriteString("\n")
}
