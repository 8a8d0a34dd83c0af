package sm

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/warpset"
)

// FrontEnd is the baseline front end of one SM: every cycle it fetches for one
// warp, round-robin, and each scheduler issues from one of its warps. Warp slot w
// belongs to scheduler w modulo the number of schedulers.
type FrontEnd struct {
	sm          *SM
	schedulers  []Scheduler
	width       int  // instructions per scheduler and cycle
	differ      bool // dual issue only to different kinds of unit
	lastFetched int
	counted     clock.Cycle // issue slots of the cycles before are counted
	charged     clock.Cycle // issue slots of the cycles before are charged
	// lasting says that no scheduler has a state that a stalled cycle changes, and
	// that collectors, not time, keep warps that are ready from issuing; blocked,
	// that they kept all of them when issue was tried last.
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
		sm: s, schedulers: schedulers, width: max(m.IssuePerScheduler, 1),
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
	f.counted, f.charged, f.blocked = now, now, false
	for i := range f.schedulers {
		f.schedulers[i].stalledAt = &f.sm.idle
		if f.sm.watch != nil {
			f.sm.WatchSlots(now, i, 0, f.width, -1, counters.CauseIdle)
		}
	}
}

// Cycle implements seam.FrontEnd.
func (f *FrontEnd) Cycle(now clock.Cycle) clock.Cycle {
	s := f.sm
	s.Advance(now)
	moved := s.moved()
	if s.waiting.Settled(f.blocked && !moved) && s.fetch.Wanted().Empty() {
		return max(s.NextEvent(now), now+1) // charged with the cycles before
	}
	f.chargeSleep(now)
	f.lastFetched = s.FetchNext(now, f.lastFetched)
	f.charged = now + 1
	if f.issue(now) || s.WantsFetch() != 0 {
		return now + 1
	}
	return max(min(s.NextEvent(now), s.NextCandidate(now)), now+1)
}

// first narrows a set to those of its members that go before the others, if any.
func first(set, before uint64) uint64 {
	if urgent := set & before; urgent != 0 {
		return urgent
	}
	return set
}

// issue lets every scheduler issue; true when any could, or might in the next
// cycle. The scheduler that comes first, and so gets a contended unit, changes
// from cycle to cycle.
func (f *FrontEnd) issue(now clock.Cycle) bool {
	candidates := f.sm.Candidates(now)
	busy := candidates != 0
	f.blocked = f.lasting && !busy
	n := len(f.schedulers)
	i := int(uint64(now) % uint64(n))
	for range n {
		sc := &f.schedulers[i]
		if i++; i == n {
			i = 0
		}
		own := sc.Admit(f.sm, candidates)
		if ready := candidates & own; ready != 0 {
			f.issueFrom(now, sc, first(ready, uint64(f.sm.issuing)))
			candidates = f.sm.Candidates(now)
			continue
		}
		f.stall(now, sc, own, f.width)
	}
	return busy
}

// issueFrom issues for one scheduler from one of its candidates.
func (f *FrontEnd) issueFrom(now clock.Cycle, sc *Scheduler, own uint64) {
	s := f.sm
	w := sc.Pick(s, own)
	issued := 0
	var used uint64
	for issued < f.width {
		u := s.UnitOf(w)
		index := s.warps[w].index
		if s.watch != nil {
			s.WatchSlots(now, bits.TrailingZeros64(sc.own), issued, 1, w, counters.CauseIssued)
		}
		if f.differ && used>>u&1 != 0 || !s.Issue(now, w) {
			*s.slotsOf(w, counters.CauseUnit) += uint64(f.width - issued)
			if s.watch != nil {
				s.WatchSlots(now, bits.TrailingZeros64(sc.own), issued, f.width-issued, w, counters.CauseUnit)
			}
			return
		}
		used |= 1 << u
		issued++
		sc.Issued(s, w, index)
		if issued == f.width {
			return
		}
		if s.Candidates(now)>>w&1 == 0 {
			f.stallOne(now, sc, w, issued)
			return
		}
	}
}

// stall charges slots of a scheduler none of whose warps that may issue can; when
// none may, all of them wait for something.
func (f *FrontEnd) stall(now clock.Cycle, sc *Scheduler, own uint64, slots int) {
	if own == 0 {
		own = sc.own
	}
	sc.stalledAt = f.sm.Blame(now, own)
	*sc.stalledAt += uint64(slots)
	if f.sm.watch != nil {
		w, c := f.sm.Blamed(now, own)
		f.sm.WatchSlots(now, bits.TrailingZeros64(sc.own), 0, slots, w, c)
	}
}

// stallOne charges the slots that warp w, which has issued so many, could not use.
func (f *FrontEnd) stallOne(now clock.Cycle, sc *Scheduler, w, issued int) {
	*f.sm.Blame(now, 1<<w) += uint64(f.width - issued)
	if f.sm.watch != nil {
		w, c := f.sm.Blamed(now, 1<<w)
		f.sm.WatchSlots(now, bits.TrailingZeros64(sc.own), issued, f.width-issued, w, c)
	}
}

// chargeSleep charges the slots of the cycles before now in which the front end
// was not called: nothing has changed since it was.
func (f *FrontEnd) chargeSleep(now clock.Cycle) {
	if now <= f.charged {
		return
	}
	slots := uint64(now-f.charged) * uint64(f.width)
	for i := range f.schedulers {
		*f.schedulers[i].stalledAt += slots
	}
	f.charged = now
}

// Settle implements seam.FrontEnd.
func (f *FrontEnd) Settle(now clock.Cycle) {
	f.chargeSleep(now)
	f.sm.set[counters.IssueSlots] += uint64(now-f.counted) * uint64(f.width*len(f.schedulers))
	f.counted = now
}
