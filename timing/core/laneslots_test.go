// SPDX-License-Identifier: Apache-2.0

package core_test

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
)

// laneTurn is a cycle of lanes: some issue, and some of those that have not issued before
// wait for what they waited for. Those need not be charged, unless all are told to a watcher.
func laneTurn(r *rand.Rand, now clock.Cycle, s *core.LaneSlots, b *book, before *uint32) {
	in, issued := uint32(r.IntN(instructions)), uint32(0)
	blames := []core.Blame{anyBlame(r), anyBlame(r)}
	var stalled [2]uint32
	for k := range b.last {
		one := uint32(1) << k
		switch which := r.IntN(4); {
		case which < 2:
			b.last[k] = blames[which]
			b.charge(b.last[k], 1)
			stalled[which] |= one
		case which == 2 && *before&one == 0:
			b.charge(b.last[k], 1)
			if s.Watched() || r.IntN(4) == 0 {
				s.StallAll(now, one, b.last[k])
			}
		default:
			b.charge(core.Blame{Instruction: in, Cause: counters.CauseIssued}, 1)
			issued |= one
		}
	}
	s.UseAll(now, issued, in)
	for which, lanes := range stalled {
		s.StallAll(now, lanes, blames[which])
	}
	*before = issued
}

// TestEachSlotOfLanesHasOneCause: also where a lane's cause is not said again while it stays,
// and a reader comes in between.
func TestEachSlotOfLanesHasOneCause(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 63))
		var set counters.Set
		h := &hearer{fate: map[[2]int]core.Blame{}, charged: map[core.Blame]uint64{}, other: seed%2 == 0}
		s := core.NewLaneSlots(3, &set, h)
		profile := make([]uint64, instructions*causes)
		b := &book{charged: map[core.Blame]uint64{}}
		now := clock.Cycle(0)
		for range 1 + r.IntN(3) { // launches
			b.last, b.width = make([]core.Blame, []int{1, 2, 31, 32}[r.IntN(4)]), 1
			if !h.other {
				b.last = make([]core.Blame, 32) // lanes that are not there would go on for the watcher
			}
			for k := range b.last {
				b.last[k] = core.NoWarp
			}
			s.Load(instructions)
			s.Begin(now, len(b.last))
			before := uint32(0)
			for range 1 + r.IntN(30) {
				laneTurn(r, now, &s, b, &before)
				now++
				if n := r.IntN(9); before == 0 && n > 0 { // the front end sleeps
					for _, last := range b.last {
						b.charge(last, n)
					}
					now += clock.Cycle(n)
				}
				if r.IntN(6) == 0 {
					s.Settle(now)
					s.Collect(nil, profile)
					check(t, seed, &set, profile, b)
				}
			}
			s.Settle(now)
			s.Collect(nil, profile)
			check(t, seed, &set, profile, b)
		}
		if h.until(now); h.other {
			continue
		}
		for blame, want := range b.charged {
			if h.charged[blame] != want {
				t.Fatalf("seed %d: %v at %d: the watcher heard of %d slots, %d are charged", seed, blame.Cause, blame.Instruction, h.charged[blame], want)
			}
		}
	}
}
