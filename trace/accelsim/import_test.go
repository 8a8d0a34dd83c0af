// SPDX-License-Identifier: Apache-2.0

package accelsim

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/statistics"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// byHand is a kernel file in the grammar of tracer version 5, written by hand.
const byHand = `-kernel name = _Z1kPf
-kernel id = 1
-grid dim = (2,1,1)
-block dim = (32,1,1)
-shmem = 64
-nregs = 10
-binary version = 70
-cuda stream id = 94112
-shmem base_addr = 0x00007f0000000000
-local mem base_addr = 0x00007f1000000000
-nvbit version = 1.7
-accelsim tracer version = 5
-enable lineinfo = 0

#traces format = whatever

#BEGIN_TB

thread block = 0,0,0

warp = 0
insts = 5
0010 0000000f 1 R2 LDG.E 1 R4 4 1 0x1000 4 0
0020 00000015 1 R2 LDG.E 1 R4 4 2 0x1000 8 -4 0
0030 00000000 1 R3 LD.E.64 2 R2 R5 8 1 0x0 0 0
0040 80000001 0 ST.E.U8 2 R2 R3 1 0 0x7f0000000010 0x2000 0
0060 ffffffff 0 EXIT 0 0 0

#END_TB

#BEGIN_TB

thread block = 1,0,0

warp = 0
insts = 1
0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x2000 0 0

#END_TB
`

// imported writes the files to a folder with a list of them, imports, and opens.
func imported(t *testing.T, files map[string]string) (*wtape.Reader, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	output := filepath.Join(dir, "out.wtape")
	if err := Import([]string{filepath.Join(dir, "kernelslist.g")}, output, "test", wtape.Options{Workers: 1}); err != nil {
		if _, stat := os.Stat(output); stat == nil {
			t.Error("a failed import left a trace")
		}
		return nil, err
	}
	r, err := wtape.Open(output)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := verification.Verify(r); err != nil {
		t.Error(err)
	}
	return r, nil
}

func TestImportedAddressesAreThoseOfTheGrammar(t *testing.T) {
	r, err := imported(t, map[string]string{
		"kernelslist.g":   "MemcpyHtoD,0x00007f2000000000,400\nsome line of another tracer\nkernel-1.traceg\n",
		"kernel-1.traceg": byHand,
	})
	if err != nil {
		t.Fatal(err)
	}
	chunk := wtape.NewChunk()
	if err := r.ReadChunk(0, chunk); err != nil {
		t.Fatal(err)
	}
	w := chunk.Warp(0, 0)
	got := []string{}
	for i, a := range w.Accesses {
		mask := []uint32{0xf, 0x15, 0, 0x80000001}[i]
		var lanes [trace.WarpSize]uint64
		chunk.Addresses(a, mask, &lanes)
		text := ""
		for l, address := range lanes {
			if mask>>l&1 != 0 {
				text += fmt.Sprintf(" %d:%x", l, address)
			}
		}
		got = append(got, text)
	}
	// The generic address in the shared window of the traced GPU is in that of the format.
	want := []string{" 0:1000 1:1004 2:1008 3:100c", " 0:1000 2:1008 4:1004", "", " 0:40000010 31:2000"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if n := r.Totals(); n.WarpInstructions != 6 || n.ThreadInstructions != 4+3+0+2+32+32 || n.BytesToDevice != 400 {
		t.Errorf("%+v", n)
	}
	k := r.Kernels()[0]
	if k.Name != "_Z1kPf" || k.SharedBytes != 64 || k.RegistersPerThread != 10 || k.Instructions[3].LaneBytes != 1 || k.Instructions[3].Space != trace.SpaceGeneric {
		t.Errorf("kernel %+v", k)
	}
}

func TestOlderVersionsAndLineInfoAreRead(t *testing.T) {
	noImmediate := strings.NewReplacer(" 4 0\n", " 4\n", " -4 0\n", " -4\n", "0x2000 0 0\n", "0x2000 0\n", "EXIT 0 0 0", "EXIT 0 0", "0x0 0 0", "0x0 0", "0x2000 0\n", "0x2000\n").Replace(byHand)
	noImmediate = strings.Replace(noImmediate, "1 0x2000\n", "1 0x2000 0\n", 1)
	lined := strings.NewReplacer("lineinfo = 0", "lineinfo = 1", "\n00", "\n77 00").Replace(byHand)
	for name, text := range map[string]string{
		"version 3":       strings.Replace(noImmediate, "tracer version = 5", "tracer version = 3", 1),
		"early version 4": strings.Replace(noImmediate, "tracer version = 5", "tracer version = 4", 1),
		"version 4":       strings.Replace(byHand, "tracer version = 5", "tracer version = 4", 1),
		"line info":       lined,
	} {
		r, err := imported(t, map[string]string{"kernelslist.g": "kernel-1.traceg\n", "kernel-1.traceg": text})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s, err := statistics.Of(r)
		if err != nil {
			t.Fatal(err)
		}
		if s.WarpInstructions != 6 || s.Global.Accesses != 4 {
			t.Errorf("%s: %+v", name, s)
		}
		if line := r.Kernels()[0].Instructions[0].Line; (line == 77) != (name == "line info") {
			t.Errorf("%s: line %d", name, line)
		}
	}
}

func TestWrongFilesAreNamedByFileAndLine(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"tracer version = 5", "tracer version = 7", "version 7: versions 3 to 6"},
		{"tracer version = 5", "tracer version = 1", "version 1: versions 3 to 6"},
		{"(2,1,1)", "(2,1)", "header grid dim"},
		{"(2,1,1)", "(1,1,1)", "more thread blocks than the grid of 1"},
		{"(32,1,1)", "(16,1,1)", "mask 80000001 in warp 0 with lanes 0000ffff"},
		{"(32,1,1)", "(64,1,1)", "1 of 2 warps"},
		{"LDG.E", "FROB.E", `line 23: unknown opcode "FROB.E"`},
		{"0010 0000000f 1 R2", "0010 0000000f 1 X2", `line 23: "0010 0000000f 1 X2`},
		{"0x1000 4 0", "0x1000", "line 23: "},
		{"4 1 0x1000 4 0", "4 7 0x1000 4 0", `"7" is no address mode`},
		{"0x1000 4 0", "0x1000 4 0 0 0", "fields too many"},
		{"warp = 0", "warp = 9", "warp 9 of a thread block of 32"},
		{"insts = 5", "insts = 4", "is no part of a thread block"},
		{"insts = 5", "insts = 4000", "\"#END_TB\": \"#END_TB\" is no number"},
		{"#traces format = whatever", "", "is no part of a thread block"},
	} {
		text := strings.Replace(byHand, c.old, c.new, 1)
		_, err := imported(t, map[string]string{"kernelslist.g": "kernel-1.traceg\n", "kernel-1.traceg": text})
		if err == nil || !strings.Contains(err.Error(), "kernel-1.traceg: line ") || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "BUG") {
			t.Errorf("%s: got %v, want %s", c.new, err, c.want)
		}
	}
	for list, want := range map[string]string{
		"kernel/../../x.traceg\n": "outside the folder",
		"MemcpyHtoD,12\n":         "kernelslist.g:1: want MemcpyHtoD",
		"MemcpyHtoD,0xzz,4\n":     "is not hexadecimal",
		"kernel-2.traceg.xz\n":    "kernel-2.traceg.xz",
		"kernel-2.traceg.gz\n":    "kernel-2.traceg.gz",
		"kernel-2.traceg.zst\n":   "kernel-2.traceg.zst",
		"kernel-3.traceg.xz\n":    "dictionary of 4294967295 bytes",
	} {
		files := map[string]string{"kernelslist.g": list}
		if strings.HasPrefix(list, "kernel-2") {
			files[strings.TrimSpace(list)] = "neither compressed nor a trace"
		}
		files["kernel-3.traceg.xz"] = hugeDictionary
		if _, err := imported(t, files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", list, err, want)
		}
	}
}

// hugeDictionary starts an xz file whose reader would need 4 GiB.
const hugeDictionary = "\xfd7zXZ\x00\x00\x01\x69\x22\xde\x36\x02\x00\x21\x01\x28\x00\x00\x00\x00\x00\x00\x00"

// ignore is a visitor that wants nothing.
type ignore struct{}

func (ignore) block(_, _, _ uint32) error { return nil }
func (ignore) warp(int) error             { return nil }
func (ignore) execute(*execution) error   { return nil }
func (ignore) endBlock() error            { return nil }

func FuzzParser(f *testing.F) {
	f.Add(byHand)
	f.Add(strings.Replace(byHand, "lineinfo = 0", "lineinfo = 1", 1))
	f.Fuzz(func(t *testing.T, text string) {
		p, err := newParser(strings.NewReader(text))
		if err != nil {
			return
		}
		if err := p.walk(newSurvey(&p.header)); err != nil {
			return
		}
		// What a survey accepts, the bare grammar accepts.
		if p, err = newParser(strings.NewReader(text)); err == nil {
			err = p.walk(ignore{})
		}
		if err != nil {
			t.Error(err)
		}
	})
}
