package sm

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
)

// Blame gives the counter of the issue slots that a scheduler with the given
// warp slots loses now. The slot is charged to the warp that is closest to issue
// (see blameOrder) and the instruction at which it waits.
func (s *SM) Blame(now clock.Cycle, own uint64) *uint64 {
	w, c := s.Blamed(now, own)
	if w < 0 {
		return &s.idle
	}
	return s.slotsOf(w, c)
}

// Blamed gives the warp that Blame charges, -1 for none, and the cause.
func (s *SM) Blamed(now clock.Cycle, own uint64) (int, counters.Cause) {
	l := &s.lists.members
	if s.lists.ready()&own != 0 {
		for u := UnitSP; u < unitCount; u++ {
			if waiting := l[listReady+list(u)] & own; waiting != 0 {
				return lowest(waiting), s.structural(now, u)
			}
		}
	}
	for i := range blameOrder {
		if waiting := l[blameOrder[i].list] & own; waiting != 0 {
			return lowest(waiting), blameOrder[i].cause
		}
	}
	return -1, counters.CauseIdle
}

// structural is the cause why a warp that lacks only a unit of kind u waits.
func (s *SM) structural(now clock.Cycle, u Unit) counters.Cause {
	if c := s.collectors; c != nil {
		return c.cause(u)
	}
	switch {
	case u == UnitLDST && (s.queue.full() || s.units.earliest[u] > now):
		return counters.CauseLSU
	case s.units.earliest[u] > now:
		return counters.CauseUnit
	case s.units.collectorAt > now:
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
