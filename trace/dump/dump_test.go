// SPDX-License-Identifier: Apache-2.0

package dump

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace/statistics"
	"github.com/warptape/warptape/trace/wtape"
)

func openSmall(t *testing.T) *wtape.Reader {
	t.Helper()
	r, err := wtape.Open("../testdata/small.wtape")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func openRecorded(t *testing.T, name string) *wtape.Reader {
	t.Helper()
	r, err := wtape.Open(filepath.Join("..", "..", "traces", "recorded", name+".wtape"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func dumped(t *testing.T, r *wtape.Reader, o Options) []string {
	t.Helper()
	var out strings.Builder
	if err := Write(r, &out, o); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

func TestDumpOfALineHasItsExecutionsOnly(t *testing.T) {
	r := openRecorded(t, "spmv")
	counts, err := statistics.Of(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range counts.PerLines {
		filter, err := ParseLineFilter(filepath.Base(r.Kernels()[0].File) + ":" + itoa(l.Line))
		if err != nil {
			t.Fatal(err)
		}
		executions := uint64(0)
		for _, line := range dumped(t, r, Options{Line: filter}) {
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
	text := dumped(t, r, Options{Block: &block, Warp: &warp})
	object := dumped(t, r, Options{Block: &block, Warp: &warp, JSON: true})
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
		if err := Write(r, &strings.Builder{}, Options{Line: filter}); err == nil || !strings.Contains(err.Error(), "no kernel has an instruction of line "+filter.String()+": its files are ") {
			t.Errorf("%v: %v", filter, err)
		}
	}
	for _, text := range []string{"", "x", "a.ptx:", ":3", "0", "-1", "a.ptx:4294967296"} {
		if _, err := ParseLineFilter(text); err == nil || !strings.Contains(err.Error(), "want N or FILE:N") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestDumpPrintsLanesAndGuards(t *testing.T) {
	r := openSmall(t)
	launch, block, warp := 1, uint64(2), 1
	var out strings.Builder
	if err := Write(r, &out, Options{Launch: &launch, Block: &block, Warp: &warp}); err != nil {
		t.Fatal(err)
	}
	// Lane l of the odd pattern is at 4096 + 4*(7*l*l mod 61) + 64*block.
	want := `launch 1 kernel guarded grid 3,1,1 block 40,1,1
thread block 2 warp 1
  visit block 0 lanes 000000ff
    1 ld line 2 lanes 00000055 addresses 0:0x1080 2:0x10f0 4:0x114c 6:0x10a0
    2 ld line 3 lanes 000000ff base 0x21c0 stride 4
  visit block 0 lanes 000000ff
    1 ld line 2 lanes 000000aa addresses 1:0x109c 3:0x1088 5:0x1154 7:0x1118
    2 ld line 3 lanes 000000ff base 0x21c0 stride 4
  visit block 1 lanes 000000ff
    3 st line 4 lanes 000000ff base 0x21c0 stride 4
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
}

func TestDumpOfWhatIsNotThereFails(t *testing.T) {
	r := openSmall(t)
	launch, block, warp := 7, uint64(9), 5
	for _, o := range []Options{{Launch: &launch}, {Block: &block}, {Warp: &warp}} {
		if err := Write(r, &strings.Builder{}, o); err == nil {
			t.Errorf("%+v printed something", o)
		}
	}
}

// FuzzWrite dumps whatever opens: it may fail, and has to come back.
func FuzzWrite(f *testing.F) {
	small, err := os.ReadFile("../testdata/small.wtape")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(small)
	f.Add(small[:len(small)-1])
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
		if err == nil {
			Write(r, io.Discard, Options{})
		}
	})
}
