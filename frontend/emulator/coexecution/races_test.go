// SPDX-License-Identifier: Apache-2.0

package coexecution

import (
	"math/rand/v2"
	"testing"
)

// history is the accesses and barriers of a thread block as a graph: an event comes before another one if there is a way
// from it. It knows no clocks.
type history struct {
	before [][]bool // by event: those before it
	last   []int    // by warp: its last event, -1 for none
}

// add adds an event behind the last ones of some warps.
func (h *history) add(warps ...int) int {
	n := len(h.before)
	set := make([]bool, n+1)
	for _, w := range warps {
		if l := h.last[w]; l >= 0 {
			set[l] = true
			for e, is := range h.before[l] {
				set[e] = set[e] || is
			}
		}
	}
	h.before = append(h.before, set)
	return n
}

// drawnAccess is one of a drawn thread block.
type drawnAccess struct {
	event, place  int
	write, atomic bool
}

// races reports whether two accesses, the first one earlier, race by the definition.
func (h *history) races(a, b *drawnAccess) bool {
	return a.place == b.place && (a.write || b.write) && !(a.atomic && b.atomic) && !h.before[b.event][a.event]
}

// The first race of each byte is found where the graph has it, and none where it has none. Loads, stores and atomics are those of
// warps that wait at barriers or only arrive there. An atomic behind a store did hide the store from the atomics
// of other warps, with which it races.
func TestRacesAreThoseOfTheGraph(t *testing.T) {
	const warps, places = 4, 3
	found, none := 0, 0
	for seed := range uint64(400) {
		draw := rand.New(rand.NewPCG(seed, 9))
		r := &RaceChecker{lockstep: true, shared: make([]checkedByte, places)}
		r.BeginBlock()
		h := &history{last: []int{-1, -1, -1, -1}}
		var done []drawnAccess
		var raced [places]bool
		atomics := draw.IntN(3)
		for range 30 {
			if draw.IntN(3) == 0 {
				var arrive []int
				release := uint32(0)
				for w := range warps {
					if draw.IntN(4) > 0 {
						r.Arrive(2, w, len(arrive) == 0)
						if arrive = append(arrive, w); draw.IntN(5) > 0 {
							release |= 1 << w
						}
					}
				}
				r.Release(2, release)
				met := h.add(arrive...)
				for _, w := range arrive {
					if release>>w&1 != 0 {
						h.last[w] = met
					}
				}
				continue
			}
			w := draw.IntN(warps)
			x := drawnAccess{event: h.add(w), place: draw.IntN(places), write: draw.IntN(2) == 0}
			if h.last[w] = x.event; draw.IntN(3) < atomics {
				x.write, x.atomic = true, true
			}
			want := false
			for i := range done {
				want = want || h.races(&done[i], &x)
			}
			done = append(done, x)
			if raced[x.place] {
				continue
			}
			raced[x.place] = want
			got := r.touch(&r.shared[x.place], &checkedAccess{warp: w, instruction: x.event, lanes: 1, clock: r.clocks[w][w], visit: uint32(x.event), write: x.write, atomic: x.atomic})
			if (got != nil) != want {
				t.Fatalf("seed %d: access %d of warp %d to byte %d races: %t, found: %t", seed, x.event, w, x.place, want, got != nil)
			}
			if want {
				found++
			} else {
				none++
			}
		}
	}
	if found < 300 || none < 1000 {
		t.Errorf("%d accesses race, and %d do not", found, none)
	}
}

// Lanes of one warp need no barrier where warps run in lockstep, by one instruction, or with a synchronisation of the warp between.
func TestLanesOfAWarpRaceWithoutASynchronisation(t *testing.T) {
	for _, c := range []struct {
		what     string
		lockstep bool
		second   checkedAccess
		want     bool
	}{
		{"another lane by another instruction", false, checkedAccess{instruction: 2, lanes: 2}, true},
		{"the same in lockstep", true, checkedAccess{instruction: 2, lanes: 2}, false},
		{"the same lane", false, checkedAccess{instruction: 2, lanes: 1}, false},
		{"another lane by the same instruction", false, checkedAccess{instruction: 1, lanes: 2}, false},
		{"that in another visit", false, checkedAccess{instruction: 1, lanes: 2, visit: 1}, true},
		{"behind a synchronisation of the warp", false, checkedAccess{instruction: 2, lanes: 2, epoch: 1}, false},
		{"behind a barrier", false, checkedAccess{instruction: 2, lanes: 2, clock: 2}, false},
	} {
		r := &RaceChecker{lockstep: c.lockstep}
		first := checkedAccess{instruction: 1, lanes: 1, clock: 1, write: true}
		c.second.write, c.second.clock = true, max(c.second.clock, 1)
		var b checkedByte
		if r.touch(&b, &first) != nil {
			t.Fatal("the first access of all races")
		}
		if got := r.touch(&b, &c.second); (got != nil) != c.want {
			t.Errorf("%s races: %t", c.what, got != nil)
		}
	}
}

// Warp 0 accesses a byte, and a barrier orders an atomic of warp 1 behind it. An atomic of warp 2, which waited at no barrier, races with
// that first access, though not with the atomic between. It was not told of.
func TestAnAtomicDoesNotHideWhatItComesBehind(t *testing.T) {
	for _, write := range []bool{false, true} {
		r := &RaceChecker{lockstep: true}
		r.BeginBlock()
		var b checkedByte
		access := func(warp int, write, atomic bool) bool {
			return r.touch(&b, &checkedAccess{warp: warp, instruction: warp, lanes: 1, clock: r.clocks[warp][warp], write: write, atomic: atomic}) != nil
		}
		if access(0, write, false) {
			t.Fatal("the first access of all races")
		}
		r.Arrive(1, 0, true)
		r.Arrive(1, 1, false)
		r.Release(1, 0b11)
		if access(1, true, true) {
			t.Errorf("an atomic behind a barrier races (store: %t)", write)
		}
		if !access(2, true, true) {
			t.Errorf("an atomic without a barrier does not race (store: %t)", write)
		}
	}
}

// Two lanes read a byte by one instruction. A store of one of them races with the load of the other, whichever lane
// came first.
func TestAStoreRacesWithTheOtherLanesOfALoad(t *testing.T) {
	for _, lanes := range [][]uint32{{1, 2}, {2, 1}, {4, 2, 1}} {
		r, b := &RaceChecker{}, checkedByte{}
		for _, lane := range lanes {
			if r.touch(&b, &checkedAccess{instruction: 1, lanes: lane, clock: 1}) != nil {
				t.Fatal("loads race")
			}
		}
		if len(b.reads) != 1 {
			t.Errorf("%d accesses are kept of one instruction", len(b.reads))
		}
		other := r.touch(&b, &checkedAccess{instruction: 2, lanes: 1, clock: 1, write: true})
		if other == nil || other.instruction != 1 || other.lanes&^1 == 0 {
			t.Errorf("lanes %v load, and the first stores: the race is with %+v", lanes, other)
		}
	}
}

// Accesses of other warps that a barrier has put in front, and earlier ones of the same warp, are not kept.
func TestAccessesThatAreOverAreForgotten(t *testing.T) {
	const warps = 4
	for _, write := range []bool{false, true} {
		r := &RaceChecker{lockstep: true}
		r.BeginBlock()
		var b checkedByte
		for round := range 50 {
			for w := range warps {
				if write && w > 0 {
					continue
				}
				if r.touch(&b, &checkedAccess{warp: w, instruction: round, lanes: 1, clock: r.clocks[w][w], visit: uint32(round), write: write}) != nil {
					t.Fatal("accesses that a barrier orders race")
				}
				if n := len(b.reads) + len(b.writes); n != w+1 {
					t.Fatalf("round %d: %d accesses are kept, of %d since the barrier", round, n, w+1)
				}
			}
			for w := range warps {
				r.Arrive(1, w, w == 0)
			}
			r.Release(1, 1<<warps-1)
		}
	}
}
