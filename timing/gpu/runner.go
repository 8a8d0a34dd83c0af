// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
)

// runner is one SM that runs apart.
type runner struct {
	now   clock.Cycle // the SM's clock
	until clock.Cycle // it has run all cycles before
	wake  clock.Cycle // the next cycle in which it is called, but for answers
	ended []ending    // in order of cycle: it stops behind a cycle that has one
	calls int         // in the last round
	_     [64]byte    // each has a cache line of its own
}

// ending is a thread block that has ended in a cycle to which the machine has yet to come.
type ending struct {
	cycle clock.Cycle
	block uint64
	chunk int
}

// run lets SM i run as far as the round goes. The SM stops before a cycle for which it
// does not know what the network does to it. It also stops behind the first cycle in
// which a thread block ends.
func (t *team) run(i int) {
	r := &t.runners[i]
	if len(r.ended) > 0 || r.until >= t.bound {
		return
	}
	s := t.memory.Look(i)
	for r.until < t.bound && len(r.ended) == 0 {
		from := r.until
		if s.Refused && from >= t.known {
			break
		}
		next := max(min(r.wake, s.Answer), from)
		if s.Refused {
			next = min(next, from+1)
		}
		if next >= t.bound {
			r.until = t.bound
			break
		}
		if s.Room <= 0 && next >= t.known {
			r.until = next
			break
		}
		if s.Refused && next > from {
			r.until = next
			continue
		}
		t.call(i, next, s)
	}
	r.now = r.until
}

// call calls SM i in a cycle.
func (t *team) call(i int, now clock.Cycle, s *seam.Sight) {
	g, r := t.gpu, &t.runners[i]
	r.now = now
	if s.Answer <= now {
		t.memory.Wake(i)
	}
	r.calls++
	r.wake = clock.Never
	next := g.drivers[i].Cycle(now)
	r.wake = next
	r.until = now + 1
}

// keeps takes note of a thread block that ends on an SM that runs apart.
func (t *team) keeps(now clock.Cycle, sm int, block uint64, chunk int) bool {
	if t == nil || !t.on {
		return false
	}
	r := &t.runners[sm]
	r.ended = append(r.ended, ending{now, block, chunk})
	return true
}

// isAhead reports whether SM i has run the cycle now already.
func (t *team) isAhead(i int, now clock.Cycle) bool {
	return t != nil && t.on && t.runners[i].until > now
}
