// SPDX-License-Identifier: Apache-2.0

package cae

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/timing/warpset"
)

// slotsPerCycle of a scheduler: an affine instruction takes one, another both.
const slotsPerCycle = 2

// frontEnd is the front end of an SM with affine units; it implements
// seam.FrontEnd. It fetches and issues as the baseline's, twice in a core cycle.
type frontEnd struct {
	sm          *sm.SM
	beside      sm.SideUnits
	slots       *core.Slots
	schedulers  []scheduler
	units       int // affine
	fetches     int // in a cycle
	read        clock.Cycle
	tracker     *tracker
	lastFetched int
	// active says that in the last cycle that was not slept through a scheduler was
	// busy, issued or might have: it has to be asked what it now waits for.
	active bool
}

// scheduler is a warp scheduler with what it does beyond the present slot.
type scheduler struct {
	sm.Scheduler
	busyUntil int64 // the slot, counted from the launch's first cycle on, in which it is free
	// heldBy is the instruction for which it is busy.
	heldBy uint32
}

func newFrontEnd(s *Section, m *arch.SM, on *sm.SM) (*frontEnd, error) {
	list, err := sm.NewSchedulers(m)
	if err != nil {
		return nil, err
	}
	f := &frontEnd{
		sm: on, beside: on.SideUnits(), slots: on.Slots(), units: s.Units, fetches: s.FetchesPerCycle, read: clock.Cycle(s.ReadCycles), lastFetched: warpset.Max - 1,
		tracker: newTracker(s, m.MaxWarps, on.Counters()),
	}
	for i := range list {
		f.schedulers = append(f.schedulers, scheduler{Scheduler: list[i]})
	}
	return f, nil
}

// slotsPerCycle are the issue slots of an SM in a core cycle.
func (f *frontEnd) slotsPerCycle() int { return slotsPerCycle * len(f.schedulers) }

// Begin implements seam.FrontEnd.
func (f *frontEnd) Begin(now clock.Cycle) {
	f.slots.Begin(now, len(f.schedulers), slotsPerCycle)
	f.active = false
	f.tracker.begin()
	for i := range f.schedulers {
		f.schedulers[i].busyUntil = 0
	}
}

// Cycle implements seam.FrontEnd.
func (f *frontEnd) Cycle(now clock.Cycle) clock.Cycle {
	s := f.sm
	s.Advance(now)
	if s.Settled() && s.WantsFetch().Empty() && !f.active {
		return max(s.NextEvent(now), now+1) // charged with the cycles before
	}
	f.slots.Awake(now)
	for range f.fetches {
		f.lastFetched = s.FetchNext(now, f.lastFetched)
	}
	f.active = false
	for slot := range int64(slotsPerCycle) {
		f.active = f.issue(now, slot) || f.active
	}
	if f.active || !s.WantsFetch().Empty() {
		return now + 1
	}
	return max(min(s.NextEvent(now), s.NextCandidate(now)), now+1)
}

// ready are the warps that can issue now: to units that are free, and, while one is
// left, to affine units.
func (f *frontEnd) ready(now clock.Cycle, left int) warpset.Set {
	t := f.tracker
	unblocked := f.beside.Unblocked()
	for rest := unblocked.AndNot(t.decided); !rest.Empty(); rest = rest.Rest() {
		t.decide(f.beside, rest.Lowest())
	}
	set := f.sm.Candidates(now).AndNot(t.eligible)
	if left > 0 {
		set = set.Or(unblocked.And(t.eligible))
	}
	return set
}

// issue lets every scheduler that is free issue in a slot of a cycle; true when any
// could, or might in the next cycle. Which comes first changes from cycle to cycle.
func (f *frontEnd) issue(now clock.Cycle, slot int64) (active bool) {
	at := slotsPerCycle*int64(now) + slot
	left := f.units
	n := len(f.schedulers)
	i := int(uint64(now) % uint64(n))
	for range n {
		k := i
		sc := &f.schedulers[k]
		if i++; i == n {
			i = 0
		}
		if sc.busyUntil > at {
			f.slots.Lose(now, k, int(slot), 1, core.Blame{Instruction: sc.heldBy, Cause: counters.CauseUnit})
			active = true
			continue
		}
		ready := f.ready(now, left)
		active = active || !ready.Empty()
		own := sc.Admit(f.sm, ready)
		if !ready.Meets(own) {
			if own.Empty() { // none may issue: all of them wait for something
				own = sc.Own()
			}
			f.slots.Stall(now, k, int(slot), 1, f.sm.Blame(now, own))
			continue
		}
		if w := sc.Pick(f.sm, ready.And(own)); f.tracker.eligible.Has(w) {
			left--
			f.issueToAffineUnit(now, k, w, at)
		} else {
			f.issueToLanes(now, k, w, at)
		}
	}
	return active
}

// issueToAffineUnit issues for scheduler k to an affine unit.
func (f *frontEnd) issueToAffineUnit(now clock.Cycle, k, w int, at int64) {
	sc := &f.schedulers[k]
	instruction, _ := f.sm.At(w)
	f.tracker.toAffineUnit(w)
	f.beside.IssueToSideUnit(now, w, f.read)
	f.slots.Use(now, k, int(at%slotsPerCycle), instruction)
	sc.busyUntil = at + 1
	sc.Issued(f.sm, w, instruction)
}

// issueToLanes issues for scheduler k to 16 lanes, after what they have to expand.
func (f *frontEnd) issueToLanes(now clock.Cycle, k, w int, at int64) {
	sc := &f.schedulers[k]
	instruction, _ := f.sm.At(w)
	if !f.sm.Issue(now, w) {
		f.slots.Lose(now, k, int(at%slotsPerCycle), 1, core.Blame{Instruction: instruction, Cause: counters.CauseUnit})
		return
	}
	f.slots.Use(now, k, int(at%slotsPerCycle), instruction)
	sc.busyUntil = at + slotsPerCycle*int64(1+f.tracker.onLanes(w))
	sc.heldBy = instruction
	sc.Issued(f.sm, w, instruction)
}

// Settle implements seam.FrontEnd.
func (f *frontEnd) Settle(now clock.Cycle) { f.slots.Settle(now) }
