// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"testing"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

func TestExitedWarpsDoNotKeepTheOthersAtABarrier(t *testing.T) {
	k := gputest.NewKernel("leavers")
	k.Branch()
	k.Barrier("sync", 0)
	end := uint32(len(k.Blocks) - 1)
	k.Exit()
	run := replay(t, build(t, gputest.Machine(), &gputest.Memory{}), gputest.Launch{Kernel: k, Blocks: 1, Threads: 128, Record: func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		if w.Warp%2 == 0 {
			w.Visit(1, w.Lanes)
		}
		w.Visit(end, w.Lanes)
	}})
	if got := run.Total[counters.IssuedWarp]; got != 4+2+4 {
		t.Errorf("%d instructions, want 10", got)
	}
}

func TestBarrierWithACountReleasesThatManyWarps(t *testing.T) {
	// Two producers arrive at barrier 1, two consumers wait there for all four.
	k := gputest.NewKernel("counted")
	produce := k.Branch()
	k.Barrier("arrive", 1, 128)
	consume := uint32(len(k.Blocks) - 1)
	k.Barrier("sync", 1, 128)
	end := uint32(len(k.Blocks) - 1)
	k.Exit()
	run := replay(t, build(t, gputest.Machine(), &gputest.Memory{}), gputest.Launch{Kernel: k, Blocks: 1, Threads: 128, Record: func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		if w.Warp < 2 {
			w.Visit(produce, w.Lanes)
		} else {
			w.Visit(consume, w.Lanes)
		}
		w.Visit(end, w.Lanes)
	}})
	if got := run.Total[counters.IssuedWarp]; got != 12 {
		t.Errorf("%d instructions, want 12", got)
	}
}

func TestWarpThatArrivesTwiceDoesNotHang(t *testing.T) {
	k := gputest.NewKernel("diverged")
	k.Branch()
	k.Barrier("sync", 0)
	end := uint32(len(k.Blocks) - 1)
	k.Exit()
	run := replay(t, build(t, gputest.Machine(), &gputest.Memory{}), gputest.Launch{Kernel: k, Blocks: 1, Threads: 64, Record: func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		if w.Warp == 0 { // both sides of a branch reach the barrier, one after the other
			w.Visit(1, 0xffff)
			w.Visit(1, 0xffff0000)
		} else {
			w.Visit(1, w.Lanes)
		}
		w.Visit(end, w.Lanes)
	}})
	if got := run.Total[counters.IssuedWarp]; got != 2+3+2 {
		t.Errorf("%d instructions, want 7", got)
	}
}

// An arrival that does not wait opens the barrier when it is the last, not when its warp ends.
func TestTheLastArrivalOpensABarrier(t *testing.T) {
	k := gputest.NewKernel("arrives")
	k.Barrier("sync", 1, 64)
	k.Store(trace.SpaceGlobal, 1, 2).Branch()
	chained(k, 10).Barrier("arrive", 1, 64)
	linked(k, 50).Branch()
	end := uint32(len(k.Blocks) - 1)
	k.Exit()
	visits := [][]uint32{{0, 1, end}, {2, 3, end}}
	at := storesOf(t, 20, gputest.Launch{Kernel: k, Threads: 64, Record: func(w *gputest.Warp) {
		for _, b := range visits[w.Warp] {
			w.Visit(b, w.Lanes)
		}
	}})
	if at[1] == 0 || at[3]-at[1] < 40*addition {
		t.Errorf("the store behind the barrier comes in cycle %d, that behind 50 additions of the other warp in %d", at[1], at[3])
	}
}
