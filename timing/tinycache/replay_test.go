// SPDX-License-Identifier: Apache-2.0

package tinycache_test

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
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/timing/tinycache"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// machines on which lanes may have caches, without them.
var machines = []string{"gpsim-tiny", "gtx480", "gpsim-soc", "mesh56", "gtx480+l1-off", "gtx480+gto", "gpsim-tiny+constants-in-l1"}

// randomTrace has kernels with loads, stores, barriers, fences and divergence.
func randomTrace(t testing.TB, seed uint64) *wtape.Reader {
	t.Helper()
	return gputest.Trace(t, gputest.RandomLaunches(rand.New(rand.NewPCG(seed, 7)))...)
}

// TestATinyCacheThatBypassesEverythingIsNotThere: cycles and every counter of the
// baseline are those without it.
func TestATinyCacheThatBypassesEverythingIsNotThere(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 4, 1) {
		r := randomTrace(t, seed)
		for _, spec := range machines {
			plain, neutral := replaytest.Load(t, spec), replaytest.Load(t, spec+"+tinycache")
			neutral.Section(tinycache.Key).(*tinycache.Section).Policy = "bypass_all"
			results := replaytest.Run(t, r, replay.Options{}, plain, neutral)
			if results[0].Total.Cycles != results[1].Total.Cycles {
				t.Errorf("seed %d: %s takes %d cycles, %d with a tinyCache that bypasses everything", seed, spec, results[0].Total.Cycles, results[1].Total.Cycles)
			}
			if diff := cmp.Diff(results[0].Total.Counters[:counters.Count], results[1].Total.Counters[:counters.Count]); diff != "" {
				t.Errorf("seed %d: %s: %s", seed, spec, diff)
			}
		}
	}
}

// TestASwitchedOffTinyCacheLeavesNoTrace in any byte of the result.
func TestASwitchedOffTinyCacheLeavesNoTrace(t *testing.T) {
	off := replaytest.Load(t, "gpsim-tiny+tinycache")
	off.Section(tinycache.Key).(*tinycache.Section).Enabled = false
	replaytest.LeavesNoTrace(t, randomTrace(t, 3), replaytest.Load(t, "gpsim-tiny"), off)
}

// Replays check their invariants: instructions, slots, requests, empty queues.
func TestRandomTracesCompleteWithTinyCaches(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 4, 1) {
		r := randomTrace(t, seed)
		var with []*arch.Machine
		for _, spec := range machines {
			for _, overlay := range []string{"+tinycache", "+tinycache(policy=bypass_shared)", "+tinycache(policy=bypass_global)", "+tinycache(lines=8,line_bytes=32)"} {
				with = append(with, replaytest.Load(t, spec+overlay))
			}
		}
		for i := range with { // the smallest caches and queues press most
			if i%4 == 3 {
				s := with[i].Section(tinycache.Key).(*tinycache.Section)
				s.Entries, s.Ways, s.QueueEntries, s.LatencyCycles = 2, 1, 1, 3
			}
		}
		results := replaytest.Run(t, r, replay.Options{}, with...)
		for _, res := range results {
			if n := res.Total.Counters[counters.IssuedThread]; n != r.Totals().ThreadInstructions {
				t.Errorf("seed %d on %s: %d thread instructions, recorded %d", seed, res.Machine, n, r.Totals().ThreadInstructions)
			}
		}
	}
}

func TestTinyCachesSleepAsIfEveryCycleWereVisited(t *testing.T) {
	for seed := range uint64(4) {
		r := randomTrace(t, seed)
		for _, spec := range []string{"gpsim-tiny+tinycache", "gtx480+tinycache(lines=8,line_bytes=32)"} {
			var runs [2]*gpu.Run
			for i := range runs {
				g, err := gpu.New(replaytest.Load(t, spec), gpu.Options{EveryCycle: i == 1})
				if err != nil {
					t.Fatal(err)
				}
				if runs[i], err = g.Replay(context.Background(), gputest.NewSource(r), nil); err != nil {
					t.Fatalf("seed %d on %s: %v", seed, spec, err)
				}
			}
			if diff := cmp.Diff(runs[1], runs[0]); diff != "" {
				t.Fatalf("seed %d on %s: sleeping changes the result (-every cycle +event driven):\n%s", seed, spec, diff)
			}
		}
	}
}

func TestTinyCachesGiveTheSameBytesWithAnyNumberOfWorkers(t *testing.T) {
	replaytest.SameBytes(t, randomTrace(t, 4), "gpsim-tiny+tinycache", "gtx480+tinycache")
}

func TestOverlaysWhereTheyMakeNoSenseAreRefusedWithTheReason(t *testing.T) {
	replaytest.Refused(t, []replaytest.Refusal{
		{Text: "base: gpsim-tiny+tinycache(lines=16,line_bytes=128)\nname: x\ndescription: short segments\nl1:\n  line_bytes: 64\n  sector_bytes: 64\n", At: "tinycache(lines=16,line_bytes=128): ", Want: "longer than the 64 bytes of a segment"},
		{Text: "base: gpsim-tiny+tinycache\nname: x\ndescription: no sets\ntinycache:\n  ways: 3\n", At: "x.yaml:5:", Want: "must divide the 16 entries into a power of two of sets"},
		{Text: "base: gpsim-tiny+tinycache\nname: x\ndescription: odd\ntinycache:\n  line_bytes: 48\n", At: "x.yaml:5:", Want: "must be a power of two"},
		{Text: "base: gpsim-tiny+tinycache\nname: x\ndescription: unknown\ntinycache:\n  policy: bypass\n", At: "x.yaml:5:", Want: "bypass_none"},
	})
}

// TestLookupsCostLessThanFills: filtering is what tinyCaches save by, so a lookup must
// cost less than what it replaces, and a line more than a word.
func TestLookupsCostLessThanFills(t *testing.T) {
	m := replaytest.Load(t, "gpsim-tiny+tinycache")
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
		return r.Node("chip/sm/tinycache").DynamicJ
	}
	if lookup, fill := cost("tinycache_reads"), cost("tinycache_line_fills"); lookup <= 0 || fill <= lookup || cost("tinycache_coalesced_fills") <= 0 {
		t.Errorf("a lookup costs %g J, a line fill %g J, a coalesced fill %g J", lookup, fill, cost("tinycache_coalesced_fills"))
	}
}

func TestSteadyStateWithTinyCachesAllocatesNothing(t *testing.T) {
	k := gputest.NewKernel("filtered")
	k.Load(trace.SpaceGlobal, 20, 10).Store(trace.SpaceShared, 11, 20).Barrier("sync", 0).Load(trace.SpaceShared, 21, 11).Store(trace.SpaceGlobal, 12, 21).Exit()
	replaytest.SteadyState(t, "gpsim-tiny+tinycache", func(blocks int) *wtape.Reader {
		return gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: blocks, Threads: 256, Record: gputest.StraightLine})
	})
}

// BenchmarkReplay isolates what tinyCaches cost a replay: saxpy and tiled sgemm as
// recorded, in warp instructions a second.
func BenchmarkReplay(b *testing.B) {
	replaytest.Benchmark(b, []string{"saxpy", "sgemm"}, "gpsim-tiny", "gpsim-tiny+tinycache", "gtx480", "gtx480+tinycache")
}

// TestConstantsThroughTheL1AreKeptByLanes: with the overlay a second load of a constant finds it in
// the lanes' caches, and without it no load of one reaches them.
func TestConstantsThroughTheL1AreKeptByLanes(t *testing.T) {
	k := gputest.NewKernel("constants")
	k.Load(trace.SpaceConst, 1, 10).Op(trace.ClassIntAdd, 11, 1).Load(trace.SpaceConst, 2, 11).Op(trace.ClassIntAdd, 12, 2).Exit()
	r := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) {
		w.VisitWith(0, w.Lanes, func(int) (base uint64, stride int64, lanes *[32]uint64) { return 64, 0, nil })
	}})
	for spec, want := range map[string]uint64{"gpsim-tiny": 0, "gpsim-tiny+constants-in-l1": 2, "gpsim-tiny+constants-in-l1+tinycache": 1, "gpsim-tiny+tinycache": 0} {
		total := replaytest.Run(t, r, replay.Options{}, replaytest.Load(t, spec))[0].Total
		if got := total.Counters[counters.L1Read]; got != want {
			t.Errorf("%s: %d reads of the L1, want %d", spec, got, want)
		}
	}
}
