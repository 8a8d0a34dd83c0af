// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/warptape/warptape/timing/columns"
	"github.com/warptape/warptape/timing/counters"
)

// lineRow is an instruction with what it has cost.
type lineRow struct {
	place, opcode string
	issued, lost  uint64
	cause         counters.Cause // that lost most
	energy        int64
}

// WriteLines writes a table of the n instructions at which most issue slots were spent,
// issued and lost together. energy, when it is not nil, is in picojoules. It adds
// columns with the energy of each instruction in nanojoules and its share of the sum.
// Below the table it adds what belongs to no instruction.
func WriteLines(w io.Writer, r *Result, n int, energy *LineValues) error {
	rows := lineRows(r, energy)
	var slots uint64
	for i := range rows {
		slots += rows[i].issued + rows[i].lost
	}
	slices.SortStableFunc(rows, func(a, b lineRow) int { return cmp.Compare(b.issued+b.lost, a.issued+a.lost) })
	var b strings.Builder
	fmt.Fprintf(&b, "%s: the PTX lines that take most issue slots\n", r.Machine)
	header := []string{"line", "opcode", "slots", "%", "issued", "lost", "mostly to"}
	var joules int64
	if energy != nil {
		header = append(header, "energy [nJ]", "%")
		joules = energy.sum()
	}
	table := [][]string{header}
	for _, l := range rows[:min(n, len(rows))] {
		row := []string{
			l.place, l.opcode, strconv.FormatUint(l.issued+l.lost, 10), fixed(percent(float64(l.issued+l.lost), float64(slots)), 1),
			strconv.FormatUint(l.issued, 10), strconv.FormatUint(l.lost, 10), l.cause.String(),
		}
		if energy != nil {
			row = append(row, fixed(float64(l.energy)/1e3, 3), fixed(percent(float64(l.energy), float64(joules)), 1))
		}
		table = append(table, row)
	}
	columns.Write(&b, table)
	if energy != nil {
		b.WriteString("dynamic energy of no line:")
		for i, v := range energy.Rest {
			if i > 0 {
				b.WriteString(";")
			}
			fmt.Fprintf(&b, " %s %s nJ (%s %%)", v.Name, fixed(float64(v.Value)/1e3, 3), fixed(percent(float64(v.Value), float64(joules)), 1))
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func lineRows(r *Result, energy *LineValues) []lineRow {
	var rows []lineRow
	for k := range r.Profiles {
		p := &r.Profiles[k]
		for i := range p.Instructions {
			in := &p.Instructions[i]
			code := p.Kernel
			if in.Function != "" {
				code += " > " + in.Function
			}
			l := lineRow{place: fmt.Sprintf("%s:%d", code, in.Line), opcode: in.Opcode, issued: in.Slots[counters.CauseIssued]}
			for c, n := range in.Slots {
				if counters.Cause(c) == counters.CauseIssued {
					continue
				}
				l.lost += n
				if l.cause == counters.CauseIssued || n > in.Slots[l.cause] {
					l.cause = counters.Cause(c)
				}
			}
			if energy != nil {
				l.energy = energy.Of[k][i]
			}
			rows = append(rows, l)
		}
	}
	return rows
}

// sum adds up all values.
func (v *LineValues) sum() int64 {
	var sum int64
	for _, list := range v.Of {
		for _, n := range list {
			sum += n
		}
	}
	for _, n := range v.Rest {
		sum += n.Value
	}
	return sum
}
