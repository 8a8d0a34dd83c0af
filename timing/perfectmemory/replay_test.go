// SPDX-License-Identifier: Apache-2.0

package perfectmemory_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/perfectmemory"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/timing/seam"
	_ "github.com/warptape/warptape/timing/tinycache"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

func run(t testing.TB, m *arch.Machine, o gpu.Options, r *wtape.Reader) *gpu.Run {
	t.Helper()
	g, err := gpu.New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	result, err := g.Replay(context.Background(), gputest.NewSource(r), nil)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// chain is one warp with n loads; each needs the one before. Lanes are stride bytes apart.
func chain(t testing.TB, space trace.Space, n int, stride int64) *wtape.Reader {
	k := gputest.NewKernel("chain")
	for range n {
		k.Load(space, 1, 1)
	}
	k.Exit()
	return gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) { w.VisitAt(0, 0xC000_0000, stride) }})
}

// perfect is the test machine, whose own memory never answers, with a perfect one.
func perfect() (*arch.Machine, gpu.Options) {
	m := gputest.Machine()
	m.SetSection(perfectmemory.Key, &perfectmemory.Section{Enabled: true})
	return m, gpu.Options{Memory: func(_ *arch.Machine, c gpu.Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
		return (&gputest.Memory{Silent: true}).Build(c.Core, global), nil
	}}
}

// TestALoadTakesOperandReadAndACycle: however its lanes lie.
func TestALoadTakesOperandReadAndACycle(t *testing.T) {
	for _, space := range []trace.Space{trace.SpaceGlobal, trace.SpaceLocal, trace.SpaceConst, trace.SpaceTexture} {
		for _, stride := range []int64{0, 4, 128, 4096} {
			var cycles [2]clock.Cycle
			for i, n := range []int{10, 30} {
				m, o := perfect()
				cycles[i] = run(t, m, o, chain(t, space, n, stride)).Cycles
			}
			if got, want := cycles[1]-cycles[0], clock.Cycle(20*(gputest.OperandRead+1)); got != want {
				t.Errorf("%v, lanes %d bytes apart: 20 dependent loads take %d cycles, want %d", space, stride, got, want)
			}
		}
	}
}

// TestSharedMemoryKeepsItsBanks: conflicts cost what they cost without.
func TestSharedMemoryKeepsItsBanks(t *testing.T) {
	m := replaytest.Load(t, "gtx480-15+perfect-memory")
	for _, stride := range []int64{4, 8, 128} {
		var cycles [2]clock.Cycle
		for i, n := range []int{10, 30} {
			cycles[i] = run(t, m, gpu.Options{}, chain(t, trace.SpaceShared, n, stride)).Cycles
		}
		// 32 lanes over 32 banks: as many lanes share a bank as words lie between them.
		conflicts := clock.Cycle(stride/4 - 1)
		per := (cycles[1] - cycles[0]) / 20
		if least := clock.Cycle(m.Shared.LatencyCycles) + conflicts; per < least || per > least+6 {
			t.Errorf("lanes %d bytes apart: a dependent load takes %d cycles, want the latency of %d and operand read", stride, per, least)
		}
	}
}

func TestRandomMachinesKeepTheirInvariantsWithPerfectMemory(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		trace := gputest.Trace(t, gputest.RandomLaunches(r)...)
		m, memory := gputest.RandomMachine(r), gputest.RandomMemory(r)
		m.SetSection(perfectmemory.Key, &perfectmemory.Section{Enabled: true})
		var runs [2]*gpu.Run
		for i := range runs {
			runs[i] = run(t, m, gpu.Options{EveryCycle: i == 1, Memory: func(_ *arch.Machine, c gpu.Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
				again := *memory
				return again.Build(c.Core, global), nil
			}}, trace)
		}
		total := runs[0].Total
		gputest.Invariants(t, m, &total, runs[0].Cycles)
		if diff := cmp.Diff(runs[1], runs[0]); diff != "" {
			t.Fatalf("seed %d: sleeping changes the result (-every cycle +event driven):\n%s", seed, diff)
		}
	}
}

// TestPerfectMemorySendsNothing: no request leaves an SM, and no run is slower.
func TestPerfectMemorySendsNothing(t *testing.T) {
	for seed := range uint64(4) {
		r := gputest.Trace(t, gputest.RandomLaunches(rand.New(rand.NewPCG(seed, 9)))...)
		for _, spec := range []string{"gtx480-15", "gpsim-tiny", "mesh56", "gtx480-15+tinycache"} {
			real, ideal := run(t, replaytest.Load(t, spec), gpu.Options{}, r), run(t, replaytest.Load(t, spec+"+perfect-memory"), gpu.Options{}, r)
			if n := ideal.Total[counters.RequestsSent]; n != 0 {
				t.Errorf("seed %d: %s sends %d requests", seed, spec, n)
			}
			if ideal.Cycles > real.Cycles {
				t.Errorf("seed %d: %s takes %d cycles, %d with perfect memory", seed, spec, real.Cycles, ideal.Cycles)
			}
		}
	}
}
