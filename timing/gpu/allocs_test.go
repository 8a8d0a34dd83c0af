// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

// mixed is a loop of loads, arithmetic, shared accesses and barriers.
func mixed(iterations int) gputest.Launch {
	k := gputest.NewKernel("mixed")
	body := k.Branch()
	k.Load(trace.SpaceGlobal, 1, 2).Op(trace.ClassIntMad, 3, 1, 2).Op(trace.ClassF32Fma, 4, 3, 3).Store(trace.SpaceShared, 2, 4).Guarded(1)
	k.Barrier("sync", 0)
	k.Load(trace.SpaceShared, 5, 2).Op(trace.ClassF32Fma, 6, 5, 6).Op(trace.ClassSpecial, 7, 6).Op(trace.ClassIntAdd, 2, 2)
	out := k.Branch()
	k.Store(trace.SpaceGlobal, 2, 6).Exit()
	return gputest.Launch{Kernel: k, Blocks: 8, Threads: 128, Record: func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		for range iterations {
			w.Visit(body, w.Lanes)
			w.Visit(body+1, w.Lanes)
		}
		w.Visit(out, w.Lanes)
	}}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	m := gputest.Machine()
	m.GPU.SMs = 2
	g := build(t, m, &gputest.Memory{LatencyCycles: 100})
	allocations := func(iterations int) float64 {
		src := gputest.NewSource(gputest.Trace(t, mixed(iterations), mixed(iterations)))
		return testing.AllocsPerRun(2, func() {
			if _, err := g.Replay(context.Background(), src, nil); err != nil {
				t.Fatal(err)
			}
		})
	}
	short, long := allocations(4), allocations(400)
	if long > short {
		t.Errorf("%v allocations for a short replay, %v for one a hundred times as long", short, long)
	}
}

// benchmarkReplay reports warp instructions per second of a replay with a memory
// of constant latency: the cost of the event loop, the SM and the front end.
func benchmarkReplay(b *testing.B, schedulers, width int, l gputest.Launch, latency int) {
	m := gputest.Machine()
	m.GPU.SMs = 4
	m.SM.Schedulers, m.SM.IssuePerScheduler, m.SM.Scheduler = schedulers, width, "gto"
	m.SM.Units.SP, m.SM.Units.Int = 2, 2
	g := build(b, m, &gputest.Memory{LatencyCycles: clock.Cycle(latency)})
	src := gputest.NewSource(gputest.Trace(b, l))
	var instructions uint64
	b.ResetTimer()
	for range b.N {
		if _, err := g.Replay(context.Background(), src, nil); err != nil {
			b.Fatal(err)
		}
		instructions += src.Totals().WarpInstructions
	}
	b.ReportMetric(float64(instructions)/b.Elapsed().Seconds(), "warp-insn/s")
}

// BenchmarkReplayMixed isolates the SM with all kinds of instructions.
func BenchmarkReplayMixed(b *testing.B) { benchmarkReplay(b, 2, 1, mixed(200), 300) }

// BenchmarkReplayDual is BenchmarkReplayMixed with dual issue.
func BenchmarkReplayDual(b *testing.B) { benchmarkReplay(b, 2, 2, mixed(200), 300) }

// BenchmarkReplayCompute isolates issue, scoreboard and write-back.
func BenchmarkReplayCompute(b *testing.B) {
	k := gputest.NewKernel("compute")
	for i := range 40 {
		k.Op(trace.ClassF32Fma, 1+i%4, 1+i%4, 9).Op(trace.ClassIntAdd, 10+i%3, 10)
	}
	body := uint32(0)
	end := k.Branch()
	k.Exit()
	benchmarkReplay(b, 2, 1, gputest.Launch{Kernel: k, Blocks: 16, Threads: 256, Record: func(w *gputest.Warp) {
		for range 20 {
			w.Visit(body, w.Lanes)
		}
		w.Visit(end, w.Lanes)
	}}, 300)
}

// BenchmarkReplayStalled isolates sleeping: few warps that wait for loads.
func BenchmarkReplayStalled(b *testing.B) {
	l := mixed(200)
	l.Threads, l.Blocks = 32, 4
	benchmarkReplay(b, 2, 1, l, 300)
}
