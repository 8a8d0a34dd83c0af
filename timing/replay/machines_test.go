// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

func load(t testing.TB, specs ...string) []*arch.Machine {
	t.Helper()
	var list []*arch.Machine
	for _, spec := range specs {
		m, err := arch.Load(spec)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}

var builtIn = []string{"gtx480", "gpsim-soc", "mesh56", "gtx480+lrr", "gtx480+dual-issue", "gtx480+butterfly", "mesh56+shared-mesh+xy-routing", "v100", "rtx2080ti", "rtx3090", "a100", "h100"}

// Replays check their invariants: instructions, slots, requests, empty queues.
func TestRandomTracesCompleteOnTheBuiltInMachines(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 12, tracetest.Fewer(1, 3)) {
		r := gputest.Trace(t, launches(seed)...)
		results, err := Run(context.Background(), r, load(t, builtIn...), Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i, res := range results {
			m := load(t, builtIn[i])[0]
			gputest.Invariants(t, m, (*counters.Set)(&res.Total.Counters), res.Total.Cycles)
			if m.GPU.Lowers() {
				continue // executes other instructions in their place
			}
			if n := res.Total.Counters[counters.IssuedThread]; n != r.Totals().ThreadInstructions {
				t.Errorf("seed %d on %s: %d thread instructions, recorded %d", seed, res.Machine, n, r.Totals().ThreadInstructions)
			}
		}
	}
}

// TestLinksCarryTheFlitHops holds the traffic per link against the counters.
func TestLinksCarryTheFlitHops(t *testing.T) {
	r := gputest.Trace(t, streaming(20), tiled(20))
	results, err := Run(context.Background(), r, load(t, "gtx480", "mesh56", "gtx480+mesh+shared-mesh", "gtx480+butterfly"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	links := map[string]int{"gtx480": 0, "mesh56": 2 * 2 * 2 * 8 * 7, "gtx480+mesh+shared-mesh": 2 * (5*5 + 4*6), "gtx480+butterfly": 2 * 2 * 64}
	for _, res := range results {
		var sum uint64
		for _, l := range res.Links {
			if sum += l.Flits; l.Busy < 0 || l.Busy > 1 || l.From == l.To {
				t.Errorf("%s: %+v", res.Machine, l)
			}
		}
		c := &res.Total.Counters
		if want := c[counters.RequestFlitHops] + c[counters.ReplyFlitHops]; sum != want || len(res.Links) != links[res.Machine] {
			t.Errorf("%s: %d flits on %d links, %d were counted on %d", res.Machine, sum, len(res.Links), want, links[res.Machine])
		}
		if hops := c[counters.RouterFlits]; len(res.Links) > 0 && hops != sum+c[counters.RequestFlits]+c[counters.ReplyFlits] {
			t.Errorf("%s: %d flits through switches, want a switch for each hop and one more for each flit: %d", res.Machine, hops, sum+c[counters.RequestFlits]+c[counters.ReplyFlits])
		}
	}
}

func TestBuiltInMachinesGiveTheSameBytesWithAnyNumberOfWorkersAndCores(t *testing.T) {
	r := gputest.Trace(t, streaming(20), tiled(20))
	few := tracetest.Draw(t, builtIn, tracetest.Fewer(2, 8))
	var want string
	options := []Options{{Workers: 1}, {Workers: 2}, {Workers: 8}, {Workers: 1, Cores: 2}, {Workers: 2, Cores: 4}}
	for _, o := range append(options[:1:1], tracetest.Draw(t, options[1:], 1)...) {
		results, err := Run(context.Background(), r, load(t, few...), o)
		if err != nil {
			t.Fatal(err)
		}
		got := written(t, results)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%d workers, %d cores each: other bytes", o.Workers, o.Cores)
		}
	}
}

// Replays of real programs, one of them with launches that overlap.
func TestRecordedTracesGiveTheSameBytesOnAnyNumberOfCores(t *testing.T) {
	names, numbers := []string{"tiny/saxpy", "tiny/reduction", "tiny/streams"}, append([]int{1}, tracetest.Draw(t, []int{2, 4}, 1)...)
	if tracetest.Whole() {
		names = append(names, "saxpy", "reduction", "streams")
	}
	for _, name := range names {
		r, err := wtape.Open("../../traces/recorded/" + name + ".wtape")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var want string
		for _, cores := range numbers {
			results, err := Run(context.Background(), r, load(t, "gtx480"), Options{Cores: cores, IntervalCycles: 500})
			if err != nil {
				t.Fatal(err)
			}
			got := written(t, results)
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%s on %d cores: other bytes", name, cores)
			}
		}
	}
}

func TestSteadyStateOfTheWholeMachineAllocatesNothing(t *testing.T) {
	tracetest.Nightly(t)
	if testing.Short() {
		t.Skip("counts allocations of one goroutine: nothing for the race detector")
	}
	g, err := gpu.New(load(t, "gtx480")[0], gpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	allocations := func(blocks int) float64 {
		src := gputest.NewSource(gputest.Trace(t, streaming(blocks), tiled(blocks)))
		return testing.AllocsPerRun(1, func() {
			if _, err := g.Replay(context.Background(), src, nil); err != nil {
				t.Fatal(err)
			}
		})
	}
	allocations(400) // pools and rings grow to what the largest replay needs
	short, long := allocations(40), allocations(400)
	// A pool grows when more is in flight on an SM than ever before, which still happens once in a
	// while. What thread blocks, warps or instructions allocated would be 720 times as many.
	const pools = 8
	if long > short+pools {
		t.Errorf("%v allocations for a short replay, %v for one with 720 thread blocks more", short, long)
	}
}

// streaming is a kernel like saxpy: two loads, a multiply-add, a store.
func streaming(blocks int) gputest.Launch {
	k := gputest.NewKernel("streaming")
	for i := range 4 {
		k.Op(trace.ClassIntMad, 10+i, i)
	}
	k.Load(trace.SpaceGlobal, 20, 10).Load(trace.SpaceGlobal, 21, 11).Op(trace.ClassF32Fma, 22, 20, 21).Store(trace.SpaceGlobal, 12, 22).Exit()
	return gputest.Launch{Kernel: k, Blocks: blocks, Threads: 256}
}

// tiled is a kernel like sgemm: tiles through shared memory between barriers.
func tiled(blocks int) gputest.Launch {
	k := gputest.NewKernel("tiled")
	k.SharedBytes = 2048
	body := k.Branch()
	k.Load(trace.SpaceGlobal, 1, 2).Load(trace.SpaceGlobal, 3, 4).Store(trace.SpaceShared, 5, 1).Store(trace.SpaceShared, 6, 3)
	k.Barrier("sync", 0)
	for i := range 16 {
		k.Load(trace.SpaceShared, 30+2*(i%4), 5).Load(trace.SpaceShared, 31+2*(i%4), 6).Op(trace.ClassF32Fma, 7, 30+2*(i%4), 31+2*(i%4), 7)
	}
	k.Barrier("sync", 0)
	k.Op(trace.ClassIntAdd, 2, 2).Op(trace.ClassIntAdd, 4, 4)
	end := k.Branch()
	k.Store(trace.SpaceGlobal, 2, 7).Exit()
	return gputest.Launch{Kernel: k, Blocks: blocks, Threads: 256, Record: func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		for range 4 {
			w.Visit(body, w.Lanes)
			w.Visit(body+1, w.Lanes)
			w.Visit(body+2, w.Lanes)
		}
		w.Visit(end, w.Lanes)
	}}
}

// computing is a kernel that does nothing but arithmetic.
func computing(blocks int) gputest.Launch {
	k := gputest.NewKernel("computing")
	for i := range 64 {
		k.Op(trace.ClassF32Fma, 1+i%6, 1+i%6, 8).Op(trace.ClassIntAdd, 10+i%3, 10+i%3)
	}
	k.Exit()
	return gputest.Launch{Kernel: k, Blocks: blocks, Threads: 256}
}

// benchmarkReplay replays on the gtx480 with its memory system, decoding included.
func benchmarkReplay(b *testing.B, l gputest.Launch) {
	r := gputest.Trace(b, l)
	machines := load(b, "gtx480")
	b.ResetTimer()
	for range b.N {
		if _, err := Run(context.Background(), r, machines, Options{Workers: 1}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*float64(r.Totals().WarpInstructions)/b.Elapsed().Seconds(), "warp-insn/s")
}

// BenchmarkReplayStreaming is bound by the memory path: all levels, coalesced.
func BenchmarkReplayStreaming(b *testing.B) { benchmarkReplay(b, streaming(1000)) }

// BenchmarkReplayTiled is bound by shared memory and barriers.
func BenchmarkReplayTiled(b *testing.B) { benchmarkReplay(b, tiled(200)) }

// BenchmarkReplayComputing isolates fetch, issue and write-back.
func BenchmarkReplayComputing(b *testing.B) { benchmarkReplay(b, computing(400)) }
