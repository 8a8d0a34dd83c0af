// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace/projection"
)

// warpSet is the threads of a warp, one on each lane. A word has a bit for each lane.
type warpSet struct {
	block       int              // slot of the thread block
	age         uint64           // number of the warp set on the SM
	contexts    [contexts]uint32 // under sbi: contextsOf, unless they are stale
	stale       bool
	drained     bool // the port knows that nothing of the thread block is under way
	outstanding int  // instructions, accesses and waits that have not ended
	path        projection.Recording

	live    uint32 // threads that have instructions left
	runs    uint32 // of these, that wait neither at a barrier nor at a fence
	ready   uint32 // of these, whose next instruction is there and has its operands
	waiting uint32 // at a barrier
	fenced  uint32 // at a fence
	told    uint32 // of these, those that the port knows of
	heldAt  [Lanes]uint32
	meets   [Lanes]uint8 // number of the barrier

	cohorts            // of the lanes that are live
	memory  laneCounts // accesses that have not ended
	fetched
	uppers uppers
}

func lowest(mask uint32) int  { return bits.TrailingZeros32(mask) }
func highest(mask uint32) int { return 31 - bits.LeadingZeros32(mask) }

// Place implements core.Core.
func (s *laneCore) Place(now clock.Cycle, a core.Assignment, _ seam.Divergence) {
	slot := s.residents.Place(now, a)
	s.order[slot].Begin(a.Need.Warps)
	threads := int(a.Launch.Block.Count())
	s.meetings[slot].begin(threads)
	if s.watch != nil {
		s.watch.to.Block(now, s.id, slot, a.Block, true)
	}
	h := 0
	for rest := s.residents.In(slot).Slots(); !rest.Empty(); rest = rest.Rest() {
		s.start(now, rest.Lowest(), slot, h, &a)
		h++
	}
	s.Wake()
}

// start puts warp h of a thread block into a slot.
func (s *laneCore) start(now clock.Cycle, w, slot, h int, a *core.Assignment) {
	s.ages++
	p := &s.warps[w]
	*p = warpSet{block: slot, age: s.ages, stale: true, path: s.program.plan.Recording(a.Chunk, a.Block, h), uppers: p.uppers.begin()}
	s.turn.forget(w)
	p.live = s.beginCohorts(w)
	p.runs, s.rows[w] = p.live, p.live
	if p.live != 0 {
		s.live |= 1 << w
		s.used.add(p.live, 1)
		s.taken |= p.live
	}
	for rest := ^p.live; rest != 0; rest &= rest - 1 {
		if h*Lanes+lowest(rest) < int(a.Launch.Block.Count()) {
			s.meetings[slot].leave() // it executes nothing
		}
	}
	s.want(w, p.live)
	s.turn.mark(w, 0)
	s.doubt = ^uint32(0)
	if p.live == 0 {
		s.meetAll(now, slot)
		s.tryRetire(now, w)
	}
}

// finish ends a thread: all its instructions have issued, the last in this cycle. What
// follows from that comes behind all issues of the cycle.
func (s *laneCore) finish(w, l int) {
	p, one := &s.warps[w], uint32(1)<<l
	if p.waiting&one != 0 {
		s.meetings[p.block].drop(p.meets[l])
	}
	p.waiting &^= one
	p.fenced &^= one
	p.told &^= one
	p.live &^= one
	p.runs &^= one
	s.rows[w] = p.live
	if p.live == 0 {
		s.live &^= 1 << w
	}
	s.used.take(one)
	s.taken = s.used.some(sizeOf(maxWarps))
	s.meetings[p.block].leaveFrom(w, l)
	s.issue.end(l, w)
}

// tryRetire ends a warp set without live threads and with nothing under way; with its
// last one the thread block leaves the SM.
func (s *laneCore) tryRetire(now clock.Cycle, w int) {
	p := &s.warps[w]
	if p.live != 0 || p.outstanding > 0 || !s.residents.Present().Has(w) || s.port.PendingWrites(w) > 0 {
		return
	}
	slot := p.block
	if s.residents.In(slot).Last(w) && !p.drained {
		p.drained = true
		s.port.BlockEnd(now, slot, w)
		s.portWake = min(s.portWake, now+1)
		if s.port.PendingWrites(w) > 0 {
			return // WriteDone comes
		}
	}
	if !s.residents.Retire(now, slot, w) {
		return
	}
	s.residents.Leave(now, slot)
	b := s.residents.In(slot)
	if s.watch != nil {
		s.watch.to.Block(now, s.id, slot, b.Block, false)
	}
	s.observer.BlockRetired(now, s.id, b.Block, b.ChunkIndex)
}
