// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

func TestBarrierWaitsForTheSlowestWarp(t *testing.T) {
	const links = 20
	k := gputest.NewKernel("unequal")
	k.Branch() // block 1: the slow warp's chain
	for range links {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	k.Branch() // block 2
	k.Op(trace.ClassIntAdd, 2, 1).Barrier("sync", 0)
	k.Exit()
	run := replay(t, build(t, gputest.Machine(), &gputest.Memory{}), gputest.Launch{Kernel: k, Blocks: 1, Threads: 64, Record: func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		if w.Warp == 1 {
			w.Visit(1, w.Lanes)
		}
		w.Visit(2, w.Lanes)
		w.Visit(3, w.Lanes)
	}})
	link := gputest.OperandRead + gputest.ALULatency
	// Warp 1 falls through a branch and its chain; the add that depends on the
	// chain is the last link, the barrier follows it; a cycle later both exit.
	chainStart := firstIssue + 1 + 1 // warp 0 is fetched first
	want := clock.Cycle(chainStart + links*link + 1 + 1 + 1 + 1)
	if d := run.Cycles - want; d < 0 || d > clock.Cycle(link) {
		t.Errorf("%d cycles, want %d plus at most the last add's write-back", run.Cycles, want)
	}
	if run.Total[counters.StallBarrier] != 0 {
		t.Errorf("%d slots blamed on the barrier while another warp computes", run.Total[counters.StallBarrier])
	}
}

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
