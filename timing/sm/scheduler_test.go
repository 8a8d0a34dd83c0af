// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/warpset"
)

func TestPoliciesPickAsTheirNaiveTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var ages Ages
	arrivals := uint64(0)
	arrive := func(w int) { arrivals++; ages[w] = arrivals }
	for w := range ages {
		arrive(w)
	}
	rr, greedy := &looseRoundRobin{last: warpset.Max - 1}, &greedyThenOldest{last: warpset.Max - 1}
	lastRR, lastGreedy, greedyAge := -1, -1, uint64(0)
	for range 50000 {
		var candidates warpset.Set
		for w := range warpset.Max {
			if r.IntN(8) == 0 {
				candidates = candidates.With(w)
			}
		}
		if candidates.Empty() {
			continue
		}
		want := lastRR
		for {
			if want = (want + 1) % warpset.Max; candidates.Has(want) {
				break
			}
		}
		if got := rr.Pick(candidates, &ages); got != want {
			t.Fatalf("lrr after %d of %v: %d, want %d", lastRR, candidates, got, want)
		}
		lastRR = want

		want = lastGreedy
		if want < 0 || !candidates.Has(want) || ages[want] != greedyAge {
			want = -1
			for w := range ages {
				if candidates.Has(w) && (want < 0 || ages[w] < ages[want]) {
					want = w
				}
			}
		}
		if got := greedy.Pick(candidates, &ages); got != want {
			t.Fatalf("gto after %d of %v: %d, want %d", lastGreedy, candidates, got, want)
		}
		lastGreedy, greedyAge = want, ages[want]
		if r.IntN(4) == 0 {
			arrive(r.IntN(warpset.Max)) // another warp takes the slot
		}
	}
}
