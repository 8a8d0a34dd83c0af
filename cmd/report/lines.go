// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"

	"github.com/warptape/warptape/timing/replay"
)

// lines shows the source text of kernels with what became of the issue slots of each line.
type lines struct {
	study *study
	texts sourceTexts
	// energy gives the energy of a point's instructions; nil: it is not known.
	energy func(p *point) *replay.LineValues
	// sources finds the text of files that PTX was compiled from.
	sources func(file string) (string, bool)

	ptx, source *lineTable
	notes       []string
	more        int
}

// mostLines bounds the rows of a page.
const mostLines = 40_000

func newLines(s *study, energy func(p *point) *replay.LineValues, sources func(file string) (string, bool)) *lines {
	return &lines{
		study: s, texts: sourceTexts{s.source, map[string]*traceText{}}, energy: energy, sources: sources,
		ptx: newLineTable("lines", "code", "PTX", energy != nil), source: newLineTable("lines", "file", "source", energy != nil),
	}
}

func (c *lines) add(p *point) error {
	if !p.detailed || len(p.statistics.Profiles) == 0 {
		return nil
	}
	kernels, err := c.texts.of(p.trace)
	if err != nil {
		c.note(p.trace.Label + ": " + err.Error())
	}
	var costs *replay.LineValues
	if c.energy != nil {
		costs = c.energy(p)
	}
	compiled := sourceLines{}
	for i := range p.statistics.Profiles {
		profile := &p.statistics.Profiles[i]
		cost := func(int) float64 { return 0 }
		if costs != nil {
			cost = func(j int) float64 { return float64(costs.Of[i][j]) }
		}
		compiled.add(profile, cost)
		all := slotsOf(profile)
		for _, function := range functionsOf(profile) {
			c.code(p, profile, function, textOf(kernels, profile, function), all, cost)
		}
	}
	c.compiled(p, compiled)
	return nil
}

func (c *lines) note(text string) {
	if !slices.Contains(c.notes, text) {
		c.notes = append(c.notes, text)
	}
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

// code adds the lines of one kernel or function; without text those with instructions.
func (c *lines) code(p *point, profile *replay.Profile, function string, text *textLines, all float64, cost func(int) float64) {
	by, numbers := linesOf(profile, function, cost)
	if text != nil {
		numbers = numbers[:0]
		for i := range text.lines {
			numbers = append(numbers, text.first+uint32(i))
		}
	}
	if !c.room(len(numbers)) {
		return
	}
	name := profile.Kernel
	if function != "" {
		name += " > " + function
	}
	for _, n := range numbers {
		line := ""
		if text != nil {
			line = text.lines[n-text.first]
		} else {
			line = by[n].opcodes
		}
		c.ptx.row(p, name, n, line, by[n], all)
	}
}

// room reports whether a page has room for more lines, and counts what it has none for.
func (c *lines) room(n int) bool {
	if c.ptx.data.Len()+c.source.data.Len()+n > mostLines {
		c.more++
		return false
	}
	return true
}

// linesOf adds up the instructions of each line, and lists the lines in their order.
func linesOf(profile *replay.Profile, function string, cost func(int) float64) (map[uint32]*lineSlots, []uint32) {
	by := map[uint32]*lineSlots{}
	var numbers []uint32
	for i := range profile.Instructions {
		in := &profile.Instructions[i]
		if in.Function != function {
			continue
		}
		l := by[in.Line]
		if l == nil {
			l = &lineSlots{}
			by[in.Line] = l
			numbers = append(numbers, in.Line)
		}
		l.add(in, cost(i))
	}
	slices.Sort(numbers)
	return by, numbers
}

func (c *lines) section() *Section {
	if c.ptx.data.Len() == 0 {
		return nil
	}
	s := &Section{ID: "lines", Title: "Lines of source", Text: []string{
		"The issue slots of each line: those in which it issued, and those that a scheduler lost while its warps waited to issue an instruction of the line. Slots in which an SM had no warps belong to no line. " + c.study.detailed,
	}}
	if c.source.data.Len() > 0 {
		s.Parts = append(s.Parts, c.source.hottest("Lines of the compiled source with most issue slots", true), c.source.table("Lines of the compiled source"))
	}
	s.Parts = append(s.Parts, c.ptx.hottest("PTX lines with most issue slots", false), c.ptx.table("PTX"))
	if c.more > 0 {
		c.note(leftOut(c.more, fmt.Sprintf("kernels have together more than %d lines", mostLines)))
	}
	if len(c.notes) > 0 {
		s.Parts = append(s.Parts, Part{Notes: c.notes})
	}
	return s
}
