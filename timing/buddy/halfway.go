// SPDX-License-Identifier: Apache-2.0

package buddy

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/warpset"
)

// rejoin is the way back of members that have been ungrouped (regroup: halfway,
// section 4.6). Members that are apart keep their warps level: each waits at the
// end of a visit of a basic block for the same warp of the others. One whose
// paths part runs alone to where these join again, and waits there. When all of
// those have met, every warp stops at its next visit, and when nothing is under
// way any more the members issue together again.
type rejoin struct {
	phase    phase
	meetings []meeting
}

type phase uint8

const (
	hopeless  phase = iota // the members stay apart
	meetingUp              // warps that have parted run to their reconvergence points
	closing                // all have met; the others stop at their next visits
)

// meeting is where a warp that has parted waits for the same warp elsewhere.
type meeting struct {
	warp  int
	block uint32   // trace.NoBlock: at the end
	lanes []uint32 // per member: those that reconverge
}

// expect notes where warp w, which has just parted, reconverges: at the immediate
// post-dominator of the branch that parted it, with the lanes of then.
func (g *group) expect(w int) {
	m := meeting{warp: w}
	for i, s := range g.sms {
		index, lanes := s.Left(w)
		if i == 0 {
			m.block = s.Reconvergence(index)
		}
		m.lanes = append(m.lanes, lanes)
	}
	g.rejoin.meetings = append(g.rejoin.meetings, m)
}

// arrived reports whether warp w of member i is at its reconvergence point, or has
// come to its end: where all go when one of them has.
func (m *meeting) arrived(i int, s member, ended bool) bool {
	if _, runs := s.Next(m.warp); !runs || ended {
		return !runs
	}
	block, ok := s.BlockOf(m.warp)
	return ok && block == m.block && s.Lanes(m.warp) == m.lanes[i]
}

// ended reports whether warp w has ended on a member.
func (g *group) ended(w int) bool {
	for _, s := range g.sms {
		if _, runs := s.Next(w); !runs {
			return true
		}
	}
	return false
}

// advanceRejoin is called after every cycle in which the members were apart; true
// when something has changed for them. idle says that nothing happens by itself.
func (g *group) advanceRejoin(now clock.Cycle, idle bool) bool {
	if !g.filled() {
		return false
	}
	changed := g.meet()
	if g.level() {
		changed = true
	}
	if g.rejoin.phase == closing && g.still() {
		g.regroup(now + 1)
		return true
	}
	if idle && !changed && g.quiet() && g.anyStopped() {
		g.giveUp()
		return true
	}
	return changed
}

// filled reports whether all members have the same thread blocks.
func (g *group) filled() bool {
	for _, s := range g.sms {
		if s.Arrivals()-g.placed[s.ID()-g.sms[0].ID()] != g.sms[0].Arrivals()-g.placed[0] {
			return false
		}
	}
	return true
}

// meet lets warps that have parted go on until they are at their reconvergence
// points; those that have met on all members are level again.
func (g *group) meet() (changed bool) {
	open := g.rejoin.meetings[:0]
	for _, m := range g.rejoin.meetings {
		all, ended := true, g.ended(m.warp)
		for i, s := range g.sms {
			if m.arrived(i, s, ended) {
				s.Stop(m.warp)
				continue
			}
			all = false
			s.Pause(m.warp, true)
			if s.Stopped(m.warp) {
				s.Proceed(m.warp)
				changed = true
			}
		}
		if all {
			g.parted = g.parted.Without(m.warp)
			continue
		}
		open = append(open, m)
	}
	g.rejoin.meetings = open
	if len(open) == 0 && g.rejoin.phase == meetingUp {
		g.rejoin.phase = closing
		changed = true
	}
	return changed
}

// level lets warps go on that have ended the same visit on all members.
func (g *group) level() (changed bool) {
	for rest := g.present().AndNot(g.parted); !rest.Empty(); rest = rest.Rest() {
		w := rest.Lowest()
		if !g.rests(w) {
			continue
		}
		if !g.sameEverywhere(w) {
			g.parted = g.parted.With(w)
			g.rejoin.phase = meetingUp
			g.expect(w)
			changed = true
		} else if g.rejoin.phase == meetingUp {
			for _, s := range g.sms {
				changed = changed || s.Stopped(w)
				s.Proceed(w)
			}
		}
	}
	return changed
}

// present are the warps that have not ended on all members.
func (g *group) present() warpset.Set {
	var set warpset.Set
	for _, s := range g.sms {
		set = set.Or(s.Present())
	}
	return set
}

// rests reports whether warp w is stopped, or has ended, on every member. One that
// is not is told to stop at its next visit.
func (g *group) rests(w int) bool {
	all := true
	for _, s := range g.sms {
		if _, runs := s.Next(w); runs && !s.Stopped(w) {
			s.Pause(w, true)
			all = false
		}
	}
	return all
}

// sameEverywhere reports whether warp w is at the same instruction on all members.
func (g *group) sameEverywhere(w int) bool {
	for i := 1; i < len(g.sms); i++ {
		if !g.same(i, w, false) {
			return false
		}
	}
	return true
}

// still reports whether all warps rest and nothing is under way.
func (g *group) still() bool {
	for rest := g.present(); !rest.Empty(); rest = rest.Rest() {
		if w := rest.Lowest(); g.parted.Has(w) || !g.rests(w) {
			return false
		}
	}
	return g.quiet()
}

// quiet reports whether no result, access or fetch of any member is under way.
func (g *group) quiet() bool {
	for _, s := range g.sms {
		if !s.Quiet() || !s.FetchQuiet() {
			return false
		}
	}
	return true
}

func (g *group) anyStopped() bool {
	for _, s := range g.sms {
		for rest := s.Present(); !rest.Empty(); rest = rest.Rest() {
			if s.Stopped(rest.Lowest()) {
				return true
			}
		}
	}
	return false
}

// free lets all warps go on.
func (g *group) free() {
	for _, s := range g.sms {
		for rest := s.Present(); !rest.Empty(); rest = rest.Rest() {
			w := rest.Lowest()
			s.Pause(w, false)
			s.Proceed(w)
		}
	}
}

// regroup lets the members issue together from a cycle on.
func (g *group) regroup(from clock.Cycle) {
	for _, f := range g.solo {
		f.Settle(from)
	}
	g.free()
	g.join(from)
	g.count(0, regroups, 1)
}

// giveUp leaves the members apart until the next kernel: barriers on paths that
// have parted keep warps from meeting.
func (g *group) giveUp() {
	g.rejoin.phase = hopeless
	g.free()
	if g.mode == apart {
		for _, s := range g.sms {
			s.Accompany(nil)
		}
	}
}
