package trace

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	size := len(smallTrace(t, Options{Workers: 1}))
	for space := range size {
		w, err := NewWriter(&fullDisk{space}, "full.wtape", Header{Tool: "test", Arguments: map[string]string{"n": "40"}}, Options{Workers: 1})
		if err == nil {
			err = recordSmall(w)
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
	w, err := NewWriter(full, "full.wtape", Header{}, Options{})
	if err == nil {
		recordSmall(w)
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

// listing names the files of a folder.
func listing(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestFileAppearsOnlyWhenFinished(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.wtape")
	w, err := Create(path, Header{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := recordSmall(w); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is there before Finish")
	}
	w.UpdateHeader(func(h *Header) { h.Seed = 42 })
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	w.Abort() // as a deferred call would
	if d := cmp.Diff([]string{"a.wtape"}, listing(t, dir)); d != "" {
		t.Error(d)
	}
	r, err := Open(path)
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
	w, err := Create(path, Header{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := recordSmall(w); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if err := w.Finish(); err == nil {
		t.Error("finished after Abort")
	}
	w, err = Create(path, Header{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.file.Close() // from now on every write fails
	recordSmall(w)
	if err := w.Finish(); err == nil || !strings.HasPrefix(err.Error(), path+": write failed") {
		t.Errorf("got %v", err)
	}
	if d := cmp.Diff([]string{}, listing(t, dir)); d != "" {
		t.Errorf("left behind: %s", d)
	}
}

func TestCreateRefusesWhereItCannotWrite(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "missing", "a.wtape")} {
		if _, err := Create(path, Header{}, Options{}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// beginSmall starts thread block 0 of a launch of saxpy with 40 threads.
func beginSmall(t *testing.T) *Writer {
	t.Helper()
	w, err := NewWriter(discard{}, "small", Header{}, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Abort)
	if _, err := w.AddKernel(smallKernel()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.BeginLaunch(Launch{Grid: Dim3{4, 1, 1}, Block: Dim3{40, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	w.BeginBlock(1)
	return w
}

func TestContradictoryRecordsAreBugs(t *testing.T) {
	for name, record := range map[string]func(*Writer){
		"BUG: visit of basic block 7 of 2":                                                  func(w *Writer) { w.Visit(0, 7, 1) },
		"warp 0: BUG: 0 guard masks and 0 accesses recorded where the visits imply 1 and 2": func(w *Writer) { w.Visit(0, 0, 1) },
		"BUG: 1 guard masks": func(w *Writer) { w.Guard(0, 1) },
		"warp 1: BUG: visit 0 of lanes 00000100 by a warp with lanes 000000ff": func(w *Writer) {
			w.Visit(1, 1, 0x100)
			w.AccessStrided(1, 0x100, 0, 0)
		},
		"BUG: visit 0 of lanes 00000003 has 00000004 for its guard 0": func(w *Writer) {
			w.Visit(0, 0, 3)
			w.Guard(0, 4)
			w.AccessStrided(0, 4, 0, 0)
			w.AccessStrided(0, 3, 0, 0)
		},
		"BUG: access 0 with lanes 00000003 where the visits imply 00000001": func(w *Writer) {
			w.Visit(0, 0, 3)
			w.Guard(0, 1)
			w.AccessStrided(0, 3, 0, 0)
			w.AccessStrided(0, 3, 0, 0)
		},
		"BUG: thread block 2 began outside a launch or inside another": func(w *Writer) { w.BeginBlock(2) },
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
	w := beginSmall(t)
	for range maxThreadBlockVisits + maxThreadBlockVisits/2 {
		w.Visit(0, 1, 1)
	}
	if n := len(w.block.warps[0].blocks); n > maxThreadBlockVisits+1 {
		t.Errorf("%d visits are kept", n)
	}
	if err := w.EndBlock(); err == nil || !strings.Contains(err.Error(), "launch 0, thread block 1: more than 16777216 basic-block visits") {
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

func TestUnusableKernelsAndLaunchesAreRefused(t *testing.T) {
	for name, change := range map[string]func(*Kernel){
		"0 basic blocks":                 func(k *Kernel) { k.Blocks = nil },
		"instructions 0 to 99 of":        func(k *Kernel) { k.Blocks[0].Count = 100 },
		"belongs to another block":       func(k *Kernel) { k.Blocks[1].First = 0 },
		"its successor 9 does not exist": func(k *Kernel) { k.Blocks[0].Successors[0] = 9 },
		"its post-dominator 5":           func(k *Kernel) { k.Blocks[0].PostDominator = 5 },
		"its join 5":                     func(k *Kernel) { k.Blocks[0].Joins = []uint32{0, 5} },
		"17 joins, want at most 16":      func(k *Kernel) { k.Blocks[0].Joins = make([]uint32, 17) },
		"unknown class 0":                func(k *Kernel) { k.Instructions[0].Class = 0 },
		"unknown state space 99":         func(k *Kernel) { k.Instructions[0].Space = 99 },
		"9 destinations":                 func(k *Kernel) { k.Instructions[0].Destinations = 9 },
		"not a predicate register":       func(k *Kernel) { k.Instructions[1].Guard.Register.File = FileGeneral },
		"operand 0: unknown kind":        func(k *Kernel) { k.Instructions[0].Operands[0].Kind = 0 },
	} {
		k := smallKernel()
		change(k)
		if err := k.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
	}
	for name, l := range map[string]Launch{
		"kernel 3 of 1 does not exist": {Kernel: 3, Block: Dim3{1, 1, 1}},
		"thread block of 0x1x1":        {Block: Dim3{0, 1, 1}},
		"is too large":                 {Block: Dim3{1, 1, 1}, Grid: Dim3{1 << 31, 1 << 31, 1 << 31}},
	} {
		if err := l.validate(1); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
	}
}

func TestCountedBlocksAreInTheTotalsOnly(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out, "sample", Header{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.AddKernel(layOut("load", laidBlock{"alx", nil}))
	w.BeginLaunch(Launch{Grid: Dim3{10, 1, 1}, Block: Dim3{32, 1, 1}})
	for block := range uint64(10) {
		w.BeginBlock(block)
		w.Visit(0, 0, allLanes)
		w.AccessStrided(0, allLanes, block*128, 4)
		end := w.CountBlock
		if block%5 == 2 {
			end = w.EndBlock
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
	}
	w.UpdateHeader(func(h *Header) { h.Sampling = "2 of each 5 thread blocks" })
	if err := errors.Join(w.EndLaunch(), w.Finish()); err != nil {
		t.Fatal(err)
	}
	r := openBytes(t, out.Bytes())
	if err := Verify(r); err != nil {
		t.Error(err)
	}
	if got := r.Totals(); got.WarpInstructions != 30 || got.ThreadBlocks != 10 || got.ThreadInstructions != 960 {
		t.Errorf("totals %+v", got)
	}
	c := NewChunk()
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
	w, err := NewWriter(discard{}, "small", Header{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := recordSmall(w); err != nil {
		t.Fatal(err)
	}
	// Two launches of 3 blocks of 40 threads. Per warp: twice the block of 3
	// instructions, one of them guarded for every other lane, then two more.
	want := Totals{
		Launches: 3, ThreadBlocks: 6, Warps: 12, Threads: 240,
		WarpInstructions: 12 * 8, ThreadInstructions: 6 * 40 * (2*2 + 2*1/2 + 2),
		Visits: 12 * 3, MemoryInstructions: 12 * 5, BytesToDevice: 160,
	}
	want.ByClass[ClassIntAdd] = 12 * 2
	want.ByClass[ClassLoad] = 12 * 4
	want.ByClass[ClassStore] = 12
	want.ByClass[ClassExit] = 12
	if d := cmp.Diff(want, w.Totals()); d != "" {
		t.Error(d)
	}
}

// TestWritersMayUseTheMemoryOfOthers: what a writer leaves to the next one, its
// compressors with their dictionaries among it, does not show in the next trace.
func TestWritersMayUseTheMemoryOfOthers(t *testing.T) {
	var want [][]byte
	for round := range 3 {
		for i, wl := range workloads() {
			for _, level := range []Level{LevelDefault, LevelFast} {
				got := encodeWorkload(t, wl, Options{Workers: 1, Level: level})
				if round == 0 {
					want = append(want, got)
				} else if !bytes.Equal(got, want[2*i+int(level)]) {
					t.Errorf("%s, level %d: round %d gives another file", wl.name, level, round)
				}
			}
		}
	}
}
