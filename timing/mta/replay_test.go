// SPDX-License-Identifier: Apache-2.0

package mta_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/mta"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/replay/replaytest"
	_ "github.com/warptape/warptape/timing/tinycache"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// machines that may have prefetchers, without them.
var machines = []string{"gtx480-15", "gtx480", "gpsim-tiny", "gpsim-soc", "mesh56", "gtx480-15+l1-off", "gtx480-15+tinycache"}

func section(m *arch.Machine) *mta.Section { return m.Section(mta.Key).(*mta.Section) }

func count(t testing.TB, r *replay.Result, name string) uint64 {
	t.Helper()
	id, ok := counters.Lookup(name)
	if !ok {
		t.Fatalf("no counter %s", name)
	}
	return r.Total.Counters[id]
}

// loop is a kernel whose warps load a line per iteration, stride bytes apart, with
// arithmetic between that takes longer than DRAM.
func loop(t testing.TB, warps, iterations int, stride uint64) *wtape.Reader {
	k := gputest.NewKernel("strided")
	body := uint32(0)
	k.Load(trace.SpaceGlobal, 20, 10)
	for range 80 {
		k.Op(trace.ClassF32Add, 20, 20)
	}
	k.Branch()
	k.Exit()
	return gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32 * warps, Record: func(w *gputest.Warp) {
		for i := range iterations {
			w.VisitAt(body, uint64(w.Warp)<<24+uint64(i)*stride, 4)
		}
		w.Visit(1, w.Lanes)
	}})
}

// TestAStridedLoopHitsFromTheFourthIterationOn with one warp; another three warps
// later all of them do from their second.
func TestAStridedLoopHitsFromTheFourthIterationOn(t *testing.T) {
	for _, stride := range []uint64{128, 384, 1 << 16} {
		m := replaytest.Load(t, "gtx480-15+mta")
		s := section(m)
		s.Strides, s.Degree = "intra_warp", 0
		const iterations = 40
		res := replaytest.Run(t, loop(t, 1, iterations, stride), replay.Options{}, m)[0]
		if hits := count(t, &res, "mta_hits"); hits != iterations-3 {
			t.Errorf("stride %d: %d hits of %d loads, want all but 3", stride, hits, iterations)
		}
		if n := count(t, &res, "mta_prefetches"); n != iterations-2 {
			t.Errorf("stride %d: %d lines asked for, want %d", stride, n, iterations-2)
		}
		if reads := res.Total.Counters[counters.L1Read]; reads != 3 {
			t.Errorf("stride %d: the L1 was read %d times, want 3", stride, reads)
		}
	}
}

func TestPrefetchingHidesTheLatencyOfAStridedLoop(t *testing.T) {
	with := replaytest.Load(t, "gtx480-15+mta")
	res := replaytest.Run(t, loop(t, 4, 40, 512), replay.Options{}, replaytest.Load(t, "gtx480-15"), with)
	if res[1].Total.Cycles*20 > res[0].Total.Cycles*19 {
		t.Errorf("%d cycles, %d with prefetching: want at least 5 %% less", res[0].Total.Cycles, res[1].Total.Cycles)
	}
}

// randomTrace has kernels with loads, stores, barriers, fences and divergence.
func randomTrace(t testing.TB, seed uint64) *wtape.Reader {
	t.Helper()
	return gputest.Trace(t, gputest.RandomLaunches(rand.New(rand.NewPCG(seed, 7)))...)
}

// TestAPrefetcherWithoutStridesIsNotThere: cycles and every counter of the baseline
// are those without it.
func TestAPrefetcherWithoutStridesIsNotThere(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 3, 1) {
		r := randomTrace(t, seed)
		for _, spec := range tracetest.Draw(t, machines, tracetest.Fewer(1, 3)) {
			plain, neutral := replaytest.Load(t, spec), replaytest.Load(t, spec+"+mta")
			section(neutral).Strides = "none"
			results := replaytest.Run(t, r, replay.Options{}, plain, neutral)
			if results[0].Total.Cycles != results[1].Total.Cycles {
				t.Errorf("seed %d: %s takes %d cycles, %d with a prefetcher without strides", seed, spec, results[0].Total.Cycles, results[1].Total.Cycles)
			}
			if diff := cmp.Diff(results[0].Total.Counters[:counters.Count], results[1].Total.Counters[:counters.Count]); diff != "" {
				t.Errorf("seed %d: %s: %s", seed, spec, diff)
			}
		}
	}
}

// TestASwitchedOffPrefetcherLeavesNoTrace in any byte of the result.
func TestASwitchedOffPrefetcherLeavesNoTrace(t *testing.T) {
	off := replaytest.Load(t, "gtx480-15+mta")
	section(off).Enabled = false
	replaytest.LeavesNoTrace(t, randomTrace(t, 3), replaytest.Load(t, "gtx480-15"), off)
}

// tight makes everything as small as it may be.
func tight(m *arch.Machine) *arch.Machine {
	s := section(m)
	s.BufferBytes, s.BufferWays, s.OutstandingLines, s.QueueEntries = 2*m.L1.LineBytes, 2, 1, 2
	s.WarpEntries, s.GlobalEntries, s.ThreadEntries, s.TrainingWarps, s.Distance, s.PeriodCycles = 4, 1, 1, 1, 7, 50
	if m.L1.Bytes == 0 {
		s.BufferBytes = 2 * m.L2.Slice.LineBytes
	}
	return m
}

// streams are warps that walk through memory, and write some of what others read.
func streams(t testing.TB, seed uint64) *wtape.Reader {
	r := rand.New(rand.NewPCG(seed, 11))
	k := gputest.NewKernel("streams")
	k.Load(trace.SpaceGlobal, 20, 10).Op(trace.ClassF32Fma, 21, 20, 20, 20).Load(trace.SpaceGlobal, 22, 11).Store(trace.SpaceGlobal, 12, 22)
	k.Branch()
	k.Memory(trace.ClassAtomic, trace.SpaceGlobal, 23, 10, 22).Barrier("sync", 0)
	k.Exit()
	return gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 20, Threads: 128, Record: func(w *gputest.Warp) {
		base, step := uint64(1<<20+w.Block<<13+w.Warp<<9), uint64(r.IntN(4))*64
		for i := range uint64(2 + r.IntN(12)) {
			w.VisitAt(0, base+i*step, []int64{4, 4, 0, 68}[r.IntN(4)])
		}
		w.VisitAt(1, base, 4)
		w.Visit(2, w.Lanes)
	}})
}

// TestEveryPrefetchHasOneFate, and all invariants of replays hold: random machines,
// the smallest tables and buffers, every cycle visited or slept through.
func TestEveryPrefetchHasOneFate(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 2, 1) {
		for _, r := range []*wtape.Reader{randomTrace(t, seed), streams(t, seed)} {
			for _, spec := range tracetest.Draw(t, machines, tracetest.Fewer(1, 3)) {
				for _, m := range []*arch.Machine{replaytest.Load(t, spec+"+mta"), tight(replaytest.Load(t, spec+"+mta"))} {
					checkFates(t, r, m)
				}
			}
		}
	}
}

func checkFates(t *testing.T, r *wtape.Reader, m *arch.Machine) {
	t.Helper()
	var runs [2]*gpu.Run
	for i := range runs {
		g, err := gpu.New(m, gpu.Options{EveryCycle: i == 1})
		if err != nil {
			t.Fatal(err)
		}
		if runs[i], err = g.Replay(context.Background(), gputest.NewSource(r), nil); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(runs[1], runs[0]); diff != "" {
		t.Fatalf("%s: sleeping changes the result (-every cycle +event driven):\n%s", m.Name, diff)
	}
	total := runs[0].Total
	gputest.Invariants(t, m, &total, runs[0].Cycles)
	of := func(name string) uint64 {
		id, _ := counters.Lookup(name)
		return total[id]
	}
	fates := of("mta_useful") + of("mta_early_evictions") + of("mta_invalidated")
	if n := of("mta_prefetches"); n != fates || n != of("mta_fills") {
		t.Errorf("%s: %d prefetches, %d fills, %d fates", m.Name, n, of("mta_fills"), fates)
	}
}

func TestPrefetchersGiveTheSameBytesWithAnyNumberOfWorkers(t *testing.T) {
	replaytest.SameBytes(t, streams(t, 4), "gpsim-tiny+mta", "gtx480-15+mta")
}

func TestValuesThatMakeNoSenseAreRefusedWithTheReason(t *testing.T) {
	replaytest.Refused(t, []replaytest.Refusal{
		{Text: "base: gtx480-15+mta\nname: x\ndescription: odd sets\nmta:\n  buffer_bytes: 12KiB\n", At: "x.yaml:5:", Want: "must be 8 ways of lines of 128 bytes in a power of two of sets"},
		{Text: "base: gtx480-15+mta\nname: x\ndescription: odd table\nmta:\n  warp_entries: 6\n", At: "x.yaml:5:", Want: "must be a power of two, of 4 ways"},
		{Text: "base: gtx480-15+mta\nname: x\ndescription: thresholds\nmta:\n  low_percent: 3\n", At: "x.yaml:5:", Want: "must not be above high_percent (2)"},
		{Text: "base: gtx480-15+mta\nname: x\ndescription: unknown\nmta:\n  strides: some\n", At: "x.yaml:5:", Want: "unknown word"},
	})
}

// TestThePrefetchBufferIsPriced like a part of a cache: a hit reads a line, a lookup
// tags only, and all counters have a price or a reason.
func TestThePrefetchBufferIsPriced(t *testing.T) {
	m := replaytest.Load(t, "gtx480-15+mta")
	model, err := energy.NewModel(m, energy.TechnologyOf(m), energy.DefaultCoefficients())
	if err != nil {
		t.Fatal(err)
	}
	if names := model.Unpriced(m.Mechanisms()); len(names) > 0 {
		t.Errorf("counters without a price or a reason: %v", names)
	}
	cost := func(name string) float64 {
		id, ok := counters.Lookup(name)
		if !ok {
			t.Fatalf("no counter %s", name)
		}
		var set counters.Set
		set[id] = 1
		r, err := model.Account(&set, 0)
		if err != nil {
			t.Fatal(err)
		}
		return r.Node("chip/sm/mta").DynamicJ
	}
	if lookup, hit := cost("mta_lookups"), cost("mta_hits"); lookup <= 0 || hit <= lookup || cost("mta_fills") <= lookup || cost("mta_loads") <= 0 {
		t.Errorf("a lookup costs %g J, a hit %g J, a fill %g J, training %g J", lookup, hit, cost("mta_fills"), cost("mta_loads"))
	}
}

func TestSteadyStateWithPrefetchersAllocatesNothing(t *testing.T) {
	k := gputest.NewKernel("walk")
	k.Load(trace.SpaceGlobal, 20, 10)
	k.Branch()
	k.Exit()
	replaytest.SteadyState(t, "gtx480-15+mta", func(blocks int) *wtape.Reader {
		return gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: blocks, Threads: 256, Record: func(w *gputest.Warp) {
			for i := range uint64(6) {
				w.VisitAt(0, uint64(w.Block)<<16+uint64(w.Warp)<<12+i*160, 4)
			}
			w.Visit(1, w.Lanes)
		}})
	})
}

// BenchmarkReplay isolates what prefetchers cost a replay: saxpy, without any hit, and
// tiled sgemm, with many, as recorded, in warp instructions a second.
func BenchmarkReplay(b *testing.B) {
	replaytest.Benchmark(b, []string{"saxpy", "sgemm"}, "gtx480-15", "gtx480-15+mta")
}
