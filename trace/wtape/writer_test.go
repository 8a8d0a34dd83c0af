// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

var errFull = errors.New("no space left")

// fullDisk fails once it has taken its bytes.
type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) > d.left {
		n := d.left
		d.left = 0
		return n, errFull
	}
	d.left -= len(p)
	return len(p), nil
}

func TestFullDiskIsReportedWhereverItHappens(t *testing.T) {
	size := len(testtraces.Small(t, wtape.Options{Workers: 1}))
	for _, seed := range tracetest.Seeds(t, size, size/tracetest.Fewer(64, 32)) {
		space := int(seed)
		w, err := wtape.NewWriter(&fullDisk{space}, "full.wtape", trace.Header{Tool: "test", Arguments: map[string]string{"n": "40"}}, wtape.Options{Workers: 1})
		if err == nil {
			err = testtraces.RecordSmall(w)
			if finish := w.Finish(); finish == nil {
				t.Fatalf("with room for %d of %d bytes it finished", space, size)
			} else if err == nil {
				err = finish
			}
		}
		if !errors.Is(err, errFull) || !strings.HasPrefix(err.Error(), "full.wtape: write failed: ") {
			t.Fatalf("with room for %d bytes: %v", space, err)
		}
	}
}

func TestDeviceFullIsReported(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		full = closedFile(t) // not Linux: any file that refuses writes
	}
	defer full.Close()
	w, err := wtape.NewWriter(full, "full.wtape", trace.Header{}, wtape.Options{})
	if err == nil {
		testtraces.RecordSmall(w)
		err = w.Finish()
	}
	if err == nil || !strings.Contains(err.Error(), "full.wtape: write failed") {
		t.Errorf("got %v", err)
	}
}

func closedFile(t *testing.T) *os.File {
	f, err := os.Create(filepath.Join(t.TempDir(), "closed"))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	return f
}

func TestFileAppearsOnlyWhenFinished(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.wtape")
	w, err := wtape.Create(path, trace.Header{}, wtape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := testtraces.RecordSmall(w); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is there before Finish")
	}
	w.UpdateHeader(func(h *trace.Header) { h.Seed = 42 })
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	w.Abort() // as a deferred call would
	if d := cmp.Diff([]string{"a.wtape"}, testtraces.Listing(t, dir)); d != "" {
		t.Error(d)
	}
	r, err := wtape.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Header().Seed != 42 {
		t.Errorf("seed %d, want the updated 42", r.Header().Seed)
	}
}

func TestAbortedAndFailedTracesLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.wtape")
	w, err := wtape.Create(path, trace.Header{}, wtape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := testtraces.RecordSmall(w); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if err := w.Finish(); err == nil {
		t.Error("finished after Abort")
	}
	w, err = wtape.Create(path, trace.Header{}, wtape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.PendingFile().Close() // from now on every write fails
	testtraces.RecordSmall(w)
	if err := w.Finish(); err == nil || !strings.HasPrefix(err.Error(), path+": write failed") {
		t.Errorf("got %v", err)
	}
	if d := cmp.Diff([]string{}, testtraces.Listing(t, dir)); d != "" {
		t.Errorf("left behind: %s", d)
	}
}

func TestCreateRefusesWhereItCannotWrite(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "missing", "a.wtape")} {
		if _, err := wtape.Create(path, trace.Header{}, wtape.Options{}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// beginSmall starts thread block 1 of a launch of saxpy with 40 threads.
func beginSmall(t *testing.T) *wtape.Writer {
	t.Helper()
	return beginSmallWith(t, wtape.Options{Workers: 1})
}

func beginSmallWith(t *testing.T, options wtape.Options) *wtape.Writer {
	t.Helper()
	w, err := wtape.NewWriter(discard{}, "small", trace.Header{}, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Abort)
	if _, err := w.AddKernel(testtraces.SmallKernel()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 4, Y: 1, Z: 1}, Block: trace.Dim3{X: 40, Y: 1, Z: 1}}); err != nil {
		t.Fatal(err)
	}
	w.BeginBlock(1)
	return w
}

func TestContradictoryRecordsAreBugs(t *testing.T) {
	for name, record := range map[string]func(*wtape.Writer){
		"BUG: visit of basic block 7 of 2":                                                  func(w *wtape.Writer) { w.Visit(0, 7, 1) },
		"warp 0: BUG: 0 guard masks and 0 accesses recorded where the visits imply 1 and 2": func(w *wtape.Writer) { w.Visit(0, 0, 1) },
		"BUG: 1 guard masks": func(w *wtape.Writer) { w.Guard(0, 1) },
		"warp 1: BUG: visit 0 of lanes 00000100 by a warp with lanes 000000ff": func(w *wtape.Writer) {
			w.Visit(1, 1, 0x100)
			w.AccessStrided(1, 0x100, 0, 0)
		},
		"BUG: visit 0 of lanes 00000003 has 00000004 for its guard 0": func(w *wtape.Writer) {
			w.Visit(0, 0, 3)
			w.Guard(0, 4)
			w.AccessStrided(0, 4, 0, 0)
			w.AccessStrided(0, 3, 0, 0)
		},
		"BUG: access 0 with lanes 00000003 where the visits imply 00000001": func(w *wtape.Writer) {
			w.Visit(0, 0, 3)
			w.Guard(0, 1)
			w.AccessStrided(0, 3, 0, 0)
			w.AccessStrided(0, 3, 0, 0)
		},
		"BUG: thread block 2 began outside a launch or inside another": func(w *wtape.Writer) { w.BeginBlock(2) },
	} {
		w := beginSmall(t)
		record(w)
		if err := w.EndBlock(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
		if err := w.EndLaunch(); err == nil {
			t.Errorf("%s: the error does not stick", name)
		}
	}
}

func TestEndlessThreadBlockIsRefusedWithoutEatingTheMemory(t *testing.T) {
	const most = 1 << 20 // bytes, 8 for a visit
	w := beginSmallWith(t, wtape.Options{Workers: 1, LargestBlock: most})
	for range 2 * most / 8 {
		w.Visit(0, 1, 1)
	}
	if n := len(w.ThreadBlock().Warps[0].Blocks); n > most/8+1 {
		t.Errorf("%d visits are kept", n)
	}
	if err := w.EndBlock(); err == nil || !strings.Contains(err.Error(), "launch 0, thread block 1: one thread block of 131073 basic-block visits, 0 guards, 0 memory instructions and 0 irregular ones takes more than 1 MiB in a replay") {
		t.Errorf("got %v", err)
	}
}

func TestThreadBlocksAscendWithinTheGrid(t *testing.T) {
	for _, next := range []uint64{0, 1, 4} {
		w := beginSmall(t)
		if err := w.EndBlock(); err != nil {
			t.Fatal(err)
		}
		w.BeginBlock(next)
		if err := w.EndBlock(); err == nil || !strings.Contains(err.Error(), "BUG: launch 0: thread block") {
			t.Errorf("block %d after 1 of 4: %v", next, err)
		}
	}
}

func TestCountedBlocksAreInTheTotalsOnly(t *testing.T) {
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "sample", trace.Header{}, wtape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.AddKernel(testtraces.LayOut("load", testtraces.LaidBlock{Code: "alx", Successors: nil}))
	w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 10, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}})
	for block := range uint64(10) {
		w.BeginBlock(block)
		w.Visit(0, 0, testtraces.AllLanes)
		w.AccessStrided(0, testtraces.AllLanes, block*128, 4)
		end := w.CountBlock
		if block%5 == 2 {
			end = w.EndBlock
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
	}
	w.UpdateHeader(func(h *trace.Header) { h.Sampling = "2 of each 5 thread blocks" })
	if err := errors.Join(w.EndLaunch(), w.Finish()); err != nil {
		t.Fatal(err)
	}
	r := testtraces.Open(t, out.Bytes())
	if err := verification.Verify(r); err != nil {
		t.Error(err)
	}
	if got := r.Totals(); got.WarpInstructions != 30 || got.ThreadBlocks != 10 || got.ThreadInstructions != 960 {
		t.Errorf("totals %+v", got)
	}
	c := wtape.NewChunk()
	if err := r.ReadChunk(0, c); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]uint64{2, 7}, c.Blocks()); d != "" {
		t.Error(d)
	}
	if a := c.Warp(7, 0).Accesses; len(a) != 1 || a[0].Base != 7*128 {
		t.Errorf("accesses of thread block 7: %+v", a)
	}
	if warp := c.Warp(3, 0); len(warp.Blocks) != 0 {
		t.Errorf("thread block 3 is not stored but has %+v", warp)
	}
	if _, err := r.FindChunk(0, 8); err == nil {
		t.Error("found a chunk for thread block 8")
	}
}

func TestMissingBlocksNeedASamplingNote(t *testing.T) {
	w := beginSmall(t)
	if err := errors.Join(w.EndBlock(), w.EndLaunch()); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err == nil || !strings.Contains(err.Error(), "Header.Sampling is empty") {
		t.Errorf("got %v", err)
	}
}

func TestTotalsCountWhatWasRecorded(t *testing.T) {
	w, err := wtape.NewWriter(discard{}, "small", trace.Header{}, wtape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := testtraces.RecordSmall(w); err != nil {
		t.Fatal(err)
	}
	// Two launches of 3 blocks of 40 threads. Per warp: twice the block of 3
	// instructions, one of them guarded for every other lane, then two more.
	want := trace.Totals{
		Launches: 3, ThreadBlocks: 6, Warps: 12, Threads: 240,
		WarpInstructions: 12 * 8, ThreadInstructions: 6 * 40 * (2*2 + 2*1/2 + 2),
		Visits: 12 * 3, MemoryInstructions: 12 * 5, BytesToDevice: 160,
	}
	want.ByClass[trace.ClassIntAdd] = 12 * 2
	want.ByClass[trace.ClassLoad] = 12 * 4
	want.ByClass[trace.ClassStore] = 12
	want.ByClass[trace.ClassExit] = 12
	if d := cmp.Diff(want, w.Totals()); d != "" {
		t.Error(d)
	}
}

// TestWritersMayUseTheMemoryOfOthers: what a writer leaves to the next one, its
// compressors with their dictionaries among it, does not show in the next trace.
func TestWritersMayUseTheMemoryOfOthers(t *testing.T) {
	tracetest.Nightly(t)
	var want [][]byte
	for round := range 2 {
		for i, wl := range testtraces.Workloads() {
			for _, level := range []wtape.Level{wtape.LevelDefault, wtape.LevelFast} {
				got := testtraces.Encode(t, wl, wtape.Options{Workers: 1, Level: level})
				if round == 0 {
					want = append(want, got)
				} else if !bytes.Equal(got, want[2*i+int(level)]) {
					t.Errorf("%s, level %d: round %d gives another file", wl.Name, level, round)
				}
			}
		}
	}
}

func TestLargeThreadBlocksAreCountedPartByPart(t *testing.T) {
	var out bytes.Buffer
	const most = 1 << 20 // bytes, 40 for a visit with an access
	w, err := wtape.NewWriter(&out, "large", trace.Header{}, wtape.Options{CountLarge: true, LargestBlock: most})
	if err != nil {
		t.Fatal(err)
	}
	w.AddKernel(testtraces.LayOut("load", testtraces.LaidBlock{Code: "al", Successors: []uint32{0, 1}}, testtraces.LaidBlock{Code: "x", Successors: nil}))
	w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 3, Y: 1, Z: 1}, Block: trace.Dim3{X: 64, Y: 1, Z: 1}})
	const large = 1 << 20
	loops := [3]uint64{5, large, 7}
	for block, n := range loops {
		w.BeginBlock(uint64(block))
		for i := range n {
			for warp := range 2 {
				w.Visit(warp, 0, testtraces.AllLanes)
				w.AccessStrided(warp, testtraces.AllLanes, i*128, 4)
			}
		}
		for warp := range 2 {
			w.Visit(warp, 1, testtraces.AllLanes)
		}
		if n := len(w.ThreadBlock().Warps[0].Blocks); n > max(most/8, 1<<18) {
			t.Fatalf("%d visits are kept", n)
		}
		if err := w.EndBlock(); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.EndLaunch(), w.Finish()); err != nil {
		t.Fatal(err)
	}
	if w.Large() != 1 {
		t.Errorf("%d large thread blocks", w.Large())
	}
	r := testtraces.Open(t, out.Bytes())
	if err := verification.Verify(r); err != nil {
		t.Error(err)
	}
	turns := loops[0] + loops[1] + loops[2]
	totals := r.Totals()
	if totals.WarpInstructions != 2*(2*turns+3) || totals.ThreadInstructions != 32*totals.WarpInstructions || totals.Visits != 2*(turns+3) || totals.ThreadBlocks != 3 {
		t.Errorf("the totals are %+v", totals)
	}
	if want := "1 thread blocks are larger than the trace may hold"; !strings.Contains(r.Header().Sampling, want) {
		t.Errorf("the header says %q", r.Header().Sampling)
	}
}
