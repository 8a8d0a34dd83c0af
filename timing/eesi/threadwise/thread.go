// SPDX-License-Identifier: Apache-2.0

package threadwise

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm/scoreboard"
	"github.com/warptape/warptape/timing/sm/wheel"
	"github.com/warptape/warptape/trace/projection"
)

// warpSet is the threads of a warp, one on each lane.
type warpSet struct {
	block       int              // slot of the thread block
	age         uint64           // number of the warp set on the SM
	contexts    [contexts]uint32 // under sbi: contextsOf, unless they are stale
	stale       bool
	live        uint32 // lanes whose threads have instructions left
	runs        uint32 // of these, that wait neither at a barrier nor at a fence
	ready       uint32 // of these, whose next instruction is there and has its operands
	fenced      uint32 // lanes at a fence
	told        uint32 // of these, those that the port knows of
	outstanding int    // instructions, accesses and waits that have not ended
	drained     bool   // the port knows that nothing of the thread block is under way
}

// state is what a thread does.
type state uint8

const (
	gone state = iota
	runs
	waitsBarrier
	waitsFence
	resumes // released, the latency of the barrier or fence has yet to pass
)

// thread is one thread on its lane.
type thread struct {
	state state
	// path is at the present visit, ahead at the next one, if there is more.
	path, ahead projection.Thread
	next        uint32 // basic block of the next visit
	more        bool
	block       uint32 // basic block of the present visit
	index, end  uint32 // the next instruction, and the one behind its visit
	guards      int    // guarded instructions of the visit that have issued
	accesses    int    // memory instructions likewise
	heldAt      uint32 // the barrier or fence
	meets       uint8  // number of the barrier
	memory      uint16 // accesses that have not ended
	upper       upper
}

func lowest(mask uint32) int { return bits.TrailingZeros32(mask) }

// Place implements core.Core.
func (s *laneCore) Place(now clock.Cycle, a core.Assignment, _ seam.Divergence) {
	slot := s.residents.Place(now, a)
	s.order[slot].Begin(a.Need.Warps)
	threads := int(a.Launch.Block.Count())
	s.meetings[slot].begin(threads)
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
	s.warps[w] = warpSet{block: slot, age: s.ages, stale: true}
	p := &s.warps[w]
	for l := range Lanes {
		t := &s.threads[w*Lanes+l]
		*t = thread{ahead: s.program.plan.Thread(a.Chunk, a.Block, h*Lanes+l)}
		s.lanes[l].fetch.Start(w)
		if t.next, t.more = t.ahead.Next(); !t.more {
			if h*Lanes+l < int(a.Launch.Block.Count()) {
				s.meetings[slot].leave() // it executes nothing
			}
			continue
		}
		p.live |= 1 << l
		s.lanes[l].live |= 1 << w
		t.state = runs
		s.enter(w, l)
		s.lanes[l].fetch.Update(w)
	}
	p.runs = p.live
	if p.live == 0 {
		s.meetAll(now, slot)
		s.tryRetire(now, w)
	}
}

// enter makes a thread's next visit the present one.
func (s *laneCore) enter(w, l int) {
	t := &s.threads[w*Lanes+l]
	b := &s.program.kernel.Blocks[t.next]
	t.block = t.next
	t.path, t.index, t.end, t.guards, t.accesses = t.ahead, b.First, b.First+b.Count, 0, 0
	end := t.end
	if t.next, t.more = t.ahead.Next(); t.more {
		if b := &s.program.kernel.Blocks[t.next]; b.First == t.end {
			end = b.First + b.Count
		}
	}
	s.lanes[l].fetch.Enter(w, t.index, end)
}

// advance takes a thread behind the instruction that it has issued. What follows in
// memory has been fetched, as the predictor expects no branch to be taken; behind a
// change of path fetch begins anew, when the branch is resolved.
func (s *laneCore) advance(now clock.Cycle, w, l int) {
	t := &s.threads[w*Lanes+l]
	x := &s.lanes[l].fetch
	x.Take(w)
	if t.index++; t.index == t.end {
		last := t.end
		if !t.more {
			s.finish(w, l)
			return
		}
		s.enter(w, l)
		if op := &s.program.code[last-1]; t.index != last && op.what == controls && op.result > 1 {
			x.Redirect(w)
			s.events.Put(now+op.result, wheel.Event{Kind: eventBranch, Detail: s.fly(flight{warp: w, mask: 1 << l})})
		}
	}
	x.Update(w)
	s.evaluate(w, l)
}

// resolved lets a thread be fetched for whose branch is resolved.
func (s *laneCore) resolved(i int32) {
	f := s.flights.Items[i]
	s.flights.Release(i)
	s.warps[f.warp].outstanding--
	s.lanes[lowest(f.mask)].fetch.Resolved(f.warp)
}

// finish ends a thread: all its instructions have issued, the last in this cycle. What
// follows from that comes behind all issues of the cycle.
func (s *laneCore) finish(w, l int) {
	p, t := &s.warps[w], &s.threads[w*Lanes+l]
	if t.state == waitsBarrier {
		s.meetings[p.block].drop(t.meets)
	}
	t.state = gone
	p.fenced &^= 1 << l
	p.told &^= 1 << l
	s.lanes[l].fetch.End(w)
	p.live &^= 1 << l
	s.lanes[l].live &^= 1 << w
	p.runs &^= 1 << l
	s.evaluate(w, l)
	s.meetings[p.block].leaveFrom(w, l)
	s.issue.ended = append(s.issue.ended, w)
}

// evaluate looks whether a thread's next instruction is there and has its operands. It is
// called when something has happened to the thread.
func (s *laneCore) evaluate(w, l int) {
	p, at := &s.warps[w], w*Lanes+l
	t := &s.threads[at]
	if t.state == runs && s.lanes[l].fetch.Ready(w) && s.board.Check(at, s.program.code[t.index].hazard) == scoreboard.None {
		p.ready |= 1 << l
	} else {
		p.ready &^= 1 << l
	}
	p.stale = true
	s.turn.mark(w, l, p.ready)
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
	s.observer.BlockRetired(now, s.id, b.Block, b.ChunkIndex)
}
