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
	sets uint64 // warp sets that have a ready lane
	// ready are the ready lanes of each warp set, side by side: all are looked through.
	ready [maxWarps]uint32
	// can are those of them that can issue (canIssue), where known says so; able are the warp
	// sets that have some.
	can         [maxWarps]uint32
	known, able uint64
	next        [units.Kinds][maxWarps]uint32 // lanes by the unit of their next instruction
	of          holder                        // whose turn it is under eesi-t and sbi
	// Under eesi-m each lane has a turn of its own. Free lanes go to the next thread, held
	// ones stay with their thread of the warp set. ages holds the ages of those warp sets.
	free, held circle
	ages       [maxWarps]uint64
}

// holder is whose turn it is.
type holder struct {
	last    int    // that issued last, -1 at first
	holding bool   // it stays with last
	age     uint64 // of warp set last: slots are used again
}

func (t *turn) begin() {
	*t = turn{of: holder{last: -1}}
	t.free.begin()
}

// forget forgets the threads that a warp set had before.
func (t *turn) forget(w int) {
	for k := range t.next {
		t.next[k][w] = 0
	}
}

// mark notes whether lanes of a warp set are ready.
func (t *turn) mark(w int, ready uint32) {
	t.ready[w] = ready
	t.known &^= 1 << w
	t.sets &^= 1 << w
	if ready != 0 {
		t.sets |= 1 << w
	}
}

// stays reports whether the holder keeps its turn: it has issued no trigger, and does not
// wait at a barrier or fence with all lanes.
func (s *laneCore) stays(h *holder) bool {
	h.holding = h.holding && s.warps[h.last].age == h.age && s.warps[h.last].runs != 0
	return h.holding
}

// keep gives a warp set the turn, or ends it after a trigger.
func (s *laneCore) keep(w int, triggered bool) {
	h := &s.turn.of
	h.last, h.age, h.holding = w, s.warps[w].age, !triggered
	s.set[firstCounter+countTurn]++
}

// keepApart gives threads of a warp set the turns of their lanes, or ends them.
func (s *laneCore) keepApart(w int, lanes uint32, triggered bool) {
	t := &s.turn
	if triggered {
		t.free.put(w, lanes)
	} else {
		t.held.put(w, lanes)
		t.ages[w] = s.warps[w].age
	}
	s.set[firstCounter+countTurn] += uint64(count(lanes))
}

// issuable returns which of some lanes of a warp set can issue in this cycle.
func (s *laneCore) issuable(w int, lanes uint32) uint32 {
	p := &s.warps[w]
	lanes &= p.ready
	if lanes&s.busy.lanes == 0 {
		return lanes
	}
	for kinds := s.busy.kinds; kinds != 0; kinds &= kinds - 1 {
		k := units.Kind(bits.TrailingZeros32(kinds))
		lanes &^= s.busy.keeping[k] & s.turn.next[k][w]
	}
	return lanes
}

// freed lowers wake to the first cycle in which a unit is free that keeps a lane of a warp
// set from issuing. It is asked where nothing issues.
func (s *laneCore) freed(w int, lanes uint32, wake *clock.Cycle) {
	lanes &= s.turn.ready[w]
	for kinds := s.busy.kinds; kinds != 0; kinds &= kinds - 1 {
		k := bits.TrailingZeros32(kinds)
		for _, r := range s.busy.units[k] {
			if r.until < *wake && r.lanes&lanes&s.turn.next[k][w] != 0 {
				*wake = r.until
			}
		}
	}
}

// together chooses the warp set that has its turn under eesi-t, and its lanes that can
// issue; -1 when there is none.
func (s *laneCore) together(wake *clock.Cycle) (w int, lanes uint32) {
	h := &s.turn.of
	if s.stays(h) {
		if lanes = s.issuable(h.last, ^uint32(0)); s.goes(h.last, lanes) {
			return h.last, lanes
		}
		s.freed(h.last, ^uint32(0), wake)
		return -1, 0
	}
	sets, can := s.candidates(), &s.turn.ready
	left := sets
	if s.busy.lanes != 0 {
		able, _ := s.canIssue()
		left, can = left&able, &s.turn.can
	}
	for ; left != 0; left &^= 1 << w {
		w = after(left, h.last)
		if lanes = can[w]; s.goes(w, lanes) {
			return w, lanes
		}
	}
	s.allFreed(sets, wake)
	return -1, 0
}

// allFreed is freed of all lanes of warp sets.
func (s *laneCore) allFreed(sets uint64, wake *clock.Cycle) {
	for kinds := s.busy.kinds; kinds != 0; kinds &= kinds - 1 {
		k := bits.TrailingZeros32(kinds) % units.Kinds
		for _, r := range s.busy.units[k] {
			if r.until < *wake && s.lacks(sets, k, r.lanes) {
				*wake = r.until
			}
		}
	}
}

// lacks reports whether one of some lanes, of any of some warp sets, is ready and lacks a
// unit of a kind.
func (s *laneCore) lacks(sets uint64, kind int, lanes uint32) bool {
	for ; sets != 0; sets &= sets - 1 {
		w := bits.TrailingZeros64(sets) % maxWarps
		if s.turn.ready[w]&s.turn.next[kind][w]&lanes != 0 {
			return true
		}
	}
	return false
}

// candidates are the warp sets that may have the next turn under eesi-t and sbi. They are
// those with a ready lane, or in strict turns only the next one that does not wait for
// others.
func (s *laneCore) candidates() uint64 {
	if !s.strict {
		return s.turn.sets
	}
	for left, w := s.live, 0; left != 0; left &^= 1 << w {
		if w = after(left, s.turn.of.last); s.warps[w].runs != 0 {
			return 1 << w
		}
	}
	return 0
}

// goes reports whether a warp set may have its turn with the lanes that can issue.
func (s *laneCore) goes(w int, lanes uint32) bool {
	return lanes != 0 && (s.Turn == "any" || lanes == s.warps[w].runs)
}

// pick lets each lane choose a thread that can issue, under eesi-m: its own, when that
// stays, or else the next of its circle. Lanes that have chosen leave free and held.
func (s *laneCore) pick(wake *clock.Cycle) (chosen uint32) {
	t, picked := &s.turn, &s.issue.picked
	picked.clear()
	for rest := t.held.places; rest != 0; rest &= rest - 1 {
		w := bits.TrailingZeros64(rest)
		stay := uint32(0)
		if s.warps[w].age == t.ages[w] {
			stay = t.held.lanes[w] & s.warps[w].runs
		}
		t.free.put(w, t.held.lanes[w]&^stay)
		s.doubt |= t.held.lanes[w] &^ stay
		can := s.issuable(w, stay)
		if s.strict {
			s.freed(w, stay, wake)
		}
		picked.add(w, can)
		chosen |= can
		t.held.take(w, ^(stay &^ can))
	}
	if s.strict {
		chosen |= s.pickNext(wake)
		picked.order()
		return chosen
	}
	if of := s.choose(); of != 0 {
		t.free.leave(of)
		chosen |= of
	}
	if chosen == 0 {
		s.allFreed(t.sets, wake)
	}
	picked.order()
	return chosen
}

// choose lets the free lanes choose.
func (s *laneCore) choose() (chosen uint32) {
	t := &s.turn
	if s.busy.lanes == 0 {
		return t.free.choose(&t.ready, t.sets, ^uint32(0), &s.issue.picked)
	}
	sets, lanes := s.canIssue()
	if sets == 0 {
		return 0
	}
	return t.free.choose(&t.can, sets, lanes, &s.issue.picked)
}

// canIssue looks which lanes of each warp set can issue in this cycle. It gives the warp sets
// with such lanes, and the lanes that can in any. What has not changed is as it was in the
// cycle before.
func (s *laneCore) canIssue() (sets uint64, lanes uint32) {
	t, b := &s.turn, &s.busy
	t.able &= t.sets & t.known
	for rest := b.changes; rest != 0; rest &= rest - 1 {
		k := bits.TrailingZeros32(rest) % units.Kinds
		next, changed, keeping := &t.next[k], b.changed[k], b.keeping[k]
		for left := t.sets & t.known; left != 0; left &= left - 1 {
			w := bits.TrailingZeros64(left) % maxWarps
			of := next[w] & changed
			if of == 0 {
				continue
			}
			if t.can[w] = t.can[w]&^of | t.ready[w]&of&^keeping; t.can[w] != 0 {
				t.able |= 1 << w
			} else {
				t.able &^= 1 << w
			}
		}
		b.changed[k] = 0
	}
	b.changes = 0
	for left := t.sets &^ t.known; left != 0; left &= left - 1 {
		w := bits.TrailingZeros64(left) % maxWarps
		if t.can[w] = s.issuable(w, t.ready[w]); t.can[w] != 0 {
			t.able |= 1 << w
		}
	}
	t.known |= t.sets
	for left := t.able; left != 0; left &= left - 1 {
		lanes |= t.can[bits.TrailingZeros64(left)%maxWarps]
	}
	return t.able, lanes
}

// pickNext is pick, in strict turns, of the lanes that stay with no thread. Each takes
// the next thread of its circle that does not wait for others, or none while that cannot
// issue.
func (s *laneCore) pickNext(wake *clock.Cycle) (chosen uint32) {
	t, w := &s.turn, 0
	for rest := t.free.places; rest != 0; rest &= rest - 1 {
		last := bits.TrailingZeros64(rest)
		kept, lanes := uint32(0), t.free.lanes[last]
		for left := s.live; left != 0 && lanes != 0; left &^= 1 << w {
			w = after(left, last)
			of := lanes & s.warps[w].runs
			can := s.issuable(w, of)
			s.freed(w, of, wake)
			s.issue.picked.add(w, can)
			chosen |= can
			kept |= of &^ can
			lanes &^= of
		}
		t.free.take(last, ^(lanes | kept))
	}
	return chosen
}

// busy is which lanes' units cannot start an execution, and whose queue to memory is full.
type busy struct {
	lanes  uint32 // with any of these
	kinds  uint32 // units that are taken or whose queue is full on a lane, a bit each
	full   uint32 // with as many memory instructions on their way as they may have
	queued laneCounts
	taken  [units.Kinds]uint32 // lanes whose unit of the kind is taken
	// keeping are the lanes that a kind keeps from issuing: those taken, and of load-store
	// units those whose queue is full.
	keeping [units.Kinds]uint32
	// changed are the lanes by kind for which keeping has changed since the last canIssue;
	// changes has the bits of those kinds.
	changed [units.Kinds]uint32
	changes uint32
	units   [units.Kinds][]reservation
}

// reservation is lanes whose unit is taken until a cycle.
type reservation struct {
	until clock.Cycle
	lanes uint32
}

func (b *busy) begin() {
	b.lanes, b.kinds = b.full, b.queues()
	for k := range b.units {
		b.units[k], b.taken[k] = b.units[k][:0], 0
		b.settle(units.Kind(k))
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
	b.settle(kind)
	b.lanes |= lanes
	b.kinds |= 1 << kind
}

// settle sets which lanes a kind of unit keeps from issuing.
func (b *busy) settle(kind units.Kind) {
	keeping := b.taken[kind]
	if kind == units.LDST {
		keeping |= b.full
	}
	if is := b.keeping[kind] ^ keeping; is != 0 {
		b.changed[kind] |= is
		b.changes |= 1 << kind
		b.keeping[kind] = keeping
	}
}

// queues is the bit of the load-store units where a queue is full.
func (b *busy) queues() uint32 {
	if b.full == 0 {
		return 0
	}
	return 1 << units.LDST
}

// relax forgets what is over, and gives the lanes of that.
func (b *busy) relax(now clock.Cycle) (free uint32) {
	if b.lanes == 0 {
		return 0
	}
	was := b.kinds
	b.lanes, b.kinds = b.full, b.queues()
	for ; was != 0; was &= was - 1 {
		k := bits.TrailingZeros32(was)
		if len(b.units[k]) == 0 {
			continue
		}
		kept := b.units[k][:0]
		b.taken[k] = 0
		for _, r := range b.units[k] {
			if r.until > now {
				kept = append(kept, r)
				b.taken[k] |= r.lanes
			} else {
				free |= r.lanes
			}
		}
		b.units[k] = kept
		b.settle(units.Kind(k))
		b.lanes |= b.taken[k]
		if len(kept) > 0 {
			b.kinds |= 1 << k
		}
	}
	return free
}

// keeps gives those of lanes that a kind of unit keeps from issuing.
func (b *busy) keeps(kind units.Kind, lanes uint32) uint32 {
	return b.keeping[kind] & lanes
}

// enqueue counts a memory instruction of lanes on its way; a lane may have so many of
// them (most). leave ends it.
func (b *busy) enqueue(lanes uint32, most int) {
	b.queued.add(lanes, 1)
	b.full = b.queued.above(most-1, sizeOf(most))
	b.settle(units.LDST)
	b.lanes |= b.full
	b.kinds |= b.queues()
}

func (b *busy) leave(lanes uint32, most int) {
	b.queued.take(lanes)
	b.full = b.queued.above(most-1, sizeOf(most))
	b.settle(units.LDST)
}
