// SPDX-License-Identifier: Apache-2.0

package dac

import (
	"testing"

	"github.com/warptape/warptape/timing/affine"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace"
)

// The affine warp waits at a branch until each warp that takes part has supplied as many outcomes as this visit wants.
// At an enqueue it waits while the queue is full.
func TestTheAffineWarpWaitsForOutcomesAndRoom(t *testing.T) {
	e := &engine{chip: &chip{section: &Section{TupleEntries: 2}}, queue: ring.New[*tuple](2), decisions: ring.New[decision](4)}
	branch, enqueue := &role{affine: true, decides: true}, &role{affine: true, enqueue: true}
	d := e.decisions.Add()
	*d = decision{warps: 1<<3 | 1<<47}
	d.needed[3], d.needed[47] = 2, 1
	for _, c := range []struct {
		third, last uint32
		want        sm.Hold
	}{
		{0, 0, sm.HoldCompute}, {2, 0, sm.HoldCompute}, {1, 1, sm.HoldCompute}, {2, 1, sm.HoldNothing}, {3, 2, sm.HoldNothing},
	} {
		e.supplied[3], e.supplied[47] = c.third, c.last
		if got := e.holdsAffine(branch); got != c.want {
			t.Errorf("with %d and %d outcomes: %v, want %v", c.third, c.last, got, c.want)
		}
	}
	for n, want := range []sm.Hold{sm.HoldNothing, sm.HoldNothing, sm.HoldCompute} {
		if got := e.holdsAffine(enqueue); got != want {
			t.Errorf("with %d of 2 tuples: %v, want %v", n, got, want)
		}
		if n < 2 {
			e.queue.Push(new(tuple))
		}
	}
	if got := e.holdsAffine(&role{affine: true}); got != sm.HoldNothing {
		t.Errorf("neither branch nor enqueue: %v", got)
	}
}

// Lanes compare for themselves where no unit can: for the warps of a predicate's enqueue of that case, with the
// threads that visit it.
func TestLanesCompareForTheWarpsThatNeedIt(t *testing.T) {
	s := &affineStream{engine: &engine{kernel: &compiled{compares: []uint32{0, 0, 7}}}, compares: ring.New[seam.Visit](4)}
	warps := []affine.Expansion{{Warp: 0, Case: affine.LanesCase, Visiting: 0xff, Mask: 1}, {Warp: 1, Case: affine.LanesCase - 1, Visiting: 0xf}, {Warp: 2, Case: affine.LanesCase, Visiting: 0xf0}}
	s.compare(&affine.Enqueue{Instruction: 2, Queue: affine.Data, Expansions: warps})
	if s.compares.Len() != 0 {
		t.Errorf("%d comparisons for addresses", s.compares.Len())
	}
	s.compare(&affine.Enqueue{Instruction: 2, Queue: affine.Predicate, Expansions: warps})
	for _, mask := range []uint32{0xff, 0xf0} {
		if v := s.compares.Pop(); v.BasicBlock != 7 || v.Mask != mask {
			t.Errorf("%+v, want lanes %#x", v, mask)
		}
	}
	if s.compares.Len() != 0 {
		t.Errorf("%d comparisons too many", s.compares.Len())
	}
}

// A visit of the affine warp leaves the comparisons that the lanes make, and each enqueue in its order, with the slots of
// its warps. A parameter's address is that in its window.
func TestAVisitLeavesItsComparisonsAndEnqueues(t *testing.T) {
	plan := &affine.Plan{Fates: []affine.Fate{{}, {Conditions: 1}, {}}}
	e := &engine{counts: new(counters.Set), kernel: &compiled{plan: plan, compares: []uint32{0, 0, 7}, blocks: []blockParts{{affineEmpty: true}, {}}}, upcoming: ring.New[*tuple](4)}
	e.warpOf[2], e.blockOf[2] = 9, 3
	s := &affineStream{engine: e, compares: ring.New[seam.Visit](4), parameters: ring.New[uint64](4)}
	e.visit = affine.Visit{Block: 1, Parameters: []uint64{trace.WindowBytes*5 + 16}, Enqueues: []affine.Enqueue{
		{Instruction: 1, Queue: affine.Data, Expansions: []affine.Expansion{{Warp: 2, Case: affine.LanesCase}}},
		{Instruction: 2, Queue: affine.Predicate, Expansions: []affine.Expansion{{Warp: 2, Case: affine.LanesCase, Visiting: 0xf0}}},
	}}
	if !e.take(s) || s.parameters.Len() != 1 || s.parameters.Pop() != 16 {
		t.Error("the visit has nothing, or another parameter")
	}
	if s.compares.Len() != 1 || s.compares.Pop() != (seam.Visit{BasicBlock: 7, Mask: 0xf0}) {
		t.Error("the lanes do not compare, or for more than the predicate")
	}
	for i, divergent := range []bool{true, false} {
		q := e.upcoming.Pop()
		if q.instruction != uint32(i+1) || q.divergent != divergent || len(q.items) != 1 || q.items[0].warp != 9 || q.items[0].block != 3 {
			t.Errorf("enqueue %d is %+v", i, q)
		}
	}
	if e.visit.Block = 0; e.take(s) || e.upcoming.Len() != 0 {
		t.Error("a block without affine instructions leaves something")
	}
}
