// SPDX-License-Identifier: Apache-2.0

package eesi

import "github.com/warptape/warptape/timing/clock"

// frontEnd drives one core; it implements seam.FrontEnd.
type frontEnd struct{ s *laneCore }

// Begin implements seam.FrontEnd.
func (f frontEnd) Begin(now clock.Cycle) {
	f.s.slots.Begin(now, f.s.issuers())
	f.s.doubt = ^uint32(0)
}

// issuers are the lanes, or under sbi the contexts of a warp, which have an issue slot a
// cycle each.
func (s *laneCore) issuers() int {
	if s.paired {
		return contexts
	}
	return Lanes
}

// Settle implements seam.FrontEnd.
func (f frontEnd) Settle(now clock.Cycle) { f.s.slots.Settle(now) }

// Cycle implements seam.FrontEnd.
func (f frontEnd) Cycle(now clock.Cycle) clock.Cycle {
	s := f.s
	s.AdvancePort(now)
	s.decodedBy(now)
	for s.events.Due() <= now {
		if e, ok := s.events.Take(now); ok {
			s.happen(now, e)
		}
	}
	s.drain(now)
	s.serve(now)
	more := s.fetch(now)
	issued, wake := s.issueLanes(now)
	if issued || more || len(s.requests.waiting) > 0 {
		return now + 1
	}
	wake = min(wake, s.fetching.due)
	for i := range s.queue {
		if at := s.queue[i].at; at > now {
			wake = min(wake, at)
			break
		}
	}
	return max(min(wake, s.events.Due(), s.portWake), now+1)
}
