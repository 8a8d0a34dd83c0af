package sm

import (
	"github.com/warptape/warptape/timing/warpset"
	"math/rand/v2"
	"testing"
)

func TestPoliciesPickAsTheirNaiveTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var ages [warpset.Max]uint64
	arrivals := uint64(0)
	arrive := func(w int) { arrivals++; ages[w] = arrivals }
	for w := range ages {
		arrive(w)
	}
	rr, greedy := &looseRoundRobin{last: warpset.Max - 1}, &greedyThenOldest{last: warpset.Max - 1}
	lastRR, lastGreedy, greedyAge := -1, -1, uint64(0)
	for range 50000 {
		candidates := r.Uint64() & r.Uint64() & r.Uint64()
		if candidates == 0 {
			continue
		}
		want := lastRR
		for {
			if want = (want + 1) % warpset.Max; candidates>>want&1 != 0 {
				break
			}
		}
		if got := rr.Pick(candidates, &ages); got != want {
			t.Fatalf("lrr after %d of %b: %d, want %d", lastRR, candidates, got, want)
		}
		lastRR = want

		want = lastGreedy
		if want < 0 || candidates>>want&1 == 0 || ages[want] != greedyAge {
			want = -1
			for w := range ages {
				if candidates>>w&1 != 0 && (want < 0 || ages[w] < ages[want]) {
					want = w
				}
			}
		}
		if got := greedy.Pick(candidates, &ages); got != want {
			t.Fatalf("gto after %d of %b: %d, want %d", lastGreedy, candidates, got, want)
		}
		lastGreedy, greedyAge = want, ages[want]
		if r.IntN(4) == 0 {
			arrive(r.IntN(warpset.Max)) // another warp takes the slot
		}
	}
}
