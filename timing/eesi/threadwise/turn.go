// SPDX-License-Identifier: Apache-2.0

package threadwise

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/sm/units"
)

// turn is the circular scheduler of section 6.3.2: which warp set, or which of each lane's
// threads, issues next.
type turn struct {
	sets  uint64        // warp sets that have a ready lane
	ready [Lanes]uint64 // by lane: the warp sets of its threads that are ready
	of    [Lanes]holder // of a lane's threads; under eesi-t the first is that of the warp sets
	// busy are lanes that may have a busy unit, or a busy queue to memory.
	busy uint32
}

// holder is whose turn it is.
type holder struct {
	last    int    // that issued last, -1 at first
	holding bool   // it stays with last
	age     uint64 // of warp set last: slots are used again
}

func (t *turn) begin() {
	*t = turn{}
	for l := range t.of {
		t.of[l].last = -1
	}
}

// mark notes which lanes of a warp set are ready after a change of one, l.
func (t *turn) mark(w, l int, ready uint32) {
	t.sets &^= 1 << w
	if ready != 0 {
		t.sets |= 1 << w
	}
	t.ready[l] = t.ready[l]&^(1<<w) | uint64(ready>>l&1)<<w
}

// after gives the first of a set that comes after the last one in a circle, which itself
// comes at the end. The set is not empty.
func after(set uint64, last int) int {
	if above := set &^ (1<<(last+1) - 1); above != 0 {
		return bits.TrailingZeros64(above)
	}
	return bits.TrailingZeros64(set)
}

// stays reports whether a holder keeps its turn: it has issued no trigger, and does not
// wait at a barrier or fence with the lanes.
func (s *laneCore) stays(h *holder, lanes uint32) bool {
	h.holding = h.holding && s.warps[h.last].age == h.age && s.warps[h.last].runs&lanes != 0
	return h.holding
}

// keep gives a warp set the turn, or ends it after a trigger.
func (s *laneCore) keep(h *holder, w int, triggered bool) {
	h.last, h.age, h.holding = w, s.warps[w].age, !triggered
	s.set[firstCounter+countTurn]++
}

// issuable are the lanes of a warp set that can issue in this cycle; wake is lowered to the
// cycle in which a unit is free that one lacks.
func (s *laneCore) issuable(now clock.Cycle, w int, wake *clock.Cycle) uint32 {
	mask := s.warps[w].ready
	for rest := mask & s.turn.busy; rest != 0; rest &= rest - 1 {
		if !s.canIssue(now, w, lowest(rest), wake) {
			mask &^= rest & -rest
		}
	}
	return mask
}

// relax forgets lanes that have nothing busy any more.
func (s *laneCore) relax(now clock.Cycle) {
	for rest := s.turn.busy; rest != 0; rest &= rest - 1 {
		x := &s.lanes[lowest(rest)]
		busy := x.queued >= s.MemoryQueue
		for _, at := range x.free {
			busy = busy || at > now
		}
		if !busy {
			s.turn.busy &^= rest & -rest
		}
	}
}

// together chooses the warp set that has its turn under eesi-t, and its lanes that can
// issue; -1 when there is none.
func (s *laneCore) together(now clock.Cycle, wake *clock.Cycle) (w int, lanes uint32) {
	h := &s.turn.of[0]
	if s.stays(h, ^uint32(0)) {
		if lanes = s.issuable(now, h.last, wake); s.goes(h.last, lanes) {
			return h.last, lanes
		}
		return -1, 0
	}
	for left := s.candidates(h); left != 0; left &^= 1 << w {
		w = after(left, h.last)
		if lanes = s.issuable(now, w, wake); s.goes(w, lanes) {
			return w, lanes
		}
	}
	return -1, 0
}

// candidates are the warp sets that may have the next turn: those with a ready lane, or in
// strict turns the next alone that does not wait for others.
func (s *laneCore) candidates(h *holder) uint64 {
	if !s.strict {
		return s.turn.sets
	}
	for i := range s.warps {
		if w := (h.last + 1 + i) % len(s.warps); s.warps[w].runs != 0 {
			return 1 << w
		}
	}
	return 0
}

// goes reports whether a warp set may have its turn with the lanes that can issue.
func (s *laneCore) goes(w int, lanes uint32) bool {
	return lanes != 0 && (s.Turn == "any" || lanes == s.warps[w].runs)
}

// own chooses a lane's thread under eesi-m, by its warp set; -1 when none can issue.
func (s *laneCore) own(now clock.Cycle, l int, wake *clock.Cycle) (w int) {
	h, one := &s.turn.of[l], uint32(1)<<l
	if s.stays(h, one) {
		if s.turn.ready[l]>>h.last&1 != 0 && s.canIssue(now, h.last, l, wake) {
			return h.last
		}
		return -1
	}
	if s.strict {
		for i := range s.warps {
			w := (h.last + 1 + i) % len(s.warps)
			if p := &s.warps[w]; p.runs&one == 0 {
				continue
			} else if p.ready&one != 0 && s.canIssue(now, w, l, wake) {
				return w
			}
			return -1
		}
		return -1
	}
	for left := s.turn.ready[l]; left != 0; left &^= 1 << w {
		if w = after(left, h.last); s.canIssue(now, w, l, wake) {
			return w
		}
	}
	return -1
}

// canIssue is issuable of one thread that is ready.
func (s *laneCore) canIssue(now clock.Cycle, w, l int, wake *clock.Cycle) bool {
	if s.turn.busy>>l&1 == 0 {
		return true
	}
	kind := s.program.code[s.threads[w*Lanes+l].index].unit
	if at := s.lanes[l].free[kind]; at > now {
		*wake = min(*wake, at)
		return false
	}
	return kind != units.LDST || s.lanes[l].queued < s.MemoryQueue
}
