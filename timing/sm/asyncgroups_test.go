// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

// asyncCycles is the cycles of a warp's kernel on a machine whose memory answers after 1000 cycles.
func asyncCycles(t *testing.T, body func(k *gputest.Kernel)) clock.Cycle {
	t.Helper()
	k := gputest.NewKernel("copies")
	body(k)
	k.Branch() // what is behind a wait
	chained(k, 400)
	k.Exit()
	return replay(t, build(t, gputest.Machine(), &gputest.Memory{LatencyCycles: 1000}), gputest.Launch{Kernel: k, Blocks: 1, Threads: 32}).Cycles
}

// Two groups, 40 operations apart: a wait for all but the latest lets the warp go when the first
// has come, so earlier by the time that is between them.
func TestAWaitLeavesTheLatestGroups(t *testing.T) {
	groups := func(latest int) clock.Cycle {
		return asyncCycles(t, func(k *gputest.Kernel) {
			k.AsyncCopy(2).Commit()
			chained(k, 40)
			k.AsyncCopy(2).Commit()
			k.AwaitGroups(latest)
		})
	}
	apart := asyncCycles(t, func(k *gputest.Kernel) {
		chained(k, 80)
		k.AsyncCopy(2).Commit().AwaitGroups(0)
	}) - asyncCycles(t, func(k *gputest.Kernel) {
		chained(k, 40)
		k.AsyncCopy(2).Commit().AwaitGroups(0)
	})
	all, one, two, three := groups(0), groups(1), groups(2), groups(3)
	if got := all - one; got < apart-6 || got > apart+6 {
		t.Errorf("a wait for both groups ends %d cycles later than for the first, want the %d cycles of 40 operations", got, apart)
	}
	if two != three || one-two < 500 {
		t.Errorf("a wait that leaves both groups takes %d cycles and %d, one for the first %d", two, three, one)
	}
}

// A wait for groups holds for no other load of the warp, and not for what has been committed of nothing.
func TestAWaitForGroupsIsForNothingElse(t *testing.T) {
	alone := asyncCycles(t, func(k *gputest.Kernel) {
		k.AsyncCopy(2).Commit()
		chained(k, 40)
		k.AwaitGroups(0)
	})
	beside := asyncCycles(t, func(k *gputest.Kernel) {
		k.AsyncCopy(2).Commit()
		chained(k, 39)
		k.Load(trace.SpaceGlobal, 7, 2) // comes 38 operations later
		k.AwaitGroups(0)
	})
	if d := beside - alone; d < -5 || d > 5 {
		t.Errorf("%d cycles with a load for which no instruction waits, %d without", beside, alone)
	}
	none := asyncCycles(t, func(k *gputest.Kernel) {
		k.Load(trace.SpaceGlobal, 7, 2)
		k.Commit().Commit().AwaitGroups(0)
	})
	if without := asyncCycles(t, func(k *gputest.Kernel) { k.Load(trace.SpaceGlobal, 7, 2) }); none > without+40 {
		t.Errorf("%d cycles with a wait for empty groups, %d without", none, without)
	}
}

// A copy that has not been committed is in no group that is awaited; wait_all waits for it.
func TestAWaitForAllTakesWhatIsNotCommitted(t *testing.T) {
	open := func(await func(k *gputest.Kernel)) clock.Cycle {
		return asyncCycles(t, func(k *gputest.Kernel) {
			k.AsyncCopy(2)
			await(k)
		})
	}
	group := open(func(k *gputest.Kernel) { k.AwaitGroups(0) })
	all := open(func(k *gputest.Kernel) { k.AwaitAll() })
	committed := open(func(k *gputest.Kernel) { k.Commit().AwaitGroups(0) })
	if all-group < 500 || all-committed > 5 || committed-all > 5 {
		t.Errorf("cycles: %d of wait_group 0, %d of wait_all, %d of a commit and wait_group 0", group, all, committed)
	}
}

// groupsOfProducts is the cycles of a warp with two groups of products, on sums of their own. It
// waits for all but the latest groups, and works on for longer than they take.
func groupsOfProducts(t *testing.T, latency, latest int) clock.Cycle {
	t.Helper()
	m := gputest.Machine()
	m.SM.Latencies.Tensor = arch.Latency{Cycles: latency, Interval: 8}
	k := gputest.NewKernel("products")
	k.Product(4).CommitProducts().Product(5).CommitProducts()
	if latest >= 0 {
		k.AwaitProducts(latest)
	}
	k.Branch()
	chained(k, 400)
	k.Exit()
	return replay(t, build(t, m, &gputest.Memory{LatencyCycles: 10}), gputest.Launch{Kernel: k, Blocks: 1, Threads: 32}).Cycles
}

// A wait for products holds until those have ended, though no register of theirs is read: the
// memory that they read is free then. One that leaves both holds for nothing.
func TestAWaitForProductsIsForTheirEnd(t *testing.T) {
	for _, latency := range []int{100, 300} {
		none, both, one, all := groupsOfProducts(t, latency, -1), groupsOfProducts(t, latency, 2), groupsOfProducts(t, latency, 1), groupsOfProducts(t, latency, 0)
		if both-none > 5 || one-both < clock.Cycle(latency)-30 || all-one < 1 || all-one > 200 {
			t.Errorf("products of %d cycles: %d cycles without a wait, %d where it leaves two groups, %d one, and %d none", latency, none, both, one, all)
		}
	}
	if a, b := groupsOfProducts(t, 300, 0), groupsOfProducts(t, 100, 0); a-b != 200 {
		t.Errorf("a product that takes 200 cycles more makes a wait for it %d longer", a-b)
	}
}
