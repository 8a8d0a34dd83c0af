package buddy

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace"
)

// rejoin is the way back of members that have been ungrouped (regroup: halfway,
// section 4.6). The warps whose paths have parted stop where these join again. When
// they have on all members, every other warp goes on to where it is on the member
// that is farthest ahead; then nothing is under way any more, and the members
// issue together again. A warp that turns out to be on another path elsewhere
// ends the attempt for the rest of the kernel.
type rejoin struct {
	phase phase
	warps []meeting // those that have parted
}

type phase uint8

const (
	hopeless   phase = iota // the members stay apart
	meetingUp               // the warps that have parted run to their reconvergence points
	catchingUp              // the others are brought level
)

// meeting is where a warp that has parted waits for the same warp elsewhere.
type meeting struct {
	warp  int
	block uint32
	lanes []uint32 // per member: those that reconverge
}

// expect notes where warp w, which has parted behind an instruction, reconverges.
func (g *group) expect(w int, index uint32, lanes []uint32) {
	block := g.sms[0].Reconvergence(index)
	if block == trace.NoBlock {
		g.rejoin.phase = hopeless
		return
	}
	m := meeting{warp: w, block: block, lanes: lanes}
	g.rejoin.warps = append(g.rejoin.warps, m)
}

// arrived reports whether warp w of member i is at its reconvergence point, or
// has none before its end.
func (m *meeting) arrived(i int, s *sm.SM) bool {
	if _, runs := s.Next(m.warp); !runs {
		return true
	}
	block, ok := s.BlockOf(m.warp)
	return ok && block == m.block && s.Lanes(m.warp) == m.lanes[i]
}

// advanceRejoin is called after every cycle in which the members were apart; true
// when something has changed for them. idle says that nothing happens by itself.
func (g *group) advanceRejoin(now clock.Cycle, idle bool) bool {
	if g.rejoin.phase == meetingUp && g.meet() {
		g.level()
		g.rejoin.phase = catchingUp
		return true
	}
	if g.rejoin.phase != catchingUp {
		return false
	}
	quiet := true
	for _, s := range g.sms {
		quiet = quiet && s.Quiet() && s.FetchQuiet()
	}
	switch {
	case !quiet:
		return false
	case g.aligned():
		g.regroup(now + 1)
		return true
	case idle:
		g.giveUp()
		return true
	}
	return false
}

// meet stops the warps that have arrived; true when all have.
func (g *group) meet() bool {
	all := true
	for k := range g.rejoin.warps {
		m := &g.rejoin.warps[k]
		for i, s := range g.sms {
			if m.arrived(i, s) {
				s.Stop(m.warp, true)
			} else {
				all = false
			}
		}
	}
	return all
}

// level lets every warp go on to where it is on the member farthest ahead, but
// those that have met.
func (g *group) level() {
	var met uint64
	for k := range g.rejoin.warps {
		met |= 1 << g.rejoin.warps[k].warp
	}
	var present uint64
	for _, s := range g.sms {
		present |= s.Present()
	}
	for rest := present &^ met; rest != 0; rest &= rest - 1 {
		w := lowest(rest)
		most := uint64(1) // a warp cannot stop before its first instruction
		for _, s := range g.sms {
			most = max(most, s.Steps(w))
		}
		for _, s := range g.sms {
			s.StopAt(w, most)
		}
	}
}

// aligned reports whether every warp is at the same instruction on all members.
func (g *group) aligned() bool {
	var present uint64
	for _, s := range g.sms {
		present |= s.Present()
	}
	for rest := present; rest != 0; rest &= rest - 1 {
		for i := 1; i < len(g.sms); i++ {
			if !g.same(i, lowest(rest), false) {
				return false
			}
		}
	}
	return true
}

// free lets all warps go on.
func (g *group) free() {
	for _, s := range g.sms {
		for rest := s.Present(); rest != 0; rest &= rest - 1 {
			s.StopAt(lowest(rest), 0)
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

// giveUp leaves the members apart until the next kernel.
func (g *group) giveUp() {
	g.rejoin.phase = hopeless
	g.free()
	for _, s := range g.sms {
		s.Accompany(nil)
	}
}
