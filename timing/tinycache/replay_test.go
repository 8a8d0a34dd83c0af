package tinycache_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/tinycache"
	"github.com/warptape/warptape/trace"
)

// machines on which lanes may have caches, without them.
var machines = []string{"gpsim-tiny", "gtx480", "gpsim-soc", "mesh56", "gtx480+l1-off", "gtx480+gto"}

func load(t testing.TB, spec string) *arch.Machine {
	t.Helper()
	m, err := arch.Load(spec)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func run(t testing.TB, r *trace.Reader, o replay.Options, machines ...*arch.Machine) []replay.Result {
	t.Helper()
	results, err := replay.Run(context.Background(), r, machines, o)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// randomTrace has kernels with loads, stores, barriers, fences and divergence.
func randomTrace(t testing.TB, seed uint64) *trace.Reader {
	t.Helper()
	return gputest.Trace(t, gputest.RandomLaunches(rand.New(rand.NewPCG(seed, 7)))...)
}

// TestATinyCacheThatBypassesEverythingIsNotThere: cycles and every counter of the
// baseline are those without it.
func TestATinyCacheThatBypassesEverythingIsNotThere(t *testing.T) {
	for seed := range uint64(3) {
		r := randomTrace(t, seed)
		for _, spec := range machines {
			plain, neutral := load(t, spec), load(t, spec+"+tinycache")
			neutral.Section(tinycache.Key).(*tinycache.Section).Policy = "bypass_all"
			results := run(t, r, replay.Options{}, plain, neutral)
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
	plain, off := load(t, "gpsim-tiny"), load(t, "gpsim-tiny+tinycache")
	off.Section(tinycache.Key).(*tinycache.Section).Enabled = false
	off.Name = plain.Name
	r := randomTrace(t, 3)
	var texts [2]string
	for i, m := range []*arch.Machine{plain, off} {
		var b bytes.Buffer
		if err := replay.WriteJSON(&b, run(t, r, replay.Options{}, m)); err != nil {
			t.Fatal(err)
		}
		texts[i] = b.String()
	}
	if texts[0] != texts[1] {
		t.Error(cmp.Diff(texts[0], texts[1]))
	}
}

// Replays check their invariants: instructions, slots, requests, empty queues.
func TestRandomTracesCompleteWithTinyCaches(t *testing.T) {
	for seed := range uint64(3) {
		r := randomTrace(t, seed)
		var with []*arch.Machine
		for _, spec := range machines {
			for _, overlay := range []string{"+tinycache", "+tinycache-bypass-shared", "+tinycache-bypass-global", "+tinycache-8x32"} {
				with = append(with, load(t, spec+overlay))
			}
		}
		for i := range with { // the smallest caches and queues press most
			if i%4 == 3 {
				s := with[i].Section(tinycache.Key).(*tinycache.Section)
				s.Entries, s.Ways, s.QueueEntries, s.LatencyCycles = 2, 1, 1, 3
			}
		}
		results := run(t, r, replay.Options{}, with...)
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
		for _, spec := range []string{"gpsim-tiny+tinycache", "gtx480+tinycache-8x32"} {
			var runs [2]*gpu.Run
			for i := range runs {
				g, err := gpu.New(load(t, spec), gpu.Options{EveryCycle: i == 1})
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
	r := randomTrace(t, 4)
	var want string
	for _, workers := range []int{1, 2, 8} {
		var b bytes.Buffer
		if err := replay.WriteJSON(&b, run(t, r, replay.Options{Workers: workers}, load(t, "gpsim-tiny+tinycache"), load(t, "gtx480+tinycache"))); err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = b.String()
		}
		if b.String() != want || !json.Valid(b.Bytes()) {
			t.Errorf("%d workers: other bytes", workers)
		}
	}
}

func TestOverlaysWhereTheyMakeNoSenseAreRefusedWithTheReason(t *testing.T) {
	for _, c := range []struct{ text, at, want string }{
		{"base: gpsim-tiny+tinycache-16x128\nname: x\ndescription: short segments\nl1:\n  line_bytes: 64\n  sector_bytes: 64\n", "tinycache-16x128:8:17", "longer than the 64 bytes of a segment"},
		{"base: gpsim-tiny+tinycache\nname: x\ndescription: no sets\ntinycache:\n  ways: 3\n", "x.yaml:5:", "must divide the 16 entries into a power of two of sets"},
		{"base: gpsim-tiny+tinycache\nname: x\ndescription: odd\ntinycache:\n  line_bytes: 48\n", "x.yaml:5:", "must be a power of two"},
		{"base: gpsim-tiny+tinycache\nname: x\ndescription: unknown\ntinycache:\n  policy: bypass\n", "x.yaml:5:", "bypass_none"},
	} {
		path := filepath.Join(t.TempDir(), "x.yaml")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := arch.Load(path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.at) {
			t.Errorf("%s: %v; want a message with %q at %s", c.text, err, c.want, c.at)
		}
	}
}

// TestLookupsCostLessThanFills: filtering is what tinyCaches save by, so a lookup must
// cost less than what it replaces, and a line more than a word.
func TestLookupsCostLessThanFills(t *testing.T) {
	m := load(t, "gpsim-tiny+tinycache")
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
	g, err := gpu.New(load(t, "gpsim-tiny+tinycache"), gpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	k := gputest.NewKernel("filtered")
	k.Load(trace.SpaceGlobal, 20, 10).Store(trace.SpaceShared, 11, 20).Barrier("sync", 0).Load(trace.SpaceShared, 21, 11).Store(trace.SpaceGlobal, 12, 21).Exit()
	allocations := func(blocks int) float64 {
		src := gputest.NewSource(gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: blocks, Threads: 256, Record: gputest.StraightLine}))
		return testing.AllocsPerRun(1, func() {
			if _, err := g.Replay(context.Background(), src, nil); err != nil {
				t.Fatal(err)
			}
		})
	}
	allocations(400) // pools and queues grow to what the largest replay needs
	short, long := allocations(40), allocations(400)
	if long > short {
		t.Errorf("%v allocations for a short replay, %v for one ten times as long", short, long)
	}
}

// BenchmarkReplay isolates what tinyCaches cost a replay: saxpy and tiled sgemm as
// recorded, in warp instructions a second.
func BenchmarkReplay(b *testing.B) {
	for _, name := range []string{"saxpy", "sgemm"} {
		for _, spec := range []string{"gpsim-tiny", "gpsim-tiny+tinycache", "gtx480", "gtx480+tinycache"} {
			b.Run(name+"/"+spec, func(b *testing.B) {
				r, err := trace.Open(filepath.Join("..", "..", "traces", "recorded", name+".wtape"))
				if err != nil {
					b.Fatal(err)
				}
				defer r.Close()
				m := load(b, spec)
				for b.Loop() {
					run(b, r, replay.Options{Workers: 1}, m)
				}
				b.ReportMetric(float64(r.Totals().WarpInstructions)*float64(b.N)/b.Elapsed().Seconds(), "warp-insn/s")
			})
		}
	}
}
