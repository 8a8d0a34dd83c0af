// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// onCores replays a trace with the baseline memory system, in windows wherever
// they are possible, and tells how many there were.
func onCores(t testing.TB, m *arch.Machine, r *wtape.Reader, cores int) (run *Run, windows int) {
	t.Helper()
	g, err := New(m, Options{Cores: cores, IntervalCycles: 700})
	if err != nil {
		t.Fatal(err)
	}
	if g.team != nil {
		g.team.pace.always = true
		g.team.observe = func(int, int) { windows++ }
	}
	if run, err = g.Replay(context.Background(), gputest.NewSource(r), nil); err != nil {
		t.Fatal(err)
	}
	return run, windows
}

func TestRandomTracesOnRandomMachinesAreTheSameOnSeveralCores(t *testing.T) {
	seeds := uint64(60)
	if !tracetest.Whole() {
		seeds = 12
	}
	apart := 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 9))
		m, err := arch.Load("gtx480")
		if err != nil {
			t.Fatal(err)
		}
		m.GPU.SMs = 2 + r.IntN(15)
		m.SM.MaxBlocks = 1 + r.IntN(8)
		m.Network.LatencyCycles = 1 + r.IntN(40)
		m.Network.InputQueue, m.Network.OutputQueue = 1+r.IntN(30), 1+r.IntN(30)
		m.Clocks.NetworkMHz, m.Clocks.L2MHz = []float64{350, 700, 1000, 1400}[r.IntN(4)], []float64{500, 700}[r.IntN(2)]
		src := gputest.Trace(t, gputest.RandomLaunches(r)...)
		want, _ := onCores(t, m, src, 0)
		for _, cores := range []int{1, 2, 3} {
			got, windows := onCores(t, m, src, cores)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d: %d cores change the result (-none apart +%d):\n%s", seed, cores, cores, diff)
			}
			if windows > 0 {
				apart++
			}
		}
	}
	if apart < 3*int(seeds)/2 {
		t.Errorf("only %d of %d replays had windows", apart, 3*seeds)
	}
}

// waves is many more thread blocks than fit, of different lengths, so that some
// end in windows in which other SMs have run on.
func waves(blocks int) gputest.Launch {
	l := mixed(3)
	l.Blocks = blocks
	record := l.Record
	l.Record = func(w *gputest.Warp) {
		for range 1 + w.Block%5 {
			w.Visit(0, w.Lanes)
		}
		record(w)
	}
	return l
}

func TestWindowsRunMostCyclesAndEndWithThreadBlocks(t *testing.T) {
	m, err := arch.Load("gtx480")
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(m, Options{Cores: 2})
	if err != nil {
		t.Fatal(err)
	}
	g.team.pace.always = true
	var apart, ahead int
	g.team.observe = func(cycles, left int) {
		apart += cycles
		ahead += left
	}
	src := gputest.Trace(t, waves(200))
	run, err := g.Replay(context.Background(), gputest.NewSource(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	if int(run.Cycles) > 2*apart {
		t.Errorf("%d of %d cycles ran in windows, want most", apart, run.Cycles)
	}
	if ahead == 0 {
		t.Error("no SM was ever left ahead by a thread block that ended elsewhere")
	}
	want, _ := onCores(t, m, src, 0)
	if diff := cmp.Diff(want.Total, run.Total); diff != "" {
		t.Errorf("two cores change the result (-none apart +two):\n%s", diff)
	}
}

// A launch without thread blocks ends when it may dispatch, and no part of it ends one.
func TestALaunchWithoutThreadBlocksIsTheSameOnSeveralCores(t *testing.T) {
	m, err := arch.Load("gtx480")
	if err != nil {
		t.Fatal(err)
	}
	m.GPU.LaunchCycles = 100
	src := gputest.Trace(t, waves(0))
	want, _ := onCores(t, m, src, 0)
	got, _ := onCores(t, m, src, 2)
	if diff := cmp.Diff(want, got); diff != "" || want.Cycles != 100 {
		t.Errorf("%d cycles; two cores change the result (-none apart +two):\n%s", want.Cycles, diff)
	}
}

func TestSeveralCoresAllocateNothingInTheSteadyState(t *testing.T) {
	tracetest.Nightly(t)
	m, err := arch.Load("gtx480")
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(m, Options{Cores: 2})
	if err != nil {
		t.Fatal(err)
	}
	g.team.pace.always = true
	allocations := func(blocks int) float64 {
		src := gputest.NewSource(gputest.Trace(t, waves(blocks)))
		return testing.AllocsPerRun(1, func() {
			if _, err := g.Replay(context.Background(), src, nil); err != nil {
				t.Fatal(err)
			}
		})
	}
	allocations(400) // pools and rings grow to what the largest replay needs
	// The two goroutines of a replay may or may not be new.
	if short, long := allocations(50), allocations(400); long > short+2 {
		t.Errorf("%v allocations for a short replay, %v for one eight times as long", short, long)
	}
}

func TestCrewDoesEveryItemOnce(t *testing.T) {
	c := newCrew(4)
	var done [64]atomic.Int32
	do := func(i int) { done[i].Add(1) }
	c.start()
	defer c.stop()
	for round := range 500 {
		c.begin()
		items := round % 64
		for i := range items {
			c.add(i, i)
		}
		c.work(do, round%3 > 0)
		for i := range items {
			if n := done[i].Swap(0); n != 1 {
				t.Fatalf("round %d: item %d was done %d times", round, i, n)
			}
		}
	}
}

// BenchmarkCrew isolates the handing out of a round's SMs and the wait for them.
func BenchmarkCrew(b *testing.B) {
	c := newCrew(2)
	var sum [16]int64
	do := func(i int) { sum[i]++ }
	c.start()
	defer c.stop()
	for b.Loop() {
		c.begin()
		for i := range 16 {
			c.add(i, i)
		}
		c.work(do, true)
	}
}
