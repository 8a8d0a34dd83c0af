// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/timing/warpset"
)

// FrontEnd is the baseline front end of one SM: every cycle it fetches for one
// warp, round-robin, and each scheduler issues from one of its warps. Warp slot w
// belongs to scheduler w modulo the number of schedulers.
type FrontEnd struct {
	sm          *SM
	slots       *core.Slots
	schedulers  []Scheduler
	width       int  // instructions per scheduler and cycle
	differ      bool // dual issue only to different kinds of unit
	lastFetched int
	// lasting says that no scheduler has a state that a stalled cycle changes, and
	// that collectors, not time, keep warps that are ready from issuing. blocked
	// says that they kept all of them when issue was tried last.
	lasting, blocked bool
}

// NewFrontEnd builds the front end that the machine of s describes.
func NewFrontEnd(s *SM) (*FrontEnd, error) {
	m := &s.machine.SM
	schedulers, err := NewSchedulers(m)
	if err != nil {
		return nil, err
	}
	f := &FrontEnd{
		sm: s, slots: &s.slots, schedulers: schedulers, width: max(m.IssuePerScheduler, 1),
		differ: m.DualIssueDifferentUnits, lastFetched: warpset.Max - 1,
	}
	f.lasting = s.collectors != nil && m.WarpSwitch == ""
	for i := range schedulers {
		f.lasting = f.lasting && schedulers[i].limiter == nil
	}
	return f, nil
}

// Begin implements seam.FrontEnd.
func (f *FrontEnd) Begin(now clock.Cycle) {
	f.blocked = false
	f.slots.Begin(now, len(f.schedulers), f.width)
}

// Cycle implements seam.FrontEnd.
func (f *FrontEnd) Cycle(now clock.Cycle) clock.Cycle {
	s := f.sm
	s.Advance(now)
	moved := s.moved()
	if s.waiting.Settled(f.blocked && !moved) && s.fetch.Wanted().Empty() {
		return max(s.NextEvent(now), now+1) // charged with the cycles before
	}
	f.slots.Awake(now)
	f.lastFetched = s.FetchNext(now, f.lastFetched)
	if f.issue(now) || !s.WantsFetch().Empty() {
		return now + 1
	}
	return max(min(s.NextEvent(now), s.NextCandidate(now)), now+1)
}

// first narrows a set to those of its members that go before the others, if any.
func first(set, before warpset.Set) warpset.Set {
	if urgent := set.And(before); !urgent.Empty() {
		return urgent
	}
	return set
}

// issue lets every scheduler issue; true when any could, or might in the next
// cycle. The scheduler that comes first, and so gets a contended unit, changes
// from cycle to cycle.
func (f *FrontEnd) issue(now clock.Cycle) bool {
	candidates := f.sm.Candidates(now)
	busy := !candidates.Empty()
	f.blocked = f.lasting && !busy
	k := f.turn(now)
	for left := len(f.schedulers); left > 0; left-- {
		own := f.schedulers[k].Admit(f.sm, candidates)
		if ready := candidates.And(own); !ready.Empty() {
			f.issueFrom(now, k, first(ready, f.sm.issuing))
			if left > 1 {
				candidates = f.sm.Candidates(now)
			}
		} else {
			if own.Empty() { // none may issue: all of them wait for something
				own = f.schedulers[k].own
			}
			f.slots.Stall(now, k, 0, f.width, f.sm.Blame(now, own))
		}
		if k++; k == len(f.schedulers) {
			k = 0
		}
	}
	return busy
}

// turn is the cycle's number modulo that of schedulers, which is a power of two on most
// machines: a division takes as long as all the rest of issue.
func (f *FrontEnd) turn(now clock.Cycle) int {
	n := len(f.schedulers)
	if n&(n-1) == 0 {
		return int(now) & (n - 1)
	}
	return int(uint64(now) % uint64(n))
}

// issueFrom issues for scheduler k from one of its candidates.
func (f *FrontEnd) issueFrom(now clock.Cycle, k int, own warpset.Set) {
	s, sc := f.sm, &f.schedulers[k]
	w := sc.Pick(s, own)
	issued := 0
	var used uint8 // kinds of unit, a bit each
	for {
		index := s.warps[w].index
		if f.differ && again(&used, s.program.code[index].unit) || !s.Issue(now, w) {
			f.slots.Lose(now, k, issued, f.width-issued, core.Blame{Instruction: index, Cause: counters.CauseUnit})
			return
		}
		f.slots.Use(now, k, issued, index)
		issued++
		sc.Issued(s, w, index)
		if issued == f.width {
			return
		}
		if !s.Candidates(now).Has(w) {
			f.slots.Lose(now, k, issued, f.width-issued, s.Blame(now, warpset.Of(w)))
			return
		}
	}
}

// again reports whether a kind of unit is among those used; it is from now on.
func again(used *uint8, k units.Kind) bool {
	before := *used
	*used |= 1 << k
	return *used == before
}

// Settle implements seam.FrontEnd.
func (f *FrontEnd) Settle(now clock.Cycle) { f.slots.Settle(now) }
