// SPDX-License-Identifier: Apache-2.0

package threadwise

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
		first := lowest(left)
		at, same := s.threads[w*Lanes+first].index, uint32(0)
		for rest := left; rest != 0; rest &= rest - 1 {
			switch i := s.threads[w*Lanes+lowest(rest)].index; {
			case i < at:
				at, same = i, rest&-rest
			case i == at:
				same |= rest & -rest
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
	t := &s.threads[w*Lanes+lowest(lanes)]
	if t.index != s.program.kernel.Blocks[t.block].First {
		return false
	}
	from := s.program.plan.WaitsFrom(t.block)
	if from >= t.index {
		return false
	}
	for rest := s.warps[w].runs &^ lanes; rest != 0; rest &= rest - 1 {
		if at := s.threads[w*Lanes+lowest(rest)].index; at >= from && at < t.index {
			return true
		}
	}
	return false
}

// pair is what the contexts of a warp can issue in a cycle: lanes, or none.
func (s *laneCore) pair(now clock.Cycle, w int, wake *clock.Cycle) (lanes [contexts]uint32, goes bool) {
	can, waiting := s.issuable(now, w, wake), false
	memory := false
	for c, mask := range s.contextsOf(w) {
		if mask == 0 {
			continue
		}
		to := s.program.code[s.threads[w*Lanes+lowest(mask)].index].unit == units.LDST
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
	w, lanes := s.choosePair(now, wake)
	if w < 0 {
		for c := range contexts {
			s.slots.Stall(now, c, 0, 1, s.lostContext(-1, c))
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
			s.slots.Stall(now, c, 0, 1, blames[c])
			continue
		}
		index := s.threads[w*Lanes+lowest(mask)].index
		s.slots.Use(now, c, 0, index)
		s.issued++
		s.tally[index].issues++
		s.set[firstCounter+countSecond] += uint64(c)
		for rest := mask; rest != 0; rest &= rest - 1 {
			on |= s.issueThread(now, w, lowest(rest))
		}
	}
	s.keep(&s.turn.of[0], w, s.on&(on|s.missing()) != 0)
	return true
}

// choosePair chooses the warp whose turn it is; -1 when there is none.
func (s *laneCore) choosePair(now clock.Cycle, wake *clock.Cycle) (w int, lanes [contexts]uint32) {
	h := &s.turn.of[0]
	goes := false
	if s.stays(h, ^uint32(0)) {
		if lanes, goes = s.pair(now, h.last, wake); goes {
			return h.last, lanes
		}
		return -1, lanes
	}
	for left := s.candidates(h); left != 0; left &^= 1 << w {
		w = after(left, h.last)
		if lanes, goes = s.pair(now, w, wake); goes {
			return w, lanes
		}
	}
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
	h := &s.turn.of[0]
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
		w := (s.lanes[0].last + 1 + i) % n
		if s.warps[w].runs == 0 {
			continue
		}
		for _, mask := range s.contextsOf(w) {
			for rest := mask; rest != 0; rest &= rest - 1 {
				if s.lanes[lowest(rest)].fetch.Wanted().Has(w) {
					s.lanes[0].last = w
					s.fetchTogether(now, w, rest)
					return true
				}
			}
		}
	}
	return false
}

// fetchTogether fetches for lanes of a context; the first of them wants a line.
func (s *laneCore) fetchTogether(now clock.Cycle, w int, lanes uint32) {
	address, n := s.lanes[lowest(lanes)].fetch.Request(w)
	s.set[counters.FetchAccess]++
	s.set[counters.FetchInstruction] += uint64(n)
	hit := s.port.FetchLine(now, address)
	if !hit {
		s.set[counters.FetchMiss]++
		s.portWake = min(s.portWake, now+1)
	}
	for rest := lanes; rest != 0; rest &= rest - 1 {
		x := &s.lanes[lowest(rest)].fetch
		if !x.Wanted().Has(w) {
			continue
		}
		if at, n := x.Request(w); at != address {
			continue
		} else if hit {
			x.Deliver(w, n, now+s.requests.decode)
		} else {
			x.Await(w, address, n)
		}
	}
}

// fetchedTogether gives a line to all that wait for it.
func (s *laneCore) fetchedTogether(now clock.Cycle, address uint64) {
	for l := range s.lanes {
		x := &s.lanes[l].fetch
		for w, n, ok := x.Arrived(address); ok; w, n, ok = x.Arrived(address) {
			x.Deliver(w, n, now+s.requests.decode)
		}
	}
}
