package trace

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// naiveDistance is the definition: distinct lines since the last touch.
func naiveDistance(history []uint64, line uint64) (int, bool) {
	seen := map[uint64]bool{}
	for _, h := range slices.Backward(history) {
		if h == line {
			return len(seen), true
		}
		seen[h] = true
	}
	return 0, false
}

func TestReuseDistanceEqualsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := newReuseStack(1 << 20)
	s.lines, s.tree = make([]uint64, 16), make([]uint32, 17) // renumber often
	var history []uint64
	for i := range 3000 {
		line := uint64(rng.IntN(1 + i%150))
		distance, again := s.touch(line)
		if want, seen := naiveDistance(history, line); distance != want || again != seen {
			t.Fatalf("touch %d of line %d: %d %v, want %d %v", i, line, distance, again, want, seen)
		}
		history = append(history, line)
	}
}

func TestReuseStackForgetsBeyondItsLimit(t *testing.T) {
	s := newReuseStack(64)
	for i := range uint64(100000) {
		s.touch(i)
	}
	if !s.forgotten || len(s.last) > 256 || len(s.lines) > 512 {
		t.Errorf("forgotten %v, %d lines, %d times", s.forgotten, len(s.last), len(s.lines))
	}
	if d, again := s.touch(99999); d != 0 || !again {
		t.Errorf("distance %d %v of the line just touched", d, again)
	}
}

func TestStatsOfSaxpyAreWhatTheSourceSays(t *testing.T) {
	s, err := Stats(openBytes(t, encodeWorkload(t, workloads()[0], Options{Level: LevelFast})))
	if err != nil {
		t.Fatal(err)
	}
	// ceil(n/32) warps do 3 accesses of 4 bytes per lane, of 1 line each.
	const n = 1<<20 - 100
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
	if s.ByClass[ClassLoad] != 2*warps || s.ByClass[ClassStore] != warps {
		t.Errorf("classes %v", s.ByClass)
	}
}

func TestStatsAgreeWithTheTotals(t *testing.T) {
	data := smallTrace(t, Options{})
	r := openBytes(t, data)
	s, err := Stats(r)
	if err != nil {
		t.Fatal(err)
	}
	sum := func(of func(LineStats) uint64) (n uint64) {
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
		"lines":      {sum(func(l LineStats) uint64 { return l.WarpInstructions }), sum(func(l LineStats) uint64 { return l.ThreadInstructions })},
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

// fileOfTrace writes a trace's bytes and opens them.
func fileOfTrace(t *testing.T, dir, name string, data []byte) *Reader {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func mustOpen(t *testing.T, path string) *Reader {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := Verify(r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSliceOfEverythingIsTheTraceItself(t *testing.T) {
	dir := t.TempDir()
	r := fileOfTrace(t, dir, "a", smallTrace(t, Options{}))
	out := filepath.Join(dir, "out")
	if err := Slice(r, out, Everything, Everything, Options{}); err != nil {
		t.Fatal(err)
	}
	if got := mustOpen(t, out).Digest(); got != r.Digest() {
		t.Errorf("digest %s, want %s", got, r.Digest())
	}
}

func TestSlicesMergeToTheSameWork(t *testing.T) {
	dir := t.TempDir()
	r := fileOfTrace(t, dir, "a", smallTrace(t, Options{}))
	parts := []*Reader{}
	for i, launches := range []Range{{0, 1}, {2, 9}} {
		out := filepath.Join(dir, []string{"x", "y"}[i])
		if err := Slice(r, out, launches, Everything, Options{}); err != nil {
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
	if err := Merge(parts, out, Options{}); err != nil {
		t.Fatal(err)
	}
	merged := mustOpen(t, out)
	if len(merged.Kernels()) != len(r.Kernels()) {
		t.Errorf("%d kernels, want %d: equal ones are stored once", len(merged.Kernels()), len(r.Kernels()))
	}
	got, err := Stats(merged)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Stats(r)
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

func TestSliceOfBlocksHoldsThoseOnly(t *testing.T) {
	dir := t.TempDir()
	r := fileOfTrace(t, dir, "a", smallTrace(t, Options{}))
	out := filepath.Join(dir, "out")
	if err := Slice(r, out, Range{1, 1}, Range{1, 2}, Options{}); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, out)
	m, err := readModel(s)
	if err != nil {
		t.Fatal(err)
	}
	want, err := readModel(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.launches) != 1 || !cmp.Equal(m.launches[0].blocks, want.launches[1].blocks[1:], cmp.AllowUnexported(modelBlock{}, modelWarp{}, modelVisit{}, modelAccess{})) {
		t.Error("other thread blocks than 1 and 2 of launch 1")
	}
	if err := Slice(r, filepath.Join(dir, "none"), Range{7, 9}, Everything, Options{}); err == nil || !strings.Contains(err.Error(), "no thread block of launches 7 to 9") {
		t.Errorf("got %v", err)
	}
	if d := cmp.Diff([]string{"a", "out"}, listing(t, dir)); d != "" {
		t.Error(d)
	}
}

func TestDiffNamesTheFirstDifference(t *testing.T) {
	text := fullText(t, smallTrace(t, Options{}))
	a := openBytes(t, smallTrace(t, Options{Level: LevelSmall}))
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"thread-block 2\nwarp 0\nv 0 ffffffff\ng 55555555", "thread-block 2\nwarp 0\nv 0 ffffffff\ng 55555554",
			"launch 1 (guarded), thread block 2, warp 0, visit 0 (basic block 0), guard 0: lanes 55555555 and 55555554"},
		{"a 000000ff 2120 4", "a 000000ff 2124 4", "launch 1 (guarded), thread block 1, warp 1, visit 0 (basic block 0), ld line 3: base 0x2120 stride 4 and base 0x2124 stride 4"},
		{"v 1 000000ff", "v 1 000000fe", "visit 2 (basic block 1): lanes 000000ff and 000000fe"},
		{`"guarded"`, `"unguarded"`, "kernel 1 is guarded and unguarded"},
		{`"virtual":"%rd1"`, `"virtual":"%rd2"`, "kernel 1 (guarded): instruction 0: add line 1"},
		{`"bytes":"160"`, `"bytes":"161"`, "host event 0: "},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		for _, follow := range [][2]string{ // accesses have the lanes of their guard or visit
			{"g 55555554\nl 55555555 1080 ", "g 55555554\nl 55555554 "},
			{"v 1 000000fe\na 000000ff", "v 1 000000fe\na 000000fe"},
		} {
			changed = strings.Replace(changed, follow[0], follow[1], 1)
		}
		changed = changed[:strings.Index(changed, "summary ")]
		data, err := assembled(changed)
		if err != nil {
			t.Fatalf("%s: %v", c.new, err)
		}
		got, err := Diff(a, openBytes(t, data))
		if err != nil {
			t.Fatal(err)
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want ...%s...", c.new, got, c.want)
		}
	}
}

func TestDiffSeesThatOneTraceEndsEarly(t *testing.T) {
	text := fullText(t, smallTrace(t, Options{}))
	text = text[:strings.LastIndex(text, "thread-block 2")] // of the last launch
	text = strings.Replace(text, `header {`, `header {"sampling":"x",`, 1)
	data, err := assembled(text)
	if err != nil {
		t.Fatal(err)
	}
	whole := openBytes(t, smallTrace(t, Options{}))
	part := openBytes(t, data)
	part.timeline = whole.timeline // only the thread blocks are to differ
	if d, err := Diff(whole, part); err != nil || d != "the second ends before launch 2, thread block 2" {
		t.Errorf("got %q, %v", d, err)
	}
	if d, err := Diff(part, whole); err != nil || d != "the first ends before launch 2, thread block 2" {
		t.Errorf("got %q, %v", d, err)
	}
}

// BenchmarkReuseTouch isolates the tree of the reuse distance: touches of random
// lines of a footprint of 64 Ki lines.
func BenchmarkReuseTouch(b *testing.B) {
	s := newReuseStack(maxReuseLines)
	rng := rand.New(rand.NewPCG(2, 2))
	for b.Loop() {
		s.touch(uint64(rng.IntN(1 << 16)))
	}
}

// BenchmarkStats isolates counting, per thread block walk and reuse distance
// included, over a regular kernel.
func BenchmarkStats(b *testing.B) {
	r := openBytes(b, encodeWorkload(b, workloads()[2], Options{Level: LevelFast}))
	for b.Loop() {
		if _, err := Stats(r); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(r.Totals().WarpInstructions)*float64(b.N)/b.Elapsed().Seconds(), "warp-insn/s")
}
