// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm/switching"
	"github.com/warptape/warptape/timing/sm/units"
)

// Contexts of a warp under sbi (simultaneous branch interweaving, Brunie, Collange and
// Diamos, ISCA 2012; GPSim thesis section 6.2.1): the two paths at the lowest
// instructions, whose lanes are disjoint. Both may issue in the same cycle.
const contexts = 2

// contextsOf gives the lanes of a warp's contexts. Lanes at the same instruction are one
// path, wherever they come from (thread frontiers). A path at a join waits for the lanes
// that are on their way there, as the paper's synchronisation instruction has it.
func (s *laneCore) contextsOf(w int) *[contexts]uint32 {
	p := &s.warps[w]
	if !p.stale {
		return &p.contexts
	}
	p.stale, p.contexts = false, [contexts]uint32{}
	c := 0
	for left := p.runs; left != 0 && c < contexts; {
		at, same := ^uint32(0), uint32(0)
		for rest := left; rest != 0; {
			x := p.cohortOf(lowest(rest))
			of := x.lanes & left
			rest &^= of
			switch {
			case x.index < at:
				at, same = x.index, of
			case x.index == at:
				same |= of
			}
		}
		left &^= same
		if !s.waitsAtJoin(w, same) {
			p.contexts[c] = same
			c++
		}
	}
	return &p.contexts
}

// waitsAtJoin reports whether lanes at the same instruction wait for others there.
func (s *laneCore) waitsAtJoin(w int, lanes uint32) bool {
	p := &s.warps[w]
	c := p.cohortOf(lowest(lanes))
	if c.index != s.program.kernel.Blocks[c.block].First {
		return false
	}
	from := s.program.plan.WaitsFrom(c.block)
	if from >= c.index {
		return false
	}
	for rest := p.runs &^ lanes; rest != 0; {
		x := p.cohortOf(lowest(rest))
		if x.index >= from && x.index < c.index {
			return true
		}
		rest &^= x.lanes
	}
	return false
}

// pair is what the contexts of a warp can issue in a cycle: lanes, or none.
func (s *laneCore) pair(w int) (lanes [contexts]uint32, goes bool) {
	can, waiting := s.issuable(w, ^uint32(0)), false
	memory := false
	for c, mask := range s.contextsOf(w) {
		if mask == 0 {
			continue
		}
		to := s.program.code[s.warps[w].cohortOf(lowest(mask)).index].unit == units.LDST
		if mask&^can != 0 {
			waiting = true
			continue
		}
		if to && memory {
			continue // the load-store unit takes one instruction
		}
		lanes[c], goes, memory = mask, true, memory || to
	}
	return lanes, goes && (s.Turn == "any" || !waiting)
}

// issueInterleaved issues for the contexts of one warp.
func (s *laneCore) issueInterleaved(now clock.Cycle, wake *clock.Cycle) bool {
	w, lanes := s.choosePair(wake)
	if w < 0 {
		for c := range contexts {
			s.slots.StallAll(now, 1<<c, s.lostContext(-1, c))
		}
		return false
	}
	var blames [contexts]core.Blame // before threads move on
	for c, mask := range lanes {
		if mask == 0 {
			blames[c] = s.lostContext(w, c)
		}
	}
	var on switching.Trigger
	for c, mask := range lanes {
		if mask == 0 {
			s.slots.StallAll(now, 1<<c, blames[c])
			continue
		}
		index := s.warps[w].cohortOf(lowest(mask)).index
		s.slots.UseAll(now, 1<<c, index)
		s.issued++
		s.tally[index].issues++
		s.set[firstCounter+countSecond] += uint64(c)
		on |= s.issueSet(now, w, mask, c*Lanes)
	}
	s.issue.order()
	s.keep(w, s.on&(on|s.missing()) != 0)
	return true
}

// choosePair chooses the warp whose turn it is; -1 when there is none.
func (s *laneCore) choosePair(wake *clock.Cycle) (w int, lanes [contexts]uint32) {
	h := &s.turn.of
	goes := false
	if s.stays(h) {
		if lanes, goes = s.pair(h.last); goes {
			return h.last, lanes
		}
		s.freed(h.last, ^uint32(0), wake)
		return -1, lanes
	}
	sets := s.candidates()
	for left := sets; left != 0; left &^= 1 << w {
		w = after(left, h.last)
		if lanes, goes = s.pair(w); goes {
			return w, lanes
		}
	}
	s.allFreed(sets, wake)
	return -1, lanes
}

// lostContext says why a context does not issue, of the warp that has its turn, or of the
// one that would be next (-1).
func (s *laneCore) lostContext(w, c int) core.Blame {
	if w < 0 {
		if w = s.nextWarp(); w < 0 {
			return core.NoWarp
		}
	}
	mask := s.contextsOf(w)[c]
	if mask == 0 && c == 0 {
		mask = s.warps[w].live // all wait at barriers or fences
	}
	if mask == 0 {
		return core.NoWarp
	}
	b := core.NoWarp
	for rest := mask; rest != 0; rest &= rest - 1 {
		if b = s.blame(w, lowest(rest)); b.Cause != counters.CauseIssued {
			return b
		}
	}
	b.Cause = counters.CauseUnit
	if s.program.code[b.Instruction].unit == units.LDST {
		b.Cause = counters.CauseLSU
	}
	return b
}

// nextWarp is the warp that would be next, -1 for none.
func (s *laneCore) nextWarp() int {
	h := &s.turn.of
	if h.holding {
		return h.last
	}
	n := len(s.warps)
	for i := range n {
		if w := (h.last + 1 + i) % n; s.warps[w].live != 0 {
			return w
		}
	}
	return -1
}

// fetchContexts fetches for one context: of the next warp that wants instructions, the one
// at the lowest instruction first. It reports whether it has.
func (s *laneCore) fetchContexts(now clock.Cycle) bool {
	n := len(s.warps)
	for i := range n {
		w := (s.fetching.last + 1 + i) % n
		if s.warps[w].runs&s.warps[w].wanted == 0 {
			continue
		}
		for _, mask := range s.contextsOf(w) {
			if rest := mask & s.warps[w].wanted; rest != 0 {
				s.fetching.last = w
				s.fetchTogether(now, w, rest)
				return true
			}
		}
	}
	return false
}

// fetchTogether fetches for lanes of a context, which want instructions: those of the line
// that the first wants.
func (s *laneCore) fetchTogether(now clock.Cycle, w int, lanes uint32) {
	var address uint64
	s.alike(w, lanes, func(of uint32, at uint64, n int) {
		if of&(lanes&-lanes) != 0 {
			address = at
			s.set[counters.FetchAccess]++
			s.set[counters.FetchInstruction] += uint64(n)
		}
	})
	hit := s.port.FetchLine(now, address)
	if !hit {
		s.set[counters.FetchMiss]++
		s.portWake = min(s.portWake, now+1)
	}
	s.alike(w, lanes, func(of uint32, at uint64, n int) {
		switch {
		case at != address:
		case hit:
			s.deliver(now, w, of, n)
		default:
			s.wait(w, of, address, n)
		}
	})
}
