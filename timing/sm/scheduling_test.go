// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// issueOrder gives the order in which warps' stores reach the memory: with one
// store per warp and one unit that is the order of issue.
func issueOrder(t *testing.T, m *arch.Machine, l gputest.Launch) []int {
	t.Helper()
	var order []int
	m.SM.Latencies.Barrier.Cycles = 20 // by then all instructions are fetched
	memory := &gputest.Memory{LatencyCycles: 10, Seen: func(_ clock.Cycle, _ int, a *seam.MemoryAccess) { order = append(order, a.WarpSlot) }}
	replay(t, build(t, m, memory), l)
	return order
}

// storesAfterBarrier lets all warps be ready at once, then store twice each.
func storesAfterBarrier() *gputest.Kernel {
	k := gputest.NewKernel("order")
	k.Barrier("sync", 0)
	k.Store(trace.SpaceGlobal, 1, 2).Store(trace.SpaceGlobal, 1, 3).Exit()
	return k
}

func TestLooseRoundRobinAlternates(t *testing.T) {
	m := gputest.Machine()
	got := issueOrder(t, m, gputest.Launch{Kernel: storesAfterBarrier(), Blocks: 1, Threads: 96})
	// The barrier's last arrival was warp 2's.
	if diff := cmp.Diff([]int{0, 1, 2, 0, 1, 2}, got); diff != "" {
		t.Error(diff)
	}
}

func TestGreedyThenOldestStaysThenTakesTheOldest(t *testing.T) {
	m := gputest.Machine()
	m.SM.Scheduler = "gto"
	got := issueOrder(t, m, gputest.Launch{Kernel: storesAfterBarrier(), Blocks: 1, Threads: 96})
	// Greedy: warp 2 was the last to issue (its barrier arrival), so it goes first.
	if diff := cmp.Diff([]int{2, 2, 0, 0, 1, 1}, got); diff != "" {
		t.Error(diff)
	}
}

func TestOldestFirstTakesTheOldestReadyWarp(t *testing.T) {
	m := gputest.Machine()
	m.SM.Scheduler = "oldest"
	got := issueOrder(t, m, gputest.Launch{Kernel: storesAfterBarrier(), Blocks: 1, Threads: 96})
	if diff := cmp.Diff([]int{0, 0, 1, 1, 2, 2}, got); diff != "" {
		t.Error(diff)
	}
}

// loadsThenStores lets every warp load, wait for what it has loaded, and store.
func loadsThenStores() *gputest.Kernel {
	k := gputest.NewKernel("waits")
	k.Barrier("sync", 0)
	k.Load(trace.SpaceGlobal, 1, 2).Op(trace.ClassIntAdd, 3, 1).Store(trace.SpaceGlobal, 4, 3).Exit()
	return k
}

func TestTwoLevelLetsAWarpInWhenAnotherWaitsForMemory(t *testing.T) {
	m := gputest.Machine()
	m.SM.Scheduler, m.SM.SchedulerWarps = "two-level", 1
	got := issueOrder(t, m, gputest.Launch{Kernel: loadsThenStores(), Blocks: 1, Threads: 96})
	// The barrier's last arrival, warp 2, is active when all are let go; its wait
	// for the load lets the oldest in.
	if diff := cmp.Diff([]int{0, 1, 2, 0, 1, 2}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWarpLimitKeepsTheOthersWaitingUntilAWarpHasEnded(t *testing.T) {
	m := gputest.Machine()
	m.SM.Scheduler, m.SM.SchedulerWarps = "warp-limit", 1
	got := issueOrder(t, m, gputest.Launch{Kernel: loadsThenStores(), Blocks: 1, Threads: 96})
	if diff := cmp.Diff([]int{0, 0, 1, 1, 2, 2}, got); diff != "" {
		t.Error(diff)
	}
}

// With fewer warps than a thread block has, all of them must still come to the
// barrier.
func TestWarpLimitDoesNotKeepWarpsFromABarrier(t *testing.T) {
	m := gputest.Machine()
	m.SM.Scheduler, m.SM.SchedulerWarps = "warp-limit", 1
	k := gputest.NewKernel("barriers")
	k.Barrier("sync", 0).Barrier("sync", 0).Barrier("sync", 1)
	k.Exit()
	run := replay(t, build(t, m, &gputest.Memory{LatencyCycles: 10}), gputest.Launch{Kernel: k, Blocks: 3, Threads: 256})
	if got := run.Total[counters.BlocksRetired]; got != 3 {
		t.Errorf("%d thread blocks ended", got)
	}
}
