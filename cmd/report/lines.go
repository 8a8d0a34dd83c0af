package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
)

// lines shows the source text of kernels with what became of the issue slots of each line.
type lines struct {
	study *study
	texts sourceTexts
	data  *Dataset

	trace, architecture, code, text  *Column
	line, total, share, issued, lost *Column
	cause                            *Column
	slots                            []*Column
	notes                            []string
	more                             int
}

// mostLines bounds the rows of a page.
const mostLines = 40_000

func newLines(s *study) *lines {
	c := &lines{study: s, data: NewDataset("lines"), texts: sourceTexts{s.source, map[string]*traceText{}}}
	d := c.data
	c.trace, c.architecture = d.Words(columnTrace, "trace"), d.Words(columnArchitecture, "architecture")
	c.code = d.Words("code", "code")
	c.line = d.Numbers("line", "line", "")
	c.text = d.Words("text", "PTX")
	c.total, c.share = d.Numbers("total", "slots", "issue slots"), d.Numbers("share", "share", "%")
	c.issued, c.lost = d.Numbers("issued", "issued", "issue slots"), d.Numbers("lost", "lost", "issue slots")
	c.cause = d.Words("cause", "lost mostly to")
	for _, name := range slotNames() {
		c.slots = append(c.slots, d.Numbers("slots "+name, name, "issue slots"))
	}
	return c
}

func (c *lines) add(p *point) error {
	if !p.detailed || len(p.statistics.Profiles) == 0 {
		return nil
	}
	kernels, err := c.texts.of(p.trace)
	if err != nil && !slices.Contains(c.notes, p.trace.Label+": "+err.Error()) {
		c.notes = append(c.notes, p.trace.Label+": "+err.Error())
	}
	for i := range p.statistics.Profiles {
		profile := &p.statistics.Profiles[i]
		all := slotsOf(profile)
		for _, function := range functionsOf(profile) {
			c.code1(p, profile, function, textOf(kernels, profile, function), all)
		}
	}
	return nil
}

// slotsOf adds up the slots of a kernel.
func slotsOf(p *replay.Profile) float64 {
	sum := 0.0
	for i := range p.Instructions {
		for _, n := range p.Instructions[i].Slots {
			sum += float64(n)
		}
	}
	return sum
}

// functionsOf lists the functions that have instructions of a kernel; "" is its own code.
func functionsOf(p *replay.Profile) []string {
	var names []string
	for i := range p.Instructions {
		if f := p.Instructions[i].Function; !slices.Contains(names, f) {
			names = append(names, f)
		}
	}
	return names
}

// lineSlots is what became of the slots of a line.
type lineSlots struct {
	opcodes string
	slots   [counters.CauseCount]float64
}

// code1 adds the lines of one kernel or function; without text those with instructions.
func (c *lines) code1(p *point, profile *replay.Profile, function string, text *textLines, all float64) {
	by, numbers := linesOf(profile, function)
	if text != nil {
		numbers = numbers[:0]
		for i := range text.lines {
			numbers = append(numbers, text.first+uint32(i))
		}
	}
	if c.data.Len()+len(numbers) > mostLines {
		c.more++
		return
	}
	name := profile.Kernel
	if function != "" {
		name += " > " + function
	}
	for _, n := range numbers {
		c.trace.Add(p.trace.Label)
		c.architecture.Add(p.planned.Architecture)
		c.code.Add(name)
		c.line.AddNumber(float64(n))
		l := by[n]
		switch {
		case text != nil:
			c.text.Add(text.lines[n-text.first])
		default:
			c.text.Add(l.opcodes)
		}
		c.numbers(l, all)
	}
}

// linesOf adds up the instructions of each line, and lists the lines in their order.
func linesOf(profile *replay.Profile, function string) (map[uint32]*lineSlots, []uint32) {
	by := map[uint32]*lineSlots{}
	var numbers []uint32
	for i := range profile.Instructions {
		in := &profile.Instructions[i]
		if in.Function != function {
			continue
		}
		l := by[in.Line]
		if l == nil {
			l = &lineSlots{opcodes: in.Opcode}
			by[in.Line] = l
			numbers = append(numbers, in.Line)
		} else {
			l.opcodes += ", " + in.Opcode
		}
		l.add(in)
	}
	slices.Sort(numbers)
	return by, numbers
}

func (l *lineSlots) add(in *replay.InstructionProfile) {
	for i, n := range in.Slots[:min(len(in.Slots), len(l.slots))] {
		l.slots[i] += float64(n)
	}
}

// numbers adds the figures of a line; nil: it has no instruction.
func (c *lines) numbers(l *lineSlots, all float64) {
	if l == nil {
		c.cause.Add("")
		for _, column := range append([]*Column{c.total, c.share, c.issued, c.lost}, c.slots...) {
			column.AddNumber(math.NaN())
		}
		return
	}
	total, worst := 0.0, 0
	for i, n := range l.slots {
		total += n
		if i > 0 && (worst == 0 || n > l.slots[worst]) {
			worst = i
		}
		if n == 0 {
			n = math.NaN() // shorter, and drawn alike
		}
		c.slots[i].AddNumber(n)
	}
	issued := l.slots[counters.CauseIssued]
	c.total.AddNumber(total)
	c.share.AddNumber(100 * total / all)
	c.issued.AddNumber(issued)
	c.lost.AddNumber(total - issued)
	cause := ""
	if total > issued {
		cause = counters.Cause(worst).String()
	}
	c.cause.Add(cause)
}

func (c *lines) section() *Section {
	if c.data.Len() == 0 {
		return nil
	}
	s := &Section{ID: "lines", Title: "Lines of source", Text: []string{
		"The issue slots of each line of PTX: those in which it issued, and those that a scheduler lost while an instruction of the line was what its warps waited to issue. " + c.study.details.say(),
	}, Parts: []Part{{Table: &Table{
		Title: "Lines", Dataset: c.data, Columns: []string{"line", "text", "total", "share", "issued", "lost", "cause"}, One: []string{columnTrace, columnArchitecture, "code"},
		Code: []string{"text"}, Stack: columnNames(c.slots), StackTitle: "causes", Few: 400,
	}}}}
	if c.more > 0 {
		c.notes = append(c.notes, leftOut(c.more, fmt.Sprintf("kernels have together more than %d lines; --details reference has fewer", mostLines)))
	}
	if len(c.notes) > 0 {
		s.Parts = append(s.Parts, Part{Notes: c.notes})
	}
	return s
}

func columnNames(columns []*Column) []string {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}
