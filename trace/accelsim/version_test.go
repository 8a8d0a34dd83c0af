// SPDX-License-Identifier: Apache-2.0

package accelsim

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/statistics"
	"github.com/warptape/warptape/trace/wtape"
)

// byVersion is the grammar of an instruction line of each tracer version, without
// line info. Version 3 has no immediate; version 6 has typed registers and a tail.
var byVersion = map[int]*regexp.Regexp{
	3: regexp.MustCompile(`^[0-9a-f]{4,} [0-9a-f]{8} (0|1 R\d+) [A-Z]\S* (0|[1-4]( R\d+)+) (0|\d+ ([01] 0x\S+|2 0x\S+)( 0x[0-9a-f]+| -?\d+)*)$`),
	4: untyped, 5: untyped,
	6: regexp.MustCompile(`^[0-9a-f]{4,} [0-9a-f]{8} (0|1 (R|P)\d+) [A-Z]\S* (0|[1-4]( (R|P)\d+)+) (0|\d+ ([01] 0x\S+|2 0x\S+)( 0x[0-9a-f]+| -?\d+)*) 0 NoVal$`),
}

var untyped = regexp.MustCompile(`^[0-9a-f]{4,} [0-9a-f]{8} (0|1 R\d+) [A-Z]\S* (0|[1-4]( R\d+)+) (0|\d+ ([01] 0x\S+|2 0x\S+)( 0x[0-9a-f]+| -?\d+)*) 0$`)

// grammatical checks every line of the body of a kernel file.
func grammatical(path string, version int) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	left, body := 0, false
	for lines.Scan() {
		text := lines.Text()
		switch {
		case left > 0:
			if left--; !byVersion[version].MatchString(text) {
				return fmt.Errorf("%q is not in the grammar of version %d", text, version)
			}
		case !body:
			body = strings.HasPrefix(text, "#")
		case strings.HasPrefix(text, "insts = "):
			if _, err := fmt.Sscanf(text, "insts = %d", &left); err != nil || left < 1 {
				return fmt.Errorf("%q", text)
			}
		case text != "" && text != "#BEGIN_TB" && text != "#END_TB" && !strings.HasPrefix(text, "warp = ") && !strings.HasPrefix(text, "thread block = "):
			return fmt.Errorf("%q is no part of a body", text)
		}
	}
	if left > 0 {
		return errors.New("the file ends inside a warp")
	}
	return lines.Err()
}

func statsOf(t *testing.T, path string) *statistics.Report {
	t.Helper()
	r, err := wtape.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := statistics.Of(r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEveryVersionComesBackWithTheSameStatistics(t *testing.T) {
	for _, name := range []string{"spmv"} {
		path := filepath.Join("..", "..", "traces", "recorded", name+".wtape")
		want := statsOf(t, path)
		for version := oldestVersion; version <= newestVersion; version++ {
			r, err := wtape.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			folder := filepath.Join(t.TempDir(), "x")
			if err := Export(r, folder, ExportOptions{Version: version}); err != nil {
				t.Fatal(err)
			}
			files, err := filepath.Glob(filepath.Join(folder, "*.traceg"))
			if err != nil || len(files) == 0 {
				t.Fatalf("%v, %v", files, err)
			}
			for _, file := range files {
				if err := grammatical(file, version); err != nil {
					t.Fatalf("%s, version %d: %v", name, version, err)
				}
			}
			again := filepath.Join(t.TempDir(), "again.wtape")
			if err := Import([]string{filepath.Join(folder, "kernelslist.g")}, again, "test", wtape.Options{}); err != nil {
				t.Fatal(err)
			}
			got := statsOf(t, again)
			if d := cmp.Diff([]any{want.ByClass, want.ActiveLanes, want.Global}, []any{got.ByClass, got.ActiveLanes, got.Global}); d != "" {
				t.Errorf("%s, version %d: %s", name, version, d)
			}
		}
	}
}

// hopper is a kernel file in the form of tracer version 6.
var hopper = strings.NewReplacer("tracer version = 5", "tracer version = 6",
	"thread block = 0,0,0\n", "thread block = 0,0,0\ncluster id = 0\ncluster cta = 0,0,0\ncluster rank = 0\n",
	"0010 0000000f 1 R2 LDG.E 1 R4 4 1 0x1000 4 0", "0010 0000000f 2 R2 P1 LDG.E 3 R4 UR6 UP0 4 1 0x1000 4 0 8 NoVal",
	"0020 00000015 1 R2 LDG.E 1 R4 4 2 0x1000 8 -4 0", "0020 00000015 1 R2 LDG.E 1 R4 4 2 0x1000 8 -4 0 Val 1 ff 32"+strings.Repeat(" 0x1a", 32),
	"0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x2000 0 0", "0010 ffffffff 2 R2 P1 LDG.E 3 R4 UR6 UP0 4 1 0x2000 0 0",
	"0060 ffffffff 0 EXIT 0 0 0", "0050 ffffffff 1 R8 HGMMA.64x8x16.F32 2 R4 UR8 1 0 0 NoVal\n0060 ffffffff 0 EXIT 0 0",
	"insts = 5", "insts = 6").Replace(byHand)

func TestVersion6IsRead(t *testing.T) {
	r, err := imported(t, map[string]string{"kernelslist.g": "kernel-1.traceg\n", "kernel-1.traceg": hopper})
	if err != nil {
		t.Fatal(err)
	}
	load := r.Kernels()[0].Instructions[0]
	writes, reads := load.Writes(nil), load.Reads(nil)[1:] // without its guard
	for i, want := range []trace.Register{
		{Number: 2, Words: 1, Virtual: "R2"}, {File: trace.FilePredicate, Number: 1, Words: 1, Virtual: "P1"},
		{Number: 4, Words: 1, Virtual: "R4"}, {Number: 256 + 6, Words: 1, Virtual: "UR6"}, {File: trace.FilePredicate, Number: 8, Words: 1, Virtual: "UP0"},
	} {
		if got := append(writes[:2:2], reads...)[i]; got != want {
			t.Errorf("register %d is %+v, want %+v", i, got, want)
		}
	}
	s, err := statistics.Of(r)
	if err != nil || s.WarpInstructions != 7 || s.ByClass[trace.ClassTensor] != 1 || s.Global.Accesses != 4 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestWhatVersion6CannotSayIsRefused(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"NoVal\n", "Vals\n", `"Vals" is no Val or NoVal`},
		{"Val 1 ff 32", "Val 2 ff 32", `"2" is no number of values`},
		{"Val 1 ff 32 0x1a", "Val 1 ff 32", "the line ends early"},
		{"R4 UR6", "R4 Q6", `"Q6" is no register`},
		{"HGMMA", "UTMALDG", "tensor memory accelerator"},
	} {
		text := strings.Replace(hopper, c.old, c.new, 1)
		if _, err := imported(t, map[string]string{"kernelslist.g": "kernel-1.traceg\n", "kernel-1.traceg": text}); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "kernel-1.traceg: line ") {
			t.Errorf("%s: got %v, want %s", c.new, err, c.want)
		}
	}
	if _, err := imported(t, map[string]string{"kernelslist.g": "kernel-1.tracez\n"}); err == nil || !strings.Contains(err.Error(), "kernelslist.g:1: \"kernel-1.tracez\" is in the seekable form") {
		t.Errorf("%v", err)
	}
	if err := Export(exampleTrace(t), filepath.Join(t.TempDir(), "x"), ExportOptions{Version: 3, LineInfo: true}); err == nil || !strings.Contains(err.Error(), "line info from 4 on") {
		t.Errorf("%v", err)
	}
}
