package sm

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/timing/warpset"
)

// Blame gives the counter of the issue slots that a scheduler with the given
// warp slots loses now. The slot is charged to the warp that is closest to issue
// (see waiting.Lists) and the instruction at which it waits.
func (s *SM) Blame(now clock.Cycle, own uint64) *uint64 {
	w, c := s.Blamed(now, own)
	if w < 0 {
		return &s.idle
	}
	return s.slotsOf(w, c)
}

// Blamed gives the warp that Blame charges, -1 for none, and the cause.
func (s *SM) Blamed(now clock.Cycle, own uint64) (int, counters.Cause) {
	if w, k := s.waiting.ClosestReady(warpset.Set(own)); w >= 0 {
		return w, s.structural(now, k)
	}
	return s.waiting.Closest(warpset.Set(own))
}

// structural is the cause why a warp that lacks only a unit of kind k waits.
func (s *SM) structural(now clock.Cycle, k units.Kind) counters.Cause {
	if c := s.collectors; c != nil {
		return c.Cause(k)
	}
	switch {
	case k == units.LDST && (s.queue.Full() || s.units.Earliest(k) > now):
		return counters.CauseLSU
	case s.units.Earliest(k) > now:
		return counters.CauseUnit
	case s.units.CollectorAt() > now:
		return counters.CauseOperand
	}
	return counters.CauseUnit
}

// slotsOf is the counter of the issue slots lost for a cause at the instruction
// at which warp w is.
func (s *SM) slotsOf(w int, c counters.Cause) *uint64 {
	p := &s.warps[w]
	if p.finished {
		return &s.idle
	}
	return s.Slots(s.at(w), c)
}

// At is the instruction at which warp w is, or at which it is held; false when
// it has issued its last.
func (s *SM) At(w int) (instruction uint32, ok bool) { return s.at(w), !s.warps[w].finished }

// Slots is the counter of the issue slots lost for a cause at an instruction,
// Idle that of those for which there is no warp.
func (s *SM) Slots(instruction uint32, c counters.Cause) *uint64 {
	return &s.profile[int(instruction)*counters.CauseCount+int(c)]
}

// Idle is the counter of the issue slots without a warp.
func (s *SM) Idle() *uint64 { return &s.idle }
