// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/warpset"
)

// crowd is the state of a scheduler's warps in a test.
type crowd struct {
	present, memory, held warpset.Set
	ages                  Ages
	arrivals              uint64
}

func (c *crowd) arrive(w int) {
	c.arrivals++
	c.ages[w] = c.arrivals
	c.present = c.present.With(w)
}

func flipped(s warpset.Set, w int) warpset.Set {
	if s.Has(w) {
		return s.Without(w)
	}
	return s.With(w)
}

// change lets warps come, go, wait and go on.
func (c *crowd) change(r *rand.Rand) {
	for range 1 + r.IntN(4) {
		w := r.IntN(warpset.Max)
		switch r.IntN(4) {
		case 0:
			c.arrive(w)
		case 1:
			c.present = c.present.Without(w)
		case 2:
			c.memory = flipped(c.memory, w)
		case 3:
			c.held = flipped(c.held, w)
		}
	}
}

// byAge lists a set, the oldest first.
func (c *crowd) byAge(set warpset.Set) []int {
	var list []int
	for w := range c.ages {
		if set.Has(w) {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b int) int { return int(c.ages[a]) - int(c.ages[b]) })
	return list
}

func TestWarpLimitAdmitsTheOldestThatAreNotHeld(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var c crowd
	p := newWarpLimit(5)
	for range 20000 {
		c.change(r)
		able := c.byAge(c.present.AndNot(c.held))
		var want warpset.Set
		for _, w := range able[:min(5, len(able))] {
			want = want.With(w)
		}
		if got := p.Admit(c.present, c.memory, c.held, &c.ages); got != want {
			t.Fatalf("admitted %v, want %v", got, want)
		}
	}
}

func TestTwoLevelKeepsAFullSetOfWarpsThatDoNotWait(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var c crowd
	p := newTwoLevel(5)
	active := map[int]uint64{} // slot: age
	for range 20000 {
		c.change(r)
		able := c.present.AndNot(c.memory.Or(c.held))
		for w, age := range active {
			if !able.Has(w) || c.ages[w] != age {
				delete(active, w)
			}
		}
		for _, w := range c.byAge(able) {
			if _, in := active[w]; !in && len(active) < 5 {
				active[w] = c.ages[w]
			}
		}
		got := p.Admit(c.present, c.memory, c.held, &c.ages)
		if again := p.Admit(c.present, c.memory, c.held, &c.ages); again != got {
			t.Fatalf("asked again with nothing changed: %v, then %v", got, again)
		}
		if got.Count() != len(active) {
			t.Fatalf("%d active warps, want %d", got.Count(), len(active))
		}
		for w := range active {
			if !got.Has(w) {
				t.Fatalf("warp slot %d is not active", w)
			}
		}
	}
}

// Strict round robin admits the warp behind the one that issued last, whatever it waits for in memory, and passes those that are held.
func TestStrictRoundRobinAdmitsTheNextThatIsNotHeld(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	var c crowd
	p, last := &strictRoundRobin{looseRoundRobin{last: warpset.Max - 1}}, warpset.Max-1
	for range 20000 {
		c.change(r)
		able, want := c.present.AndNot(c.held), warpset.Set{}
		for i := 1; i <= warpset.Max; i++ {
			if w := (last + i) % warpset.Max; able.Has(w) {
				want = warpset.Of(w)
				break
			}
		}
		got := p.Admit(c.present, c.memory, c.held, &c.ages)
		if got != want {
			t.Fatalf("admitted %v, want %v", got, want)
		}
		if !got.Empty() && r.IntN(2) == 0 {
			last = p.Pick(got, &c.ages)
		}
	}
}

// BenchmarkLimiters isolates what a limiting policy adds to a scheduler's cycle, with 24
// warps; one in four waits for memory.
func BenchmarkLimiters(b *testing.B) {
	var c crowd
	for w := range 24 {
		c.arrive(2 * w)
		if w%4 == 0 {
			c.memory = c.memory.With(2 * w)
		}
	}
	for name, l := range map[string]Limiter{"two-level": newTwoLevel(6), "warp-limit": newWarpLimit(8)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				l.Admit(c.present, c.memory, c.held, &c.ages)
			}
		})
	}
}
