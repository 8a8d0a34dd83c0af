// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLanesChooseTheNextWarpSetOfTheirCircle: each lane for itself, from the warp set behind where it stands, which comes
// last. Choices come in the order of their lowest lanes.
func TestLanesChooseTheNextWarpSetOfTheirCircle(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 1))
	var c circle
	c.begin()
	var stands [Lanes]int
	for l := range stands {
		stands[l] = maxWarps - 1
	}
	var to choice
	for round := range 1500 {
		var rows [maxWarps]uint32
		sets, few := uint64(0), 1+r.IntN(6)
		for range r.IntN(few) + 1 {
			w := r.IntN(maxWarps)
			if rows[w] = r.Uint32() & r.Uint32(); rows[w] != 0 {
				sets |= 1 << w
			}
		}
		among := r.Uint32() | 1<<r.IntN(Lanes)
		var want [maxWarps]uint32
		all := uint32(0)
		for l := range Lanes {
			for step := 1; step <= maxWarps && among>>l&1 == 1; step++ {
				if w := (stands[l] + step) % maxWarps; rows[w]>>l&1 == 1 {
					want[w] |= 1 << l
					all |= 1 << l
					break
				}
			}
		}
		to.clear()
		if chosen := c.choose(&rows, sets, among, &to); chosen != all || to.lanes != want {
			t.Fatalf("round %d: lanes %08x choose %x, want %08x and %x", round, chosen, to.lanes, all, want)
		}
		to.order()
		if len(to.sets) != bits.OnesCount64(present(&want)) || !slices.IsSortedFunc(to.sets, func(a, b int) int { return lowest(want[a]) - lowest(want[b]) }) {
			t.Fatalf("round %d: warp sets %v of lanes %x", round, to.sets, want)
		}
		moves := all & r.Uint32() // some of them issue, and stand there
		c.leave(moves)
		for _, w := range to.sets {
			c.put(w, want[w]&moves)
			for rest := want[w] & moves; rest != 0; rest &= rest - 1 {
				stands[lowest(rest)] = w
			}
		}
	}
}

// present has a bit for each warp set with lanes.
func present(lanes *[maxWarps]uint32) (sets uint64) {
	for w, of := range lanes {
		if of != 0 {
			sets |= 1 << w
		}
	}
	return sets
}

// TestTheNextOfACircleIsBehindTheLast: the last one comes at the end.
func TestTheNextOfACircleIsBehindTheLast(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 2))
	for range 500 {
		set, last := r.Uint64()&r.Uint64()&r.Uint64()|1<<r.IntN(64), r.IntN(64)
		want := (last + 1) % 64
		for set>>want&1 == 0 {
			want = (want + 1) % 64
		}
		if got := after(set, last); got != want {
			t.Fatalf("behind %d of %b comes %d, want %d", last, set, got, want)
		}
	}
}
