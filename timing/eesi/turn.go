// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/sm/units"
)

// turn is the circular scheduler of section 6.3.2: which warp set, or which of each lane's
// threads, issues next.
type turn struct {
	sets  uint64        // warp sets of which a lane is ready
	ready [Lanes]uint64 // by lane: the warp sets of its threads that are ready, under eesi-m
	of    [Lanes]holder // of a lane's threads; under eesi-t the first is that of the warp sets
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

// mark notes which lanes of a warp set are ready, and of which that has changed.
func (t *turn) mark(w int, ready, changed uint32, apart bool) {
	t.sets &^= 1 << w
	if ready != 0 {
		t.sets |= 1 << w
	}
	if !apart {
		return
	}
	for ; changed != 0; changed &= changed - 1 {
		l := lowest(changed)
		t.ready[l] = t.ready[l]&^(1<<w) | uint64(ready>>l&1)<<w
	}
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
	p := &s.warps[w]
	if p.ready&s.busy.lanes == 0 {
		return p.ready
	}
	mask := p.ready
	for i := range p.cohorts {
		if can := p.cohorts[i].lanes & p.ready; can&s.busy.lanes != 0 {
			mask &^= s.busy.keep(s.program.code[p.cohorts[i].index].unit, can, wake)
		}
	}
	return mask
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
	for left := s.turn.sets; left != 0; left &^= 1 << w {
		w = after(left, h.last)
		if lanes = s.issuable(now, w, wake); s.goes(w, lanes) {
			return w, lanes
		}
	}
	return -1, 0
}

// goes reports whether a warp set may have its turn with the lanes that can issue.
func (s *laneCore) goes(w int, lanes uint32) bool {
	return lanes != 0 && (s.Turn == "any" || lanes == s.warps[w].runs)
}

// own chooses a lane's thread under eesi-m, by its warp set; -1 when none can issue.
func (s *laneCore) own(l int, wake *clock.Cycle) (w int) {
	h, one := &s.turn.of[l], uint32(1)<<l
	if s.stays(h, one) {
		if s.turn.ready[l]>>h.last&1 != 0 && s.canIssue(h.last, l, wake) {
			return h.last
		}
		return -1
	}
	for left := s.turn.ready[l]; left != 0; left &^= 1 << w {
		if w = after(left, h.last); s.canIssue(w, l, wake) {
			return w
		}
	}
	return -1
}

// canIssue is issuable of one thread that is ready.
func (s *laneCore) canIssue(w, l int, wake *clock.Cycle) bool {
	if s.busy.lanes>>l&1 == 0 {
		return true
	}
	return s.busy.keep(s.program.code[s.warps[w].cohortOf(l).index].unit, 1<<l, wake) == 0
}

// busy is which lanes' units cannot start an execution, and whose queue to memory is full.
type busy struct {
	lanes  uint32 // with any of these
	full   uint32 // with as many memory instructions on their way as they may have
	queued laneCounts
	taken  [units.Kinds]uint32 // lanes whose unit of the kind is taken
	units  [units.Kinds][]reservation
}

// reservation is lanes whose unit is taken until a cycle.
type reservation struct {
	until clock.Cycle
	lanes uint32
}

func (b *busy) begin() {
	b.lanes = b.full
	for k := range b.units {
		b.units[k], b.taken[k] = b.units[k][:0], 0
	}
}

// reserve takes the units of lanes.
func (b *busy) reserve(kind units.Kind, lanes uint32, until clock.Cycle) {
	if n := len(b.units[kind]); n > 0 && b.units[kind][n-1].until == until {
		b.units[kind][n-1].lanes |= lanes
	} else {
		b.units[kind] = append(b.units[kind], reservation{until, lanes})
	}
	b.taken[kind] |= lanes
	b.lanes |= lanes
}

// relax forgets what is over.
func (b *busy) relax(now clock.Cycle) {
	if b.lanes == 0 {
		return
	}
	b.lanes = b.full
	for k := range b.units {
		if len(b.units[k]) == 0 {
			continue
		}
		kept := b.units[k][:0]
		b.taken[k] = 0
		for _, r := range b.units[k] {
			if r.until > now {
				kept = append(kept, r)
				b.taken[k] |= r.lanes
			}
		}
		b.units[k] = kept
		b.lanes |= b.taken[k]
	}
}

// keep gives those of lanes that a kind of unit keeps from issuing; wake is lowered to the
// cycle in which one is free.
func (b *busy) keep(kind units.Kind, lanes uint32, wake *clock.Cycle) (kept uint32) {
	if kept = b.taken[kind] & lanes; kept != 0 {
		for _, r := range b.units[kind] {
			if r.lanes&lanes != 0 {
				*wake = min(*wake, r.until)
			}
		}
	}
	if kind == units.LDST {
		kept |= b.full & lanes
	}
	return kept
}

// enqueue counts a memory instruction of lanes on its way, of which a lane may have so
// many; leave ends it.
func (b *busy) enqueue(lanes uint32, most int) {
	b.queued.add(lanes, 1)
	b.full = b.queued.above(most-1, most)
	b.lanes |= b.full
}

func (b *busy) leave(lanes uint32, most int) {
	b.queued.take(lanes)
	b.full = b.queued.above(most-1, most)
}
