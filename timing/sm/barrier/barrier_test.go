// SPDX-License-Identifier: Apache-2.0

package barrier

import (
	"testing"

	"github.com/warptape/warptape/timing/warpset"
)

func block(warps int) *Block {
	b := new(Block)
	b.Begin(warps)
	return b
}

// visit is one of a whole warp.
func visit(id int, expected uint32) Visit { return Visit{ID: id, Expected: expected, Threads: 32} }

// A barrier for all opens with the last warp that has instructions left, one for n
// threads with as many warps of 32 as hold them.
func TestABarrierOpensWithTheLastArrival(t *testing.T) {
	for _, c := range []struct {
		warps   int
		threads uint32
		want    int
	}{{4, 0, 4}, {1, 0, 1}, {4, 64, 2}, {4, 65, 3}, {4, 32, 1}, {2, 256, 8}} {
		b := block(c.warps)
		for w := range c.want {
			if _, open := b.Open(3); open {
				t.Errorf("%+v: open with %d", c, w)
			}
			b.Wait(visit(3, c.threads), w+10)
		}
		waited, open := b.Open(3)
		if !open || waited != warpset.First(c.want+10).AndNot(warpset.First(10)) {
			t.Errorf("%+v: open %v, waited %v", c, open, waited)
		}
		if _, open := b.Open(3); open {
			t.Errorf("%+v: it opens twice", c)
		}
	}
}

// Those that only arrive count, and do not wait.
func TestAnArrivalDoesNotWait(t *testing.T) {
	b := block(4)
	b.Arrive(visit(1, 64))
	b.Wait(visit(1, 64), 2)
	if waited, open := b.Open(1); !open || waited != warpset.Of(2) {
		t.Errorf("open %v, waited %v", open, waited)
	}
}

func TestBarriersAreApart(t *testing.T) {
	b := block(2)
	b.Wait(visit(0, 0), 0)
	b.Wait(visit(Cluster, 0), 1)
	for id := range Count {
		if _, open := b.Open(id); open {
			t.Errorf("barrier %d opens for a warp at another", id)
		}
	}
	if s, ok := b.State(1); !ok || s != (State{ID: Cluster, Arrived: 1, Expected: 2, Waiting: 1}) {
		t.Errorf("warp 1 waits (%v): %+v", ok, s)
	}
	if _, ok := b.State(5); ok {
		t.Error("a warp that waits nowhere has a barrier")
	}
}

// Warps that have ended are not waited for, whether they had arrived or not.
func TestWarpsThatHaveEndedAreNotWaitedFor(t *testing.T) {
	b := block(3)
	b.Wait(visit(0, 0), 0)
	b.Wait(visit(0, 0), 1)
	b.Leave(2)
	if waited, open := b.Open(0); !open || waited != warpset.First(2) {
		t.Errorf("open %v, waited %v", open, waited)
	}
	b.Wait(visit(0, 0), 0)
	b.Leave(0)
	if _, open := b.Open(0); open {
		t.Error("a barrier opens for a warp that has ended")
	}
	b.Wait(visit(0, 0), 1)
	if waited, open := b.Open(0); !open || waited != warpset.Of(1) {
		t.Errorf("the last one: open %v, waited %v", open, waited)
	}
}

// The port hears of a barrier when it has been handed all accesses before it, and only
// those.
func TestThePortHearsOfABarrierBehindTheAccessesBeforeIt(t *testing.T) {
	b := block(2)
	if !b.Opened() {
		t.Error("with no access before it the port is not told at once")
	}
	first, second := b.Issued(), b.Issued()
	if first != second || first != b.Phase() {
		t.Error("two accesses between barriers have different phases")
	}
	if b.Opened() {
		t.Error("told before the port has been handed what came before")
	}
	after := b.Issued()
	if after == first {
		t.Error("an access behind the barrier has the phase of those before")
	}
	for i, c := range []struct {
		phase uint8
		tell  bool
	}{{first, false}, {after, false}, {second, true}} {
		if got := b.Handed(c.phase); got != c.tell {
			t.Errorf("access %d handed: told %v, want %v", i, got, c.tell)
		}
	}
	again := b.Issued()
	if b.Handed(again) {
		t.Error("told of a barrier that has not opened")
	}
}
