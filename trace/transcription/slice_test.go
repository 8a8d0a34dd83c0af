// SPDX-License-Identifier: Apache-2.0

package transcription

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// fileOfTrace writes a trace's bytes and opens them.
func fileOfTrace(t *testing.T, dir, name string, data []byte) *wtape.Reader {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func mustOpen(t *testing.T, path string) *wtape.Reader {
	t.Helper()
	r, err := wtape.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := verification.Verify(r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSliceOfEverythingIsTheTraceItself(t *testing.T) {
	dir := t.TempDir()
	r := fileOfTrace(t, dir, "a", testtraces.Small(t, wtape.Options{}))
	out := filepath.Join(dir, "out")
	if err := Slice(r, out, trace.Everything, trace.Everything, wtape.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := mustOpen(t, out).Digest(); got != r.Digest() {
		t.Errorf("digest %s, want %s", got, r.Digest())
	}
}

func TestSliceOfBlocksHoldsThoseOnly(t *testing.T) {
	dir := t.TempDir()
	r := fileOfTrace(t, dir, "a", testtraces.Small(t, wtape.Options{}))
	out := filepath.Join(dir, "out")
	if err := Slice(r, out, trace.Range{First: 1, Last: 1}, trace.Range{First: 1, Last: 2}, wtape.Options{}); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, out)
	m, err := testtraces.Read(s)
	if err != nil {
		t.Fatal(err)
	}
	want, err := testtraces.Read(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Launches) != 1 || !cmp.Equal(m.Launches[0].Blocks, want.Launches[1].Blocks[1:], cmp.AllowUnexported(testtraces.Block{}, testtraces.Warp{}, testtraces.Visit{}, testtraces.Access{})) {
		t.Error("other thread blocks than 1 and 2 of launch 1")
	}
	if err := Slice(r, filepath.Join(dir, "none"), trace.Range{First: 7, Last: 9}, trace.Everything, wtape.Options{}); err == nil || !strings.Contains(err.Error(), "no thread block of launches 7 to 9") {
		t.Errorf("got %v", err)
	}
	if d := cmp.Diff([]string{"a", "out"}, testtraces.Listing(t, dir)); d != "" {
		t.Error(d)
	}
}

func TestSliceOfEverythingKeepsCPUThreadsAndTheirCounts(t *testing.T) {
	r := testtraces.Counted(t)
	out := filepath.Join(t.TempDir(), "out")
	if err := Slice(r, out, trace.Everything, trace.Everything, wtape.Options{}); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, out)
	if s.Digest() != r.Digest() || s.Totals() != r.Totals() {
		t.Errorf("digest %s and totals %+v, want %s and %+v", s.Digest(), s.Totals(), r.Digest(), r.Totals())
	}
}
