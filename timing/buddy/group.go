// SPDX-License-Identifier: Apache-2.0

package buddy

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/timing/warpset"
)

// mode says how the members of a group issue.
type mode uint8

const (
	together    mode = iota // by the master's front end
	requested               // the same, and an ungroup request is on its way
	rampingDown             // not at all
	apart                   // each by its own front end
)

// group is SMs that issue together as long as they can: SM 0 is the master. It
// implements sm.Companion.
type group struct {
	chip       *chip
	sms        []member
	solo       []seam.FrontEnd
	schedulers []sm.Scheduler
	width      int  // instructions per scheduler and cycle
	differ     bool // dual issue only to different kinds of unit
	mode       mode

	lastFetched int
	mark        clock.Cycle // cycles of the mode are counted before
	placed      []uint64    // per member: warps placed before the group began
	arrivals    uint64      // warps whose first instructions have been compared
	rejoin      rejoin
	parted      warpset.Set // warps whose paths have parted
	ungroupAt   clock.Cycle // the request reaches the master
	poweringAt  clock.Cycle // the slaves' front ends are switched on
	suppliedAt  clock.Cycle // the slaves' front ends work
	loose       bool        // the members are ungrouped when they begin with the next launch
	downlink    link
	uplinks     []link
	acks        []ring.Ring[ack] // per slave, in order of arrival
}

// member is an SM of a group, with the hooks by which it is kept in step with the others
// and meets them again.
type member struct {
	*sm.SM
	sm.Lockstep
	sm.Rendezvous
}

// ack is an acknowledgement on its way to the master.
type ack struct {
	at          clock.Cycle
	warp        int
	instruction uint32
}

func newGroup(c *chip, sms []member, solo []seam.FrontEnd) (*group, error) {
	m := &c.machine.SM
	schedulers, err := sm.NewSchedulers(m)
	if err != nil {
		return nil, err
	}
	g := &group{
		chip: c, sms: sms, solo: solo, schedulers: schedulers, width: max(m.IssuePerScheduler, 1), differ: m.DualIssueDifferentUnits,
		lastFetched: warpset.Max - 1, uplinks: make([]link, len(sms)), placed: make([]uint64, len(sms)),
	}
	for range sms {
		g.acks = append(g.acks, ring.New[ack](64))
	}
	return g, nil
}

// begin starts a launch, or a formation; the members have no warps. SMs that are
// alone in their group because a cluster was split are independent.
func (g *group) begin(now clock.Cycle) {
	g.parted, g.downlink = warpset.Set{}, link{}
	clear(g.uplinks)
	g.rejoin.phase = hopeless
	if len(g.sms) < g.chip.section.Size && len(g.sms) == 1 {
		g.separate(now)
		return
	}
	g.join(now)
}

// join lets the members issue together from the cycle now on. Nothing is under
// way on them.
func (g *group) join(now clock.Cycle) {
	g.mode, g.parted = together, warpset.Set{}
	g.rejoin.phase, g.rejoin.meetings = hopeless, g.rejoin.meetings[:0]
	if g.chip.section.Regroup == "halfway" {
		g.rejoin.phase = meetingUp
	}
	g.mark = now
	stage := g.chip.network.stage(len(g.sms))
	for i, s := range g.sms {
		g.placed[i] = s.Arrivals()
		s.Slots().Begin(now, len(g.schedulers), g.width)
		s.SetTransfer(stage)
		s.SetRemote(i > 0)
		s.Accompany(g)
		if i > 0 {
			s.DropInstructions()
		}
	}
}

// separate lets each member issue by its own front end from the cycle now on.
func (g *group) separate(now clock.Cycle) {
	g.mode = apart
	for i, s := range g.sms {
		if g.rejoin.phase == hopeless {
			s.Accompany(nil)
		}
		s.SetTransfer(0)
		s.SetRemote(false)
		g.solo[i].Begin(now)
	}
	if g.rejoin.phase != hopeless {
		g.meet()
		g.level()
	}
}

// cycle advances the group.
func (g *group) cycle(now clock.Cycle) clock.Cycle {
	if g.mode == requested && now >= g.ungroupAt {
		g.rampDown(now)
	}
	switch g.mode {
	case rampingDown:
		if next := g.drain(now); next > now {
			return next
		}
	case together, requested:
		return g.inStep(now)
	}
	next := clock.Never
	for _, f := range g.solo {
		next = min(next, f.Cycle(now))
	}
	if g.rejoin.phase != hopeless && g.advanceRejoin(now, next == clock.Never) {
		return now + 1
	}
	return next
}

// settle charges and counts everything before the cycle now.
func (g *group) settle(now clock.Cycle) {
	if g.mode == apart {
		for _, f := range g.solo {
			f.Settle(now)
		}
		return
	}
	for _, s := range g.sms {
		s.Slots().Settle(now)
	}
	g.countMode(now)
}

// vacant reports whether no member has thread blocks.
func (g *group) vacant() bool {
	for _, s := range g.sms {
		if s.Resident() > 0 {
			return false
		}
	}
	return true
}
