package cae

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm"
)

// slotsPerCycle of a scheduler: an affine instruction takes one, another both.
const slotsPerCycle = 2

// frontEnd is the front end of an SM with affine units; it implements
// seam.FrontEnd. It fetches and issues as the baseline's, twice in a core cycle.
type frontEnd struct {
	sm          *sm.SM
	schedulers  []scheduler
	units       int // affine
	fetches     int // in a cycle
	read        clock.Cycle
	tracker     *tracker
	lastFetched int
	counted     clock.Cycle // issue slots of the cycles before are counted
	charged     clock.Cycle // issue slots of the cycles before are charged
	// active says that in the last cycle that was not slept through a scheduler was
	// busy, issued or might have: it has to be asked what it waits for now.
	active bool
}

// scheduler is a warp scheduler with what it does beyond the present slot.
type scheduler struct {
	sm.Scheduler
	busyUntil int64 // the slot, counted from the launch's first cycle on, in which it is free
	// heldBy is the instruction for which it is busy.
	heldBy uint32
	// stalledAt counts the slots of the cycles that the front end sleeps through.
	stalledAt *uint64
}

func newFrontEnd(s *Section, m *arch.SM, on *sm.SM) (*frontEnd, error) {
	list, err := sm.NewSchedulers(m)
	if err != nil {
		return nil, err
	}
	f := &frontEnd{
		sm: on, units: s.Units, fetches: s.FetchesPerCycle, read: clock.Cycle(s.ReadCycles), lastFetched: 63,
		tracker: newTracker(s, m.MaxWarps, on.Counters()),
	}
	for i := range list {
		f.schedulers = append(f.schedulers, scheduler{Scheduler: list[i]})
	}
	on.BesideUnits()
	return f, nil
}

// slotsPerCycle are the issue slots of an SM in a core cycle.
func (f *frontEnd) slotsPerCycle() int { return slotsPerCycle * len(f.schedulers) }

// Begin implements seam.FrontEnd.
func (f *frontEnd) Begin(now clock.Cycle) {
	f.counted, f.charged, f.active = now, now, false
	f.tracker.begin()
	for i := range f.schedulers {
		sc := &f.schedulers[i]
		sc.stalledAt, sc.busyUntil = f.sm.Idle(), 0
		f.sm.WatchSlots(now, bits.TrailingZeros64(sc.Own()), 0, slotsPerCycle, -1, counters.CauseIdle)
	}
}

// Cycle implements seam.FrontEnd.
func (f *frontEnd) Cycle(now clock.Cycle) clock.Cycle {
	s := f.sm
	s.Advance(now)
	if s.Settled() && s.WantsFetch() == 0 && !f.active {
		return max(s.NextEvent(now), now+1) // charged with the cycles before
	}
	f.chargeSleep(now)
	for range f.fetches {
		f.lastFetched = s.FetchNext(now, f.lastFetched)
	}
	f.charged = now + 1
	f.active = false
	for slot := range int64(slotsPerCycle) {
		f.active = f.issue(now, slot) || f.active
	}
	if f.active || s.WantsFetch() != 0 {
		return now + 1
	}
	return max(min(s.NextEvent(now), s.NextCandidate(now)), now+1)
}

// ready are the warps that can issue now: to units that are free, and, while one is
// left, to affine units.
func (f *frontEnd) ready(now clock.Cycle, left int) uint64 {
	t := f.tracker
	unblocked := f.sm.Unblocked()
	for rest := unblocked &^ t.decided; rest != 0; rest &= rest - 1 {
		t.decide(f.sm, bits.TrailingZeros64(rest))
	}
	set := f.sm.Candidates(now) &^ t.eligible
	if left > 0 {
		set |= unblocked & t.eligible
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
		sc := &f.schedulers[i]
		if i++; i == n {
			i = 0
		}
		if sc.busyUntil > at {
			*f.sm.Slots(sc.heldBy, counters.CauseUnit)++
			f.sm.WatchInstruction(now, bits.TrailingZeros64(sc.Own()), int(slot), 1, sc.heldBy, counters.CauseUnit, true)
			active = true
			continue
		}
		ready := f.ready(now, left)
		active = active || ready != 0
		own := sc.Admit(f.sm, ready)
		if ready&own == 0 {
			f.stall(now, sc, own, int(slot))
			continue
		}
		if w := sc.Pick(f.sm, ready&own); f.tracker.eligible>>w&1 != 0 {
			left--
			f.issueAside(now, sc, w, at)
		} else {
			f.issueToLanes(now, sc, w, at)
		}
	}
	return active
}

func (f *frontEnd) issueAside(now clock.Cycle, sc *scheduler, w int, at int64) {
	instruction, _ := f.sm.At(w)
	f.watchIssue(now, sc, w, at)
	f.tracker.aside(w)
	f.sm.IssueAside(now, w, f.read)
	sc.busyUntil = at + 1
	sc.Issued(f.sm, w, instruction)
}

// issueToLanes issues to 16 lanes, after what they have to expand.
func (f *frontEnd) issueToLanes(now clock.Cycle, sc *scheduler, w int, at int64) {
	instruction, _ := f.sm.At(w)
	f.watchIssue(now, sc, w, at)
	if !f.sm.Issue(now, w) {
		*f.sm.Slots(instruction, counters.CauseUnit)++
		return
	}
	sc.busyUntil = at + slotsPerCycle*int64(1+f.tracker.onLanes(w))
	sc.heldBy = instruction
	sc.Issued(f.sm, w, instruction)
}

func (f *frontEnd) watchIssue(now clock.Cycle, sc *scheduler, w int, at int64) {
	f.sm.WatchSlots(now, bits.TrailingZeros64(sc.Own()), int(at%slotsPerCycle), 1, w, counters.CauseIssued)
}

// stall charges a slot of a scheduler none of whose warps that may issue can; when
// none may, all of them wait for something.
func (f *frontEnd) stall(now clock.Cycle, sc *scheduler, own uint64, slot int) {
	if own == 0 {
		own = sc.Own()
	}
	sc.stalledAt = f.sm.Blame(now, own)
	*sc.stalledAt++
	w, cause := f.sm.Blamed(now, own)
	f.sm.WatchSlots(now, bits.TrailingZeros64(sc.Own()), slot, 1, w, cause)
}

// chargeSleep charges the slots of the cycles before now in which the front end
// was not called: nothing has changed since it was.
func (f *frontEnd) chargeSleep(now clock.Cycle) {
	if now <= f.charged {
		return
	}
	slots := uint64(now-f.charged) * slotsPerCycle
	for i := range f.schedulers {
		*f.schedulers[i].stalledAt += slots
	}
	f.charged = now
}

// Settle implements seam.FrontEnd.
func (f *frontEnd) Settle(now clock.Cycle) {
	f.chargeSleep(now)
	f.sm.Counters()[counters.IssueSlots] += uint64(now-f.counted) * uint64(f.slotsPerCycle())
	f.counted = now
}
