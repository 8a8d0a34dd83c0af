package eesi

import "github.com/warptape/warptape/timing/clock"

// frontEnd drives one core; it implements seam.FrontEnd.
type frontEnd struct{ s *laneCore }

// Begin implements seam.FrontEnd. Each lane has one issue slot a cycle.
func (f frontEnd) Begin(now clock.Cycle) { f.s.slots.Begin(now, Lanes, 1) }

// Settle implements seam.FrontEnd.
func (f frontEnd) Settle(now clock.Cycle) { f.s.slots.Settle(now) }

// Cycle implements seam.FrontEnd.
func (f frontEnd) Cycle(now clock.Cycle) clock.Cycle {
	s := f.s
	s.AdvancePort(now)
	s.decoded(now)
	for s.events.Due() <= now {
		if e, ok := s.events.Take(now); ok {
			s.happen(now, e)
		}
	}
	s.drain(now)
	s.slots.Awake(now)
	s.serve(now)
	more := s.fetch(now)
	issued, wake := s.issueLanes(now)
	if issued || more || len(s.requests.waiting) > 0 {
		return now + 1
	}
	for l := range s.lanes {
		wake = min(wake, s.lanes[l].fetch.Due())
	}
	for i := range s.queue {
		if at := s.queue[i].at; at > now {
			wake = min(wake, at)
			break
		}
	}
	return max(min(wake, s.events.Due(), s.portWake), now+1)
}
