package trace

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func openRecorded(t *testing.T, name string) *Reader {
	t.Helper()
	r, err := Open(filepath.Join("..", "traces", "recorded", name+".wtape"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func dumped(t *testing.T, r *Reader, o DumpOptions) []string {
	t.Helper()
	var out strings.Builder
	if err := r.Dump(&out, o); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

func TestDumpOfALineHasItsExecutionsOnly(t *testing.T) {
	r := openRecorded(t, "spmv")
	stats, err := Stats(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range stats.PerLines {
		filter, err := ParseLineFilter(filepath.Base(r.kernels[0].File) + ":" + itoa(l.Line))
		if err != nil {
			t.Fatal(err)
		}
		executions := uint64(0)
		for _, line := range dumped(t, r, DumpOptions{Line: filter}) {
			if strings.HasPrefix(line, "    ") {
				executions++
				if !strings.Contains(line, " line "+itoa(l.Line)+" lanes ") {
					t.Fatalf("line %d: %q", l.Line, line)
				}
			}
		}
		if executions != l.WarpInstructions {
			t.Errorf("line %d: %d executions, stats counts %d", l.Line, executions, l.WarpInstructions)
		}
	}
}

func itoa(n uint32) string { return (&LineFilter{Line: n}).String() }

func TestJSONDumpSaysWhatTheTextSays(t *testing.T) {
	r := openRecorded(t, "spmv")
	block, warp := uint64(1), 2
	text := dumped(t, r, DumpOptions{Block: &block, Warp: &warp})
	object := dumped(t, r, DumpOptions{Block: &block, Warp: &warp, JSON: true})
	if len(object) != len(text)-1 { // the text has a line for the warp
		t.Fatalf("%d objects for %d lines", len(object), len(text))
	}
	text = append(text[:1], text[2:]...)
	for i, line := range object {
		var o struct {
			Kind, Lanes, Opcode, Base string
			Block                     any
			Warp                      int
			BasicBlock                int `json:"basic_block"`
			Addresses                 []string
		}
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if i > 0 && (o.Block != 1.0 || o.Warp != 2) || !strings.Contains(text[i], o.Lanes) || !strings.Contains(text[i], o.Opcode) || !strings.Contains(text[i], o.Base) {
			t.Errorf("%s is %q", line, text[i])
		}
		for _, a := range o.Addresses {
			if !strings.Contains(text[i], ":"+a) {
				t.Errorf("%q lacks %s", text[i], a)
			}
		}
	}
}

func TestLinesThatDoNotExistAreNamedWithTheFiles(t *testing.T) {
	r := openRecorded(t, "spmv")
	for _, filter := range []*LineFilter{{Line: 1 << 30}, {File: "nothing.ptx", Line: 66}} {
		if err := r.Dump(&strings.Builder{}, DumpOptions{Line: filter}); err == nil || !strings.Contains(err.Error(), "no kernel has an instruction of line "+filter.String()+": its files are ") {
			t.Errorf("%v: %v", filter, err)
		}
	}
	for _, text := range []string{"", "x", "a.ptx:", ":3", "0", "-1", "a.ptx:4294967296"} {
		if _, err := ParseLineFilter(text); err == nil || !strings.Contains(err.Error(), "want N or FILE:N") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
