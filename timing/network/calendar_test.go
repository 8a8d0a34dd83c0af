// SPDX-License-Identifier: Apache-2.0

package network

import (
	"math/rand/v2"
	"testing"
)

// A calendar against a list of arrivals; the distances grow beyond what it was made
// for, so that it has to grow with arrivals in it.
func TestCalendarGivesEveryArrivalInItsCycle(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for _, outputs := range []int{1, 64, 100} {
		c := newCalendar(outputs, 8)
		want := map[int64]map[int]bool{}
		pending := 0
		for now := int64(0); now < 4000; now++ {
			if c.due < now {
				t.Fatalf("%d outputs, cycle %d: due in cycle %d", outputs, now, c.due)
			}
			if c.due == now {
				set := newBitset(outputs)
				for w := range set {
					set[w] = c.take(w)
				}
				for o := range outputs {
					if set.has(o) != want[now][o] {
						t.Fatalf("%d outputs, cycle %d: arrival at output %d is %v, want %v", outputs, now, o, set.has(o), want[now][o])
					}
				}
				pending -= len(want[now])
				delete(want, now)
				c.done()
			} else if len(want[now]) > 0 {
				t.Fatalf("%d outputs, cycle %d: %d arrivals, and due in cycle %d", outputs, now, len(want[now]), c.due)
			}
			if random.IntN(3) == 0 {
				at, o := now+1+random.Int64N(20+now/4), random.IntN(outputs)
				if c.beyond(now, at) {
					c.grow(now, at)
				}
				c.add(at, o)
				if want[at] == nil {
					want[at] = map[int]bool{}
				}
				if !want[at][o] {
					pending++
				}
				want[at][o] = true
			}
		}
		if (c.due == Never) != (pending == 0) {
			t.Errorf("%d outputs: due in cycle %d with %d arrivals to come", outputs, c.due, pending)
		}
	}
}
