// SPDX-License-Identifier: Apache-2.0

package statistics

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/transcription"
	"github.com/warptape/warptape/trace/verification"
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

// saxpyKernel compares, computes y[i] += a*x[i] in nine instructions, and leaves.
func saxpyKernel() *trace.Kernel {
	k := &trace.Kernel{Name: "saxpy", File: "saxpy.ptx", Blocks: []trace.BasicBlock{
		{First: 0, Count: 7, Successors: []uint32{1, 2}, PostDominator: 2},
		{First: 7, Count: 9, Successors: []uint32{2}, PostDominator: 2},
		{First: 16, Count: 1, PostDominator: trace.NoBlock},
	}}
	for range 17 {
		k.Instructions = append(k.Instructions, trace.Instruction{Opcode: "add", Class: trace.ClassIntAdd, Line: uint32(len(k.Instructions) + 1)})
	}
	for i, class := range map[int]trace.OpClass{10: trace.ClassLoad, 11: trace.ClassLoad, 12: trace.ClassF32Fma, 15: trace.ClassStore} {
		in := &k.Instructions[i]
		if in.Class = class; class.IsMemory() {
			in.Space, in.LaneBytes = trace.SpaceGlobal, 4
		}
	}
	k.Instructions[6].Class, k.Instructions[16].Class = trace.ClassBranch, trace.ClassExit
	return k
}

// recordSaxpy records a saxpy of n elements in thread blocks of 256 threads.
func recordSaxpy(t testing.TB, n uint64) *wtape.Reader {
	t.Helper()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "saxpy", trace.Header{Tool: "test"}, wtape.Options{Level: wtape.LevelFast})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.AddKernel(saxpyKernel()); err != nil {
		t.Fatal(err)
	}
	blocks := (n + 255) / 256
	if _, err := w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: uint32(blocks), Y: 1, Z: 1}, Block: trace.Dim3{X: 256, Y: 1, Z: 1}}); err != nil {
		t.Fatal(err)
	}
	const all = ^uint32(0)
	for block := range blocks {
		w.BeginBlock(block)
		for warp := range 8 {
			first := block*256 + uint64(warp)*32
			w.Visit(warp, 0, all)
			if first < n {
				mask := all
				if n-first < 32 {
					mask = 1<<(n-first) - 1
				}
				w.Visit(warp, 1, mask)
				for _, base := range []uint64{0x7f0000000000, 0x7f0010000000, 0x7f0010000000} {
					w.AccessStrided(warp, mask, base+4*first, 4)
				}
			}
			w.Visit(warp, 2, all)
		}
		if err := w.EndBlock(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.EndLaunch(); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestStatisticsOfSaxpyAreWhatTheSourceSays(t *testing.T) {
	const n = 1<<15 - 100
	s, err := Of(recordSaxpy(t, n))
	if err != nil {
		t.Fatal(err)
	}
	// ceil(n/32) warps do 3 accesses of 4 bytes per lane, of 1 line each.
	warps := uint64((n + 31) / 32)
	g := s.Global
	if g.Accesses != 3*warps || g.Segments != 3*warps || g.SegmentsPerAccess[1] != 3*warps {
		t.Errorf("%d accesses, %d segments, want %d", g.Accesses, g.Segments, 3*warps)
	}
	if g.RequestedBytes != 3*4*n || g.FootprintLines != 2*warps || g.FirstTouches != 2*warps || g.ReuseDistance[0] != warps {
		t.Errorf("%+v", g)
	}
	if s.ActiveLanes[n%32] != 9 { // the body's instructions of the last, partial warp
		t.Errorf("active lanes %v", s.ActiveLanes)
	}
	if s.ByClass[trace.ClassLoad] != 2*warps || s.ByClass[trace.ClassStore] != warps {
		t.Errorf("classes %v", s.ByClass)
	}
}

// Of CPU threads each executed branch counts for its kind, and nothing else does; lines and addresses count once.
func TestStatisticsOfCPUThreadsAreWhatTheyExecute(t *testing.T) {
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "cpu", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	// The registers say the kind: a direct jump reads and writes the instruction pointer, 26 in ChampSim.
	plain := trace.CPUInstruction{IP: 100, LoadSlots: 1, StoreSlots: 2}
	jump := trace.CPUInstruction{IP: 200, Branch: true, Destinations: [trace.CPUOperands]uint8{26}, Sources: [trace.CPUOperands]uint8{26}}
	for range 2 {
		w.BeginCPUThread()
		for n := range uint64(5) {
			w.AddCPU(&plain, false, []uint64{1<<20 + 8*n, 1<<20 + 64*n})
		}
		w.AddCPU(&jump, true, nil)
		w.AddCPU(&jump, true, nil)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Of(r)
	if err != nil {
		t.Fatal(err)
	}
	c := s.CPU
	if c == nil || c.Threads != 2 || c.Instructions != 14 || c.DistinctIPs != 2 || c.FootprintLines != 5 || c.FirstTouches != 5 {
		t.Fatalf("%+v", c)
	}
	touches := c.FirstTouches
	for _, n := range c.ReuseDistance {
		touches += n
	}
	if touches != 2*2*5 || c.ReuseDistance[0] != 2*2 { // a thread's first instruction names its line twice, and the second names it again
		t.Errorf("%d touches of two addresses by ten instructions, %d behind no other line", touches, c.ReuseDistance[0])
	}
	if d := cmp.Diff(map[string]uint64{trace.CPUDirectJump.String(): 4}, c.ByBranch); d != "" {
		t.Errorf("branches: %s", d)
	}
}

func TestStatisticsAgreeWithTheTotals(t *testing.T) {
	r := openSmall(t)
	s, err := Of(r)
	if err != nil {
		t.Fatal(err)
	}
	sum := func(of func(Line) uint64) (n uint64) {
		for _, l := range s.PerLines {
			n += of(l)
		}
		return n
	}
	lanes, executions := uint64(0), uint64(0)
	for n, count := range s.ActiveLanes {
		lanes, executions = lanes+uint64(n)*count, executions+count
	}
	totals := r.Totals()
	want := []uint64{totals.WarpInstructions, totals.ThreadInstructions}
	for name, got := range map[string][]uint64{
		"report":     {s.WarpInstructions, s.ThreadInstructions},
		"lines":      {sum(func(l Line) uint64 { return l.WarpInstructions }), sum(func(l Line) uint64 { return l.ThreadInstructions })},
		"divergence": {executions, lanes},
	} {
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if s.ByClass != totals.ByClass {
		t.Errorf("classes %v, want %v", s.ByClass, totals.ByClass)
	}
}

func TestSlicesMergeToTheSameStatistics(t *testing.T) {
	dir := t.TempDir()
	r := openSmall(t)
	parts := []*wtape.Reader{}
	for i, launches := range []trace.Range{{First: 0, Last: 1}, {First: 2, Last: 9}} {
		out := filepath.Join(dir, []string{"x", "y"}[i])
		if err := transcription.Slice(r, out, launches, trace.Everything, wtape.Options{}); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, mustOpen(t, out))
	}
	if h := parts[0].Header(); !strings.Contains(h.Sampling, "slice: launches 0 to 1, thread blocks all of trace "+r.Digest()) {
		t.Errorf("sampling note %q", h.Sampling)
	}
	if n := len(parts[1].Launches()); n != 1 {
		t.Errorf("%d launches, want 1", n)
	}
	out := filepath.Join(dir, "merged")
	if err := transcription.Merge(parts, out, wtape.Options{}); err != nil {
		t.Fatal(err)
	}
	merged := mustOpen(t, out)
	if len(merged.Kernels()) != len(r.Kernels()) {
		t.Errorf("%d kernels, want %d: equal ones are stored once", len(merged.Kernels()), len(r.Kernels()))
	}
	got, err := Of(merged)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Of(r)
	if err != nil {
		t.Fatal(err)
	}
	got.Digest, want.Digest = "", ""
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if n := merged.Totals().WarpInstructions; n != r.Totals().WarpInstructions {
		t.Errorf("%d warp instructions, want %d", n, r.Totals().WarpInstructions)
	}
}

// BenchmarkOf isolates counting, per thread block walk and reuse distance included, over
// a regular kernel.
func BenchmarkOf(b *testing.B) {
	r := recordSaxpy(b, 1<<18)
	for b.Loop() {
		if _, err := Of(r); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(r.Totals().WarpInstructions)*float64(b.N)/b.Elapsed().Seconds(), "warp-insn/s")
}
