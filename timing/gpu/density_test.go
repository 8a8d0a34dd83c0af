// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

func TestRoundsWithLittleWorkAreTriedAgainAfterLongerAndLongerWaits(t *testing.T) {
	d, now := density{}, clock.Cycle(0)
	rounds := func(calls int) {
		for range densityRounds {
			if !d.pays(now) {
				t.Fatalf("no round at cycle %d, before %d are counted", now, densityRounds)
			}
			now++
			d.add(calls, 10, now)
		}
	}
	rounds(10 * leastWork)
	for _, wait := range []clock.Cycle{2048, 4096, 8192, 16384, 32768, 65536, 65536} {
		rounds(10*leastWork - 1)
		if d.pays(now+wait-1) || !d.pays(now+wait) {
			t.Errorf("rounds with too little work up to cycle %d are tried again in %d, want %d", now, d.again, now+wait)
		}
		now += wait
	}
	rounds(10 * leastWork)
	rounds(0)
	if d.again != now+leastWait {
		t.Errorf("behind rounds with enough work they are tried again after %d cycles, want %d", d.again-now, leastWait)
	}
}

// One core decides by what there is to do: a program with much of it runs in rounds, one with
// a single warp does not, and each does so in the same cycles every time.
func TestOneCoreRunsApartWhereThereIsMuchToDo(t *testing.T) {
	m, err := arch.Load("v100")
	if err != nil {
		t.Fatal(err)
	}
	computes := func(blocks int) gputest.Launch {
		k := gputest.NewKernel("computes")
		body := k.Branch()
		for r := 1; r < 17; r++ {
			k.Op(trace.ClassF32Fma, r, r)
		}
		out := k.Branch()
		k.Exit()
		return gputest.Launch{Kernel: k, Blocks: blocks, Threads: 256, Record: func(w *gputest.Warp) {
			w.Visit(0, w.Lanes)
			for range 24 {
				w.Visit(body, w.Lanes)
			}
			w.Visit(out, w.Lanes)
		}}
	}
	apart := func(l gputest.Launch) (share float64) {
		before := clock.Never
		for range 2 {
			g, err := New(m, Options{Cores: 1})
			if err != nil {
				t.Fatal(err)
			}
			run, err := g.Replay(context.Background(), gputest.NewSource(gputest.Trace(t, l)), nil)
			if err != nil {
				t.Fatal(err)
			}
			if before != clock.Never && g.CyclesApart() != before {
				t.Errorf("%d cycles apart, then %d", before, g.CyclesApart())
			}
			before, share = g.CyclesApart(), float64(g.CyclesApart())/float64(run.Cycles)
		}
		return share
	}
	if share := apart(computes(240)); share < 0.25 {
		t.Errorf("240 thread blocks ran apart for %.2f of their cycles, want a quarter and more", share)
	}
	if share := apart(computes(1)); share > 0.1 {
		t.Errorf("one thread block ran apart for %.2f of its cycles, want none to speak of", share)
	}
}
