// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
)

// compiledSection is the section of lines of a kernel that was compiled from two files.
func compiledSection(t *testing.T, sources func(string) (string, bool)) *Section {
	t.Helper()
	slots := func(issued, memory uint64) []uint64 {
		list := make([]uint64, counters.CauseCount)
		list[counters.CauseIssued], list[counters.CauseMemory] = issued, memory
		return list
	}
	profile := replay.Profile{Kernel: "k", File: "k.ptx", Instructions: []replay.InstructionProfile{
		{Line: 7, Opcode: "ld", SourceFile: "a.cu", SourceLine: 2, Slots: slots(1, 0)},
		{Line: 8, Opcode: "ld", SourceFile: "b.h", SourceLine: 1, Slots: slots(10, 30)},
		{Line: 9, Opcode: "add", SourceFile: "b.h", SourceLine: 1, Slots: slots(10, 0)},
		{Line: 10, Opcode: "ret", Slots: slots(10, 0)},
	}}
	s := &study{manifest: &results.Manifest{}, source: &memory{path: "nothing.wtape"}}
	c := newLines(s, nil, sources)
	p := &point{planned: &results.PlannedPoint{Architecture: "m"}, trace: &results.PlannedTrace{Label: "t", Digest: "d"}, detailed: true}
	p.statistics = &results.Statistics{Profiles: []replay.Profile{profile}}
	if err := c.add(p); err != nil {
		t.Fatal(err)
	}
	return c.section()
}

// shownLines are the lines of a table as file:line, text and slots.
func shownLines(d *Dataset) []string {
	var list []string
	code, text := d.Column("code"), d.Column("text")
	for row := range d.Len() {
		number := func(name string) string { return string(appendNumber(nil, d.Column(name).numbers[row])) }
		list = append(list, strings.Join([]string{code.words[code.index[row]], number("line"), text.words[text.index[row]], number("total"), number("lost")}, "|"))
	}
	return list
}

// TestLinesOfTheCompiledSource: instructions of a line are added up, the file with most
// slots comes first, and a file whose text is at hand is whole.
func TestLinesOfTheCompiledSource(t *testing.T) {
	s := compiledSection(t, func(file string) (string, bool) { return "int i;\ni = x[0];\n", file == "a.cu" })
	want := []string{"b.h|1|ld, add|50|30", "a.cu|1|int i;|null|null", "a.cu|2|i = x[0];|1|0"}
	if diff := cmp.Diff(want, shownLines(s.Parts[0].Chart.Dataset)); diff != "" {
		t.Error(diff)
	}
	notes := strings.Join(s.Parts[len(s.Parts)-1].Notes, "\n")
	if !strings.Contains(notes, "b.h: its text is not at hand") || strings.Contains(notes, "a.cu") {
		t.Error(notes)
	}
}

// TestAnotherVersionOfASourceIsNotShown.
func TestAnotherVersionOfASourceIsNotShown(t *testing.T) {
	s := compiledSection(t, func(file string) (string, bool) { return "int i;\n", file == "a.cu" })
	want := []string{"b.h|1|ld, add|50|30", "a.cu|2|ld|1|0"}
	if diff := cmp.Diff(want, shownLines(s.Parts[0].Chart.Dataset)); diff != "" {
		t.Error(diff)
	}
	if notes := strings.Join(s.Parts[len(s.Parts)-1].Notes, "\n"); !strings.Contains(notes, "a.cu: has fewer lines") {
		t.Error(notes)
	}
}
