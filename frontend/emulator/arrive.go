// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
)

// meetBarrier brings the running path of a warp to a barrier (9.7.13.1). With .aligned all
// of the warp's live threads have to come to the same instruction. Without, before sm_70, a
// warp arrives as a whole, and its paths wait for each other; from sm_70 on threads arrive by
// themselves.
func (s *scheduler) meetBarrier(w *warp, segment int) error {
	r := &w.record.Barrier
	switch {
	case r.Mask == w.live && (r.Aligned || !s.independent):
		return s.arrive(w, segment)
	case s.independent && !r.Aligned:
		return s.arriveApart(w, segment)
	case !r.Aligned && r.Kind != coexecution.BarrierSync,
		r.Aligned && (r.Mask != w.stack.top().mask || w.parked != 0 && w.barrierSegment != segment):
		return s.misaligned(w, segment, r.Mask)
	case w.parked != 0 && (r.ID != w.meeting.ID || r.Threads != w.meeting.Threads):
		return s.fault(w, coexecution.FaultBarrierDivergence, segment, fmt.Sprintf(
			"threads of the warp wait at barrier %d for %s, others arrived at barrier %d for %s",
			w.meeting.ID, threadCount(w.meeting.Threads), r.ID, threadCount(r.Threads)))
	case r.Mask != w.stack.top().mask:
		return s.fault(w, coexecution.FaultBarrierDivergence, segment, "a predicate keeps threads of the path from the barrier")
	}
	if w.parked == 0 {
		w.meeting, w.barrierSegment = *r, segment
		w.meeting.Mask, w.meeting.Predicate = 0, 0
	}
	w.parked |= r.Mask
	w.meeting.Mask |= r.Mask
	w.meeting.Predicate |= r.Predicate & r.Mask
	w.stack.top().state, w.stack.top().barrier = pathGathers, &barrierWait{*r, segment}
	return nil
}

// misaligned is the fault of lanes at a barrier to which all must come together.
func (s *scheduler) misaligned(w *warp, segment int, arrived uint32) error {
	return s.fault(w, coexecution.FaultBarrierDivergence, segment, fmt.Sprintf(
		"%d of the warp's %d live threads arrived at barrier %d (mask 0x%08x of 0x%08x); all must take the same path to it",
		bits.OnesCount32(arrived), bits.OnesCount32(w.live), w.record.Barrier.ID, arrived, w.live))
}

// gather lets a warp arrive when all its lanes are parked.
func (s *scheduler) gather(w *warp) error {
	w.record.Barrier = w.meeting
	w.record.Barrier.Mask &= w.live
	w.parked = 0
	w.stack.release(func(p *path) bool { return p.state == pathGathers })
	return s.arrive(w, w.barrierSegment)
}

// open gives the barrier that a request is for, with the arrival noted.
func (s *scheduler) open(w *warp, segment int, r *coexecution.BarrierRequest, threads int) (*barrier, error) {
	if r.ID >= coexecution.BarrierCount {
		return nil, s.fault(w, coexecution.FaultBarrierDivergence, segment, fmt.Sprintf("barrier %d; a thread block has barriers 0 to %d", r.ID, coexecution.BarrierCount-1))
	}
	b := &s.barriers[r.ID]
	first := !b.active
	if complaint := b.arrive(r, threads); complaint != "" {
		return nil, s.fault(w, coexecution.FaultBarrierDivergence, segment, complaint)
	}
	if s.block.Races != nil {
		s.block.Races.Arrive(int(r.ID), w.identity.Warp, first)
	}
	return b, nil
}

// arrive brings a whole warp to a barrier.
func (s *scheduler) arrive(w *warp, segment int) error {
	r := &w.record.Barrier
	b, err := s.open(w, segment, r, WarpSize)
	if err != nil {
		return err
	}
	bit := uint32(1) << w.identity.Warp
	b.arrived |= bit
	if r.Kind != coexecution.BarrierArrive {
		b.waiting |= bit
		w.barrierSegment = segment
		s.waiting |= bit
	}
	s.releaseIfComplete(int(r.ID))
	return nil
}

// arriveApart brings threads to a barrier that need not come with the others of their
// warp. Whether it is complete is seen when the path has moved on.
func (s *scheduler) arriveApart(w *warp, segment int) error {
	r := &w.record.Barrier
	b, err := s.open(w, segment, r, bits.OnesCount32(r.Mask))
	if err != nil {
		return err
	}
	index := w.identity.Warp
	if b.apart == 0 {
		s.apart |= 1 << r.ID
		s.apartLanes[r.ID] = [coexecution.MaxWarps]uint32{}
	}
	b.apart |= 1 << index
	s.apartLanes[r.ID][index] |= r.Mask
	if r.Kind == coexecution.BarrierArrive {
		return nil
	}
	top := w.stack.top()
	if r.Mask != top.mask { // a predicate keeps the others from the barrier
		rest := *top
		rest.mask &^= r.Mask
		rest.segment = s.segments[segment].FallThrough
		w.stack.ids++
		rest.id = w.stack.ids
		top.mask = r.Mask
		at := len(w.stack.paths) - 1
		w.stack.paths = slices.Insert(w.stack.paths, at, rest)
		top = w.stack.top()
	}
	top.state, top.barrier = pathAtBarrier, &barrierWait{*r, segment}
	return nil
}

// completeApart lets go the barriers at which threads arrived by themselves.
func (s *scheduler) completeApart() {
	for set := s.apart; set != 0; set &= set - 1 {
		s.releaseIfComplete(bits.TrailingZeros32(set))
	}
}

// allApart reports whether, of the warps that did not come to a barrier as a whole, all live
// threads have come.
func (s *scheduler) allApart(id int) bool {
	for missing := s.live &^ s.barriers[id].arrived; missing != 0; missing &= missing - 1 {
		if w := bits.TrailingZeros32(missing); s.warps[w].live&^s.apartLanes[id][w] != 0 {
			return false
		}
	}
	return true
}

func (s *scheduler) releaseIfComplete(id int) {
	if !s.completed(id) || id == coexecution.ClusterBarrierID && s.cluster != nil && !s.cluster.complete() {
		return
	}
	s.release(id)
}

// completed reports whether no thread is missing at a barrier.
func (s *scheduler) completed(id int) bool {
	b := &s.barriers[id]
	return b.complete(s.live) && (b.expected != 0 || s.allApart(id))
}

// release lets the threads go that wait at a barrier.
func (s *scheduler) release(id int) {
	b := &s.barriers[id]
	s.apart &^= 1 << id
	for set := b.waiting; set != 0; set &= set - 1 {
		r := &s.warps[bits.TrailingZeros32(set)].record.Barrier
		if r.Result != nil {
			r.Result(r.Mask, b.value(r.Kind))
		}
	}
	if s.block.Races != nil {
		s.block.Races.Release(id, b.waiting|b.apart)
	}
	s.waiting &^= b.waiting
	b.active = false
	for set := b.apart; set != 0; set &= set - 1 {
		s.releaseApart(bits.TrailingZeros32(set), id)
	}
}

// releaseApart lets the threads of a warp go that wait at a barrier by themselves.
func (s *scheduler) releaseApart(index, id int) {
	w, b := &s.warps[index], &s.barriers[id]
	w.stack.release(func(p *path) bool {
		if p.state != pathAtBarrier || int(p.barrier.request.ID) != id {
			return false
		}
		if r := &p.barrier.request; r.Result != nil {
			r.Result(p.mask, b.value(r.Kind))
		}
		return true
	})
	if !w.stack.blocked() {
		s.waiting &^= 1 << index
	}
}

// deadlock looks for lanes that wait to reconverge with others which are at a barrier, and
// lets them go on. Without any it reports the first warp that waits for ever.
func (s *scheduler) deadlock() error {
	for rest := s.waiting; rest != 0 && s.independent; rest &= rest - 1 {
		w := &s.warps[bits.TrailingZeros32(rest)]
		if w.stack.find(pathAtBarrier) != nil && w.stack.breakJoin(false) {
			s.waiting &^= 1 << w.identity.Warp
			return nil
		}
	}
	w := &s.warps[bits.TrailingZeros32(s.waiting)]
	id, segment := w.record.Barrier.ID, w.barrierSegment
	if p := w.stack.find(pathMeets); p != nil {
		return s.absent(w, p)
	}
	if p := w.stack.find(pathAtBarrier); p != nil {
		id, segment = p.barrier.request.ID, p.barrier.segment
	}
	b := &s.barriers[id]
	return s.fault(w, coexecution.FaultBarrierDivergence, segment, fmt.Sprintf(
		"barrier %d waits for %s and %d have arrived, but every other warp of the block has ended or waits at another barrier",
		id, threadCount(b.expected), b.threads))
}
