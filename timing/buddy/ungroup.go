// SPDX-License-Identifier: Apache-2.0

package buddy

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/warpset"
)

// Loaded implements sm.Companion: a slave sends the master a packet, and the
// access is complete when it has arrived.
func (g *group) Loaded(now clock.Cycle, id, w int, instruction uint32) bool {
	i := id - g.sms[0].ID()
	if len(g.sms) == 1 || g.mode == apart {
		return false
	}
	g.count(0, trackedAccesses, 1)
	if i == 0 {
		return false
	}
	g.count(i, ackPackets, 1)
	g.count(i, bitHops, uplinkBits*uint64(hops(i)))
	g.acks[i].Push(ack{g.uplinks[i].send(&g.chip.network, now, hops(i)), w, instruction})
	return true
}

// Ended implements sm.Companion: members let a thread block go together.
func (g *group) Ended(now clock.Cycle, id, slot int) bool {
	for _, s := range g.sms {
		if s.ID() != id && s.Ended()>>slot&1 == 0 {
			return true
		}
	}
	for _, s := range g.sms {
		if s.ID() != id {
			s.Leave(now, slot)
		}
	}
	return false
}

// same reports whether warp w of member i goes on where the master's does.
func (g *group) same(i, w int, branch bool) bool {
	a, runs := g.sms[0].Next(w)
	b, also := g.sms[i].Next(w)
	if a != b || runs != also {
		return !runs && !also
	}
	return !branch || !runs || g.chip.section.Divergence != "mask" || g.sms[0].Lanes(w) == g.sms[i].Lanes(w)
}

// compareArrivals compares warps that have arrived on all members.
func (g *group) compareArrivals(now clock.Cycle) {
	n := g.sms[0].Arrivals()
	if n == g.arrivals {
		return
	}
	present := g.sms[0].Present()
	for _, s := range g.sms[1:] {
		if s.Resident() != g.sms[0].Resident() {
			return // the others come in the next cycles
		}
		present = present.Or(s.Present())
	}
	g.arrivals = n
	for rest := present.AndNot(g.parted); !rest.Empty(); rest = rest.Rest() {
		w := rest.Lowest()
		for i := 1; i < len(g.sms); i++ {
			if !g.same(i, w, false) {
				g.rejoin.phase = hopeless
				g.part(now, i, w, 0)
				break
			}
		}
	}
}

// part notes that warp w of member i does not go on where the master's does. The
// member asks for ungrouping when its path is known.
func (g *group) part(now clock.Cycle, i, w int, branch clock.Cycle) {
	g.parted = g.parted.With(w)
	n := &g.chip.network
	known := now + n.stage(len(g.sms)) + branch
	at := g.uplinks[i].send(n, known, hops(i))
	g.count(i, controlPackets, 1)
	g.count(i, bitHops, uplinkBits*uint64(hops(i)))
	if g.mode == requested {
		g.ungroupAt = min(g.ungroupAt, at)
		return
	}
	g.mode, g.ungroupAt = requested, at
	g.count(0, ungroups, 1)
}

// rampDown begins the ramp-down: no member issues until the slaves' front ends
// are supplied and the master's scoreboard is clear (section 4.5).
func (g *group) rampDown(now clock.Cycle) {
	g.countMode(now)
	g.mode = rampingDown
	n := &g.chip.network
	g.poweringAt = now + n.stage(len(g.sms))
	g.suppliedAt = g.poweringAt + clock.Cycle(g.chip.section.PowerUpCycles)
	g.count(0, controlPackets, uint64(len(g.sms)-1))
	for i := 1; i < len(g.sms); i++ {
		g.count(0, bitHops, uplinkBits*uint64(hops(i)))
		g.count(i, wakeUps, 1)
	}
	for k := range g.schedulers {
		b := g.first(g.schedulers[k].Own())
		for _, s := range g.sms {
			s.Slots().Await(now, k, b)
		}
	}
}

// first blames the ramp-down at the first of the master's warps of own that has an
// instruction left.
func (g *group) first(own warpset.Set) core.Blame {
	for rest := g.sms[0].Present().And(own); !rest.Empty(); rest = rest.Rest() {
		if b := g.sms[0].BlameWarp(rest.Lowest(), counters.CauseFetch); b != core.NoWarp {
			return b
		}
	}
	return core.NoWarp
}

// drain waits for the end of the ramp-down; it gives the next cycle to look, or
// now when the members have been separated.
func (g *group) drain(now clock.Cycle) clock.Cycle {
	g.advance(now)
	quiet := true
	for i, s := range g.sms {
		quiet = quiet && s.Quiet() && g.acks[i].Len() == 0
	}
	if !quiet || now < g.suppliedAt {
		next := g.nextEvent(now)
		if now < g.suppliedAt {
			next = min(next, g.suppliedAt)
		}
		return max(next, now+1)
	}
	g.settle(now)
	g.separate(now)
	return now
}

// ungroupForResidue ungroups for the rest of the kernel a group without thread blocks, so that fewer than
// one for each member can be placed.
func (g *group) ungroupForResidue(now clock.Cycle) {
	g.count(0, residueUngroups, 1)
	g.giveUp()
	if g.mode == together || g.mode == requested {
		g.rampDown(now)
	}
}
