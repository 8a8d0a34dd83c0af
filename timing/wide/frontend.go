// SPDX-License-Identifier: Apache-2.0

package wide

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/timing/warpset"
)

// frontEnds gives every SM a front end of warps of so many passes in the place of
// its own.
func frontEnds(passes int, next core.FrontEndBuilder) core.FrontEndBuilder {
	return func(m *arch.Machine, cores []core.Core) ([]core.Driver, error) {
		drivers, err := next(m, cores)
		if err != nil {
			return nil, err
		}
		for i := range drivers {
			d := &drivers[i]
			sms, err := sm.Of(d.Cores)
			if err != nil {
				return nil, fmt.Errorf("wide: %w", err)
			}
			f, err := newFront(m, passes, sms[0])
			if err != nil {
				return nil, err
			}
			d.FrontEnd = f
		}
		return drivers, nil
	}
}

// front fetches and issues for the wide warps of an SM; it implements
// seam.FrontEnd. The passes of a wide warp are in neighbouring slots; the lowest is
// its leader, for which instructions are fetched.
type front struct {
	sm         *sm.SM
	slots      *core.Slots
	passes     int
	leaders    warpset.Set
	schedulers []scheduler
	width      int  // passes per scheduler and cycle
	differ     bool // dual issue only to different kinds of unit

	// stopped are leaders whose later passes wait at barriers without them.
	stopped warpset.Set

	lastFetched int
}

// scheduler chooses among the leaders that are its own.
type scheduler struct {
	sm.Scheduler
	going int // leader whose instruction is issuing, -1 for none
	pass  int // of it, the next
}

func newFront(m *arch.Machine, passes int, s *sm.SM) (*front, error) {
	list, err := sm.NewSchedulers(&m.SM)
	if err != nil {
		return nil, err
	}
	f := &front{
		sm: s, slots: s.Slots(), passes: passes, schedulers: make([]scheduler, len(list)), width: max(m.SM.IssuePerScheduler, 1),
		differ: m.SM.DualIssueDifferentUnits, lastFetched: warpset.Max - 1,
	}
	for w := 0; w < warpset.Max; w += f.passes {
		f.leaders = f.leaders.With(w)
	}
	for k := range list {
		var own warpset.Set
		for g := k; g*f.passes < warpset.Max; g += len(list) {
			own = own.With(g * f.passes)
		}
		list[k].Give(own)
		f.schedulers[k] = scheduler{Scheduler: list[k], going: -1}
	}
	return f, nil
}

// Begin implements seam.FrontEnd.
func (f *front) Begin(now clock.Cycle) {
	f.slots.Begin(now, len(f.schedulers), f.width)
	f.sm.Follow(warpset.All().AndNot(f.leaders))
	f.stopped = warpset.Set{}
	for k := range f.schedulers {
		f.schedulers[k].going = -1
	}
}

// Cycle implements seam.FrontEnd.
func (f *front) Cycle(now clock.Cycle) clock.Cycle {
	s := f.sm
	s.Advance(now)
	f.proceed()
	if s.Settled() && s.WantsFetch().Empty() && !f.issuing() {
		return max(s.NextEvent(now), now+1)
	}
	f.slots.Awake(now)
	f.lastFetched = s.FetchNext(now, f.lastFetched)
	if f.issue(now) || !s.WantsFetch().Empty() || f.issuing() {
		return now + 1
	}
	return max(min(s.NextEvent(now), s.NextUnit(now)), now+1)
}

// issuing reports whether passes of an instruction have yet to issue.
func (f *front) issuing() bool {
	for k := range f.schedulers {
		if f.schedulers[k].going >= 0 {
			return true
		}
	}
	return false
}

// ready are the leaders of the wide warps that can begin an instruction. The first pass
// can issue, and each of the others can or waits for the result of a unit. For a pass
// that result comes as much later as the pass has issued later.
func (f *front) ready(now clock.Cycle) warpset.Set {
	set := f.sm.Candidates(now)
	all, soon := set.And(f.leaders), set.Or(f.sm.AwaitUnits())
	for n := 1; n < f.passes; n++ {
		all = all.And(soon.Down(n))
	}
	for k := range f.schedulers {
		if going := f.schedulers[k].going; going >= 0 {
			all = all.Without(going)
		}
	}
	return all
}

// issue lets every scheduler issue; true when any could, or might in the next cycle.
func (f *front) issue(now clock.Cycle) (busy bool) {
	n := len(f.schedulers)
	i := int(uint64(now) % uint64(n))
	for range n {
		busy = f.turn(now, i) || busy
		if i++; i == n {
			i = 0
		}
	}
	return busy
}

// turn uses the slots of scheduler k in a cycle. They are for the passes of what it has
// begun, or else of a warp that is ready, and then for what follows in that warp.
func (f *front) turn(now clock.Cycle, k int) (busy bool) {
	sc, s := &f.schedulers[k], f.sm
	if sc.going < 0 {
		ready := f.ready(now)
		own := sc.Admit(s, ready)
		if !ready.Meets(own) {
			if own.Empty() {
				own = sc.Own()
			}
			f.slots.Stall(now, k, 0, f.width, f.blame(now, f.group(own)))
			return !ready.Empty()
		}
		sc.going, sc.pass = sc.Pick(s, ready.And(own)), 0
	}
	leader := sc.going
	var used uint64
	for left := f.width; left > 0; left-- {
		if sc.going < 0 {
			if !f.ready(now).Has(leader) {
				f.slots.Lose(now, k, f.width-left, left, f.blame(now, f.group(warpset.Of(leader))))
				return true
			}
			sc.going, sc.pass = leader, 0
		}
		w := leader + sc.pass
		if !s.Candidates(now).Has(w) {
			f.slots.Lose(now, k, f.width-left, left, f.blame(now, warpset.Of(w)))
			return true
		}
		u := s.UnitOf(w)
		if f.differ && used>>u&1 != 0 {
			if sc.pass == 0 {
				sc.going = -1
			}
			f.slots.Lose(now, k, f.width-left, left, s.BlameWarp(w, counters.CauseUnit))
			return true
		}
		used |= 1 << u
		f.pass(now, k, w, f.width-left)
	}
	return true
}

// pass issues the next pass of what scheduler k has begun, which is of warp slot w.
func (f *front) pass(now clock.Cycle, k, w, slot int) {
	sc, s := &f.schedulers[k], f.sm
	index, _ := s.At(w)
	if s.Lanes(w) == 0 {
		s.Counters()[laterPasses+emptyPasses]++
	}
	if !s.Issue(now, w) {
		panic("BUG: wide: a pass was held")
	}
	f.slots.Use(now, k, slot, index)
	if sc.pass > 0 {
		s.Counters()[laterPasses]++
	}
	if w != sc.going && s.TakeMiss(w) {
		s.NoteMiss(sc.going)
	}
	if sc.pass++; sc.pass == f.passes {
		f.stop(sc.going)
		sc.Issued(s, sc.going, index)
		sc.going = -1
	}
}

// stop stops a leader, as if it waited at the barriers at which later passes of its warp
// do: for a scheduler that is what the warp waits for.
func (f *front) stop(leader int) {
	if f.group(warpset.Of(leader)).Without(leader).Meets(f.sm.AwaitBarriers()) {
		f.sm.Rendezvous().Stop(leader)
		f.stopped = f.stopped.With(leader)
	}
}

// proceed lets leaders go on whose passes do.
func (f *front) proceed() {
	for rest := f.stopped; !rest.Empty(); rest = rest.Rest() {
		leader := rest.Lowest()
		if !f.group(warpset.Of(leader)).Without(leader).Meets(f.sm.AwaitBarriers()) {
			f.stopped = f.stopped.Without(leader)
			f.sm.Rendezvous().Proceed(leader)
		}
	}
}

// group are the slots of all passes of leaders.
func (f *front) group(leaders warpset.Set) warpset.Set {
	all := leaders
	for n := 1; n < f.passes; n++ {
		all = all.Or(leaders.Up(n))
	}
	return all
}

// blame says what slots are charged to in which no warp of own can issue. Passes that
// could, but for others of their warp, are not to blame.
func (f *front) blame(now clock.Cycle, own warpset.Set) core.Blame {
	able := f.sm.Candidates(now)
	if waiting := own.AndNot(able.AndNot(f.group(f.ready(now)))); !waiting.Empty() {
		own = waiting
	}
	return f.sm.Blame(now, own)
}

// Settle implements seam.FrontEnd.
func (f *front) Settle(now clock.Cycle) { f.slots.Settle(now) }
