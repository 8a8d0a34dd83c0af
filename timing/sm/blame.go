// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/timing/warpset"
)

// Blame says to what an issue slot is charged that a scheduler with the given warp slots
// loses now. It is charged to the warp that is closest to issue (see waiting.Lists), at
// the instruction at which it waits.
func (s *SM) Blame(now clock.Cycle, own warpset.Set) core.Blame {
	w, c := s.blamed(now, own)
	if w < 0 {
		return core.NoWarp
	}
	return s.BlameWarp(w, c)
}

// BlameWarp charges a slot to warp w, for a cause.
func (s *SM) BlameWarp(w int, c counters.Cause) core.Blame {
	if s.warps[w].finished {
		return core.NoWarp
	}
	return core.Blame{Instruction: s.at(w), Cause: c}
}

// blamed gives the warp that Blame charges, -1 for none, and the cause.
func (s *SM) blamed(now clock.Cycle, own warpset.Set) (int, counters.Cause) {
	if w, k := s.waiting.ClosestReady(own); w >= 0 {
		return w, s.structural(now, w, k)
	}
	return s.waiting.Closest(own)
}

// structural is the cause why warp w, which lacks only a unit of kind k, waits.
func (s *SM) structural(now clock.Cycle, w int, k units.Kind) counters.Cause {
	if c := s.collectors; c != nil {
		return c.Cause(w, k)
	}
	switch {
	case k == units.LDST && (s.queue.Full() || s.units.Earliest(k, 0) > now):
		return counters.CauseLSU
	case s.units.Earliest(k, s.subCore(w)) > now:
		return counters.CauseUnit
	case s.units.CollectorAt() > now:
		return counters.CauseOperand
	}
	return counters.CauseUnit
}
