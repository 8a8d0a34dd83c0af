// SPDX-License-Identifier: Apache-2.0

package buddy

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/warpset"
)

// inStep runs a cycle in which the members issue together: as the baseline's
// front end does for one SM.
func (g *group) inStep(now clock.Cycle) clock.Cycle {
	master := g.sms[0]
	g.advance(now)
	g.compareArrivals(now)
	settled := true
	for _, s := range g.sms {
		settled = s.Settled() && settled
	}
	if settled && master.WantsFetch().Empty() {
		return max(g.nextEvent(now), now+1)
	}
	for _, s := range g.sms {
		s.Slots().Awake(now)
	}
	g.lastFetched = master.FetchNext(now, g.lastFetched)
	if g.issue(now) || !master.WantsFetch().Empty() {
		return now + 1
	}
	next := g.nextEvent(now)
	for _, s := range g.sms {
		next = min(next, s.NextUnit(now))
	}
	return max(next, now+1)
}

// advance runs what precedes fetch and issue on all members, and takes the
// acknowledgements that have arrived.
func (g *group) advance(now clock.Cycle) {
	for i, s := range g.sms {
		s.Advance(now)
		for a := &g.acks[i]; a.Len() > 0 && a.Head().at <= now; {
			x := a.Pop()
			s.FinishLoad(x.warp, x.instruction)
		}
	}
}

// nextEvent is the next cycle after now in which something happens by itself.
func (g *group) nextEvent(now clock.Cycle) clock.Cycle {
	next := clock.Never
	for i, s := range g.sms {
		next = min(next, s.NextEvent(now))
		if a := &g.acks[i]; a.Len() > 0 {
			next = min(next, a.Head().at)
		}
	}
	if g.mode == requested {
		next = min(next, g.ungroupAt)
	}
	return next
}

// candidates are the warps that can issue on every member.
func (g *group) candidates(now clock.Cycle) warpset.Set {
	set := warpset.All().AndNot(g.parted)
	for _, s := range g.sms {
		if set = set.And(s.Candidates(now)); set.Empty() {
			break
		}
	}
	return set
}

// issue lets every scheduler of the master issue; true when any could.
func (g *group) issue(now clock.Cycle) bool {
	candidates := g.candidates(now)
	busy := !candidates.Empty()
	n := len(g.schedulers)
	i := int(uint64(now) % uint64(n))
	for range n {
		k := i
		if i++; i == n {
			i = 0
		}
		own := g.schedulers[k].Admit(g.sms[0].SM, candidates)
		if ready := candidates.And(own); !ready.Empty() {
			g.issueFrom(now, k, ready)
			candidates = g.candidates(now)
			continue
		}
		if own.Empty() {
			own = g.schedulers[k].Own()
		}
		b := g.blame(now, own)
		for _, s := range g.sms {
			s.Slots().Stall(now, k, 0, g.width, b)
		}
	}
	return busy
}

// issueFrom issues for scheduler k from one of its ready warps.
func (g *group) issueFrom(now clock.Cycle, k int, ready warpset.Set) {
	master, sc := g.sms[0], &g.schedulers[k]
	w := sc.Pick(master.SM, ready)
	var used uint64
	for left := g.width; left > 0; {
		u := master.UnitOf(w)
		if g.differ && used>>u&1 != 0 {
			g.lose(now, k, left, master.BlameWarp(w, counters.CauseUnit))
			return
		}
		if len(g.sms) > 1 && !g.downlink.open(&g.chip.network, now) {
			g.count(0, networkSlots, uint64(left))
			g.lose(now, k, left, master.BlameWarp(w, counters.CauseUnit))
			return
		}
		index, _ := master.At(w)
		g.issueAll(now, k, g.width-left, w, index)
		used |= 1 << u
		left--
		sc.Issued(master.SM, w, index)
		if left == 0 {
			return
		}
		if !g.candidates(now).Has(w) {
			g.lose(now, k, left, g.blame(now, warpset.Of(w)))
			return
		}
	}
}

// issueAll issues the next instruction of warp w on all members, in a slot of scheduler
// k, and compares where they go on.
func (g *group) issueAll(now clock.Cycle, k, slot, w int, index uint32) {
	for _, s := range g.sms {
		if !s.Issue(now, w) {
			panic("BUG: buddy: an instruction was held on one of the members")
		}
		s.Slots().Use(now, k, slot, index)
	}
	if len(g.sms) == 1 {
		return
	}
	branch := g.sms[0].IsBranch(index)
	g.broadcast(now, branch)
	for i := 1; i < len(g.sms); i++ {
		if !g.same(i, w, branch) {
			g.part(now, i, w, g.sms[0].BranchCycles(index))
			if g.rejoin.phase != hopeless {
				g.expect(w)
			}
			return
		}
	}
}

// broadcast sends an instruction to the slaves; after a branch, the thread mask
// too.
func (g *group) broadcast(now clock.Cycle, branch bool) {
	n := &g.chip.network
	slaves := uint64(len(g.sms) - 1)
	sent := uint64(1)
	g.downlink.send(n, now, 0)
	if branch {
		g.downlink.send(n, now, 0)
		g.count(0, maskPackets, slaves)
		sent = 2
	}
	g.count(0, instructionPackets, slaves)
	g.count(0, masterInstructions, 1)
	for i := 1; i < len(g.sms); i++ {
		g.count(i, slaveInstructions, 1)
		g.count(0, bitHops, sent*instructionBits*uint64(hops(i)))
	}
}

// count adds to a counter of a member.
func (g *group) count(member, which int, n uint64) { count(g.sms[member].Counters(), which, n) }
