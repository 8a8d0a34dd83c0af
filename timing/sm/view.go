// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/timing/sm/waiting"
	"github.com/warptape/warptape/timing/warpset"
)

// What every front end may read of an SM, in addition to Candidates and NextCandidate.

// Settled reports, once, whether no warp has changed since the last call and none
// lacks only a unit.
func (s *SM) Settled() bool { return s.waiting.Settled(false) }

// AwaitUnits are the slots of warps whose next instruction waits for the result of a
// unit, not of a memory access.
func (s *SM) AwaitUnits() warpset.Set { return s.waiting.On(waiting.Unit) }

// AwaitBarriers are the slots of warps that wait at barriers, or are stopped.
func (s *SM) AwaitBarriers() warpset.Set { return s.waiting.On(waiting.Barrier) }

// NextUnit is the next cycle after now in which a unit or an operand collector is
// free that some warp lacks; clock.Never when none will be by itself.
func (s *SM) NextUnit(now clock.Cycle) clock.Cycle {
	next := clock.Never
	if s.collectors != nil {
		return next
	}
	for k := units.SP; k < units.Control; k++ {
		if s.waiting.On(waiting.For(k)).Empty() {
			continue
		}
		if at := s.units.CollectorAt(); at > now {
			next = min(next, at)
		}
		at, _ := s.nextFree(now, k)
		next = min(next, at)
	}
	return next
}

// UnitIdle reports whether a unit of kind k starts nothing in the given cycle, for
// which everything that issues has issued.
func (s *SM) UnitIdle(k units.Kind, cycle clock.Cycle) bool {
	return s.units.Idle(k, cycle, s.collectors != nil)
}

// Next is the instruction that warp w issues next; false when there is none.
func (s *SM) Next(w int) (instruction uint32, ok bool) {
	p := &s.warps[w]
	return p.index, !p.finished && s.residents.Present().Has(w)
}

// Lanes are the lanes of the visit in which warp w is.
func (s *SM) Lanes(w int) uint32 { return s.warps[w].mask }

// Program is what the SM executes.
func (s *SM) Program() *Program { return s.program }

// At is the instruction at which warp w is, or at which it is held; false when
// it has issued its last.
func (s *SM) At(w int) (instruction uint32, ok bool) { return s.at(w), !s.warps[w].finished }
