// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/warptape/warptape/timing/arch"
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
	rr, greedy := &looseRoundRobin{last: warpset.Max - 1}, new(greedyThenOldest)
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

// Every policy begins with the warp in the lowest slot, which is here the oldest too. Of the same two warps
// it then takes the other, if it takes turns, or the same again.
func TestPoliciesBeginWithTheFirstWarp(t *testing.T) {
	turns := map[string]bool{"lrr": true, "two-level": true, "srr": true, "gto": false, "oldest": false, "warp-limit": false}
	for _, first := range []int{0, 70} {
		var ages Ages
		for w := range ages {
			ages[w] = uint64(w) + 1
		}
		two := warpset.Of(first).With(100)
		for name, turn := range turns {
			policy, err := Policies.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			p, then := policy(&arch.SM{SchedulerWarps: 4}), first
			if turn {
				then = 100
			}
			if one, other := p.Pick(two, &ages), p.Pick(two, &ages); one != first || other != then {
				t.Errorf("%s: slots %d and then %d, want %d and %d", name, one, other, first, then)
			}
		}
	}
}

// The oldest warp goes first even where another has just issued.
func TestOldestLeavesAWarpForAnOlderOne(t *testing.T) {
	policy, err := Policies.Lookup("oldest")
	if err != nil {
		t.Fatal(err)
	}
	p, ages := policy(&arch.SM{}), Ages{9, 7, 8}
	for _, c := range []struct {
		candidates warpset.Set
		want       int
	}{{warpset.Of(0).With(2), 2}, {warpset.First(3), 1}, {warpset.Of(2).With(0), 2}} {
		if got := p.Pick(c.candidates, &ages); got != c.want {
			t.Errorf("of %v it takes slot %d, want %d", c.candidates, got, c.want)
		}
	}
}

// Warp slots are dealt to the schedulers in turn until others are given.
func TestSchedulersHaveTheirWarpSlots(t *testing.T) {
	list, err := NewSchedulers(&arch.SM{Scheduler: "lrr", Schedulers: 3})
	if err != nil || len(list) != 3 {
		t.Fatalf("%d schedulers, %v", len(list), err)
	}
	for i := range list {
		for w := range warpset.Max {
			if list[i].Own().Has(w) != (w%3 == i) {
				t.Errorf("slot %d is scheduler %d's: %t", w, i, list[i].Own().Has(w))
			}
		}
	}
	given := warpset.Of(5).With(99)
	if list[1].Give(given); list[1].Own() != given || list[1].Admit(nil, given) != given || list[0].Own().Has(5) {
		t.Errorf("given %v, one has %v and admits %v, another has %v", given, list[1].Own(), list[1].Admit(nil, given), list[0].Own())
	}
}

// An architecture file can name each policy.
func TestAnArchitectureCanNameEachPolicy(t *testing.T) {
	needs := map[string]string{"srr": "  warp_switch: mem\n", "two-level": "  scheduler_warps: 6\n", "warp-limit": "  scheduler_warps: 6\n"}
	for _, name := range Policies.Names() {
		file := filepath.Join(t.TempDir(), "machine.yaml")
		if err := os.WriteFile(file, []byte("base: gtx480\nname: own\nsm:\n  scheduler: "+name+"\n"+needs[name]), 0o600); err != nil {
			t.Fatal(err)
		}
		if m, err := arch.Load(file); err != nil || m.SM.Scheduler != name {
			t.Errorf("sm.scheduler: %s: %v", name, err)
		}
	}
}
