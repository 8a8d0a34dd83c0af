// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
)

// lineTable is what became of the issue slots of lines: of PTX, or of the source that it
// was compiled from.
type lineTable struct {
	data *Dataset

	trace, architecture, code, text  *Column
	line, total, share, issued, lost *Column
	cause                            *Column
	slots                            []*Column
	energy                           *Column // nil: it is not known
}

func newLineTable(rows, code, text string, energy bool) *lineTable {
	t := &lineTable{data: NewDataset(rows)}
	d := t.data
	t.trace, t.architecture = d.Words(columnTrace, "trace"), d.Words(columnArchitecture, "architecture")
	t.code = d.Words("code", code)
	t.line = d.Numbers("line", "line", "")
	t.text = d.Words("text", text)
	t.total, t.share = d.Numbers("total", "slots", "issue slots"), d.Numbers("share", "share", "%")
	t.issued, t.lost = d.Numbers("issued", "issued", "issue slots"), d.Numbers("lost", "lost", "issue slots")
	t.cause = d.Words("cause", "lost mostly to")
	if energy {
		t.energy = d.Numbers("energy", "dynamic energy", "pJ")
	}
	for _, name := range slotNames() {
		t.slots = append(t.slots, d.Numbers("slots "+name, name, "issue slots"))
	}
	return t
}

// lineSlots is what became of the slots of a line, and what the line has cost.
type lineSlots struct {
	opcodes    string
	slots      [counters.CauseCount]float64
	picojoules float64
}

func (l *lineSlots) add(in *replay.InstructionProfile, picojoules float64) {
	if l.opcodes != "" {
		l.opcodes += ", "
	}
	l.opcodes += in.Opcode
	l.picojoules += picojoules
	for i, n := range in.Slots[:min(len(in.Slots), len(l.slots))] {
		l.slots[i] += float64(n)
	}
}

// row adds a line; all are the slots that shares are of, slots nil for a line without an
// instruction.
func (t *lineTable) row(p *point, code string, line uint32, text string, slots *lineSlots, all float64) {
	t.trace.Add(p.trace.Label)
	t.architecture.Add(p.planned.Architecture)
	t.code.Add(code)
	t.line.AddNumber(float64(line))
	t.text.Add(text)
	if slots == nil {
		t.cause.Add("")
		for _, column := range append([]*Column{t.total, t.share, t.issued, t.lost}, t.slots...) {
			column.AddNumber(math.NaN())
		}
		if t.energy != nil {
			t.energy.AddNumber(math.NaN())
		}
		return
	}
	t.figures(slots, all)
}

func (t *lineTable) figures(l *lineSlots, all float64) {
	total, worst := 0.0, 0
	for i, n := range l.slots {
		total += n
		if i > 0 && (worst == 0 || n > l.slots[worst]) {
			worst = i
		}
		if n == 0 {
			n = math.NaN() // shorter, and drawn alike
		}
		t.slots[i].AddNumber(n)
	}
	issued := l.slots[counters.CauseIssued]
	t.total.AddNumber(total)
	t.share.AddNumber(100 * total / all)
	t.issued.AddNumber(issued)
	t.lost.AddNumber(total - issued)
	cause := ""
	if total > issued {
		cause = counters.Cause(worst).String()
	}
	t.cause.Add(cause)
	if t.energy != nil {
		t.energy.AddNumber(l.picojoules)
	}
}

// hottest are the lines with most issue slots, of each code or of all together.
func (t *lineTable) hottest(title string, together bool) Part {
	c := &Chart{
		Kind: Bars, Title: title, Dataset: t.data, Series: columnNames(t.slots), Label: []string{"line", "text"},
		One: []string{columnTrace, columnArchitecture}, Sort: true, Few: 15, Partial: true,
	}
	if together {
		c.Any, c.Label = []string{"code"}, []string{"code", "line", "text"}
	} else {
		c.One = append(c.One, "code")
	}
	return Part{Chart: c}
}

// table shows the lines in their order.
func (t *lineTable) table(title string) Part {
	columns := []string{"line", "text", "total", "share", "issued", "lost", "cause"}
	if t.energy != nil {
		columns = append(columns, "energy")
	}
	return Part{Table: &Table{
		Title: title, Dataset: t.data, Columns: columns, One: []string{columnTrace, columnArchitecture, "code"},
		Code: []string{"text"}, Stack: columnNames(t.slots), StackTitle: "causes", Few: 400,
	}}
}

func columnNames(columns []*Column) []string {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}
