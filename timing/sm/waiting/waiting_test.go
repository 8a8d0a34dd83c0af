// SPDX-License-Identifier: Apache-2.0

package waiting

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/timing/warpset"
)

// A warp is ready on the lists of all kinds of unit, and on no other.
func TestReadyWarpsAreThoseThatLackAUnitAtMost(t *testing.T) {
	l := New()
	for to := range Count {
		l.Move(3, to)
		want := warpset.Set{}
		if to <= LastReady {
			want = warpset.Of(3)
		}
		if got := l.Ready(); got != want {
			t.Errorf("a warp on list %d: ready %v, want %v", to, got, want)
		}
	}
}

func TestAWarpIsOnOneList(t *testing.T) {
	l := New()
	for _, to := range []List{Memory, For(units.SFU), Barrier, None} {
		l.Move(5, to)
		for at := range Count {
			if got := l.On(at).Has(5); got != (at == to) {
				t.Errorf("moved to list %d: on list %d: %v", to, at, got)
			}
		}
		if l.Of(5) != to || l.On(None).Has(4) != true {
			t.Errorf("moved to list %d: it is on %d, and its neighbour on %d", to, l.Of(5), l.Of(4))
		}
	}
}

// Once said, a change is not said again; ready warps keep the SM awake unless they are
// blocked.
func TestSettledOnceNothingHasHappened(t *testing.T) {
	l := New()
	l.Move(1, Memory)
	if l.Settled(false) || !l.Settled(false) {
		t.Error("a change is not said once")
	}
	l.Move(1, Memory)
	if l.Settled(true) {
		t.Error("a warp looked at again counts as unchanged")
	}
	l.Move(2, For(units.SP))
	l.Settled(false)
	if l.Settled(false) || !l.Settled(true) {
		t.Error("a ready warp settles without being blocked, or blocked not")
	}
}

func TestALostSlotIsChargedToTheWarpClosestToIssue(t *testing.T) {
	l := New()
	order := []struct {
		list  List
		cause counters.Cause
	}{{Barrier, counters.CauseBarrier}, {Fence, counters.CauseFence}, {Fetch, counters.CauseFetch}, {Memory, counters.CauseMemory}, {Unit, counters.CauseCompute}, {Operand, counters.CauseOperand}}
	if w, c := l.Closest(warpset.All()); w != -1 || c != counters.CauseIdle {
		t.Errorf("without a warp: %d, %v", w, c)
	}
	for i, x := range order { // each comes closer than all before, in a higher slot
		l.Move(2*i+1, x.list)
		l.Move(2*i, x.list)
		if w, c := l.Closest(warpset.All()); w != 2*i || c != x.cause {
			t.Errorf("warps on list %d: warp %d, %v", x.list, w, c)
		}
		if w, _ := l.Closest(warpset.Of(1)); w != 1 {
			t.Errorf("of warp 1 alone: warp %d", w)
		}
	}
	if w, _ := l.ClosestReady(warpset.All()); w != -1 {
		t.Errorf("no warp is ready: warp %d", w)
	}
	l.Move(20, For(units.LDST))
	l.Move(30, For(units.Int))
	l.Move(31, For(units.Int))
	if w, k := l.ClosestReady(warpset.All()); w != 30 || k != units.Int {
		t.Errorf("ready: warp %d of kind %v", w, k)
	}
	if w, k := l.ClosestReady(warpset.Of(20)); w != 20 || k != units.LDST {
		t.Errorf("of warp 20 alone: warp %d of kind %v", w, k)
	}
}

// slowClosest is the slow obvious twin of Closest: it looks at all waiting lists in turn.
func slowClosest(l *Lists, of warpset.Set) (int, counters.Cause) {
	for list := Operand; list < None; list++ {
		for w := range warpset.Max {
			if l.Of(w) == list && of.Has(w) {
				return w, causes[list]
			}
		}
	}
	return -1, counters.CauseIdle
}

func TestTheClosestWarpIsThatOfTheFirstListWithOne(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	l := New()
	for range 5000 {
		w := r.IntN(6) * 23 // few warps, so that lists are often empty
		l.Move(w, List(r.IntN(int(Count))))
		of := warpset.Set{}
		for range r.IntN(4) {
			of.Add(r.IntN(6) * 23)
		}
		w, c := l.Closest(of)
		if wantW, wantC := slowClosest(&l, of); w != wantW || c != wantC {
			t.Fatalf("of %v: got warp %d, %v, want %d, %v", of, w, c, wantW, wantC)
		}
	}
}

// Each waiting list has a cause of its own, and the idle one is of no list.
func TestEachWaitingListHasACause(t *testing.T) {
	seen := map[counters.Cause]List{}
	for list := Operand; list < None; list++ {
		if other, twice := seen[causes[list]]; twice || causes[list] == counters.CauseIssued || causes[list] == counters.CauseIdle {
			t.Errorf("list %d has cause %v, as list %d", list, causes[list], other)
		}
		seen[causes[list]] = list
	}
}
