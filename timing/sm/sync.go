package sm

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm/barrier"
)

// arrives reports whether a warp arrives at a barrier whose instruction has lanes in
// the mask: a pass of a wider warp waits when that one does.
func arrives(s seam.Stream, op *operation, mask uint32) bool {
	if op.barrierArrives {
		return mask != 0
	}
	return s.Arrives(mask)
}

// arrive brings warp w to a barrier.
func (s *SM) arrive(now clock.Cycle, w int, op *operation) {
	p := &s.warps[w]
	s.barriers[p.block].Arrive(int(op.barrierID), w, !op.barrierArrives, op.barrierThreads)
	if !op.barrierArrives {
		p.holdAt(holdBarrier, p.index)
	}
	s.checkBarrier(now, p.block, int(op.barrierID))
}

// checkBarrier opens a barrier of the thread block in a slot if all have arrived.
func (s *SM) checkBarrier(now clock.Cycle, slot, id int) {
	b := &s.barriers[slot]
	waited, ok := b.Open(id)
	if !ok {
		return
	}
	for ; !waited.Empty(); waited = waited.Rest() {
		s.resume(now, waited.Lowest())
	}
	tell := b.Opened()
	if s.assistant != nil {
		s.assistant.Opened(now, slot)
	}
	if tell {
		s.port.Barrier(now, slot)
		s.portWake = min(s.portWake, now+1)
	}
}

// leaveBarriers drops warp w, which has issued its last instruction, from the
// barriers of its thread block.
func (s *SM) leaveBarriers(w int) {
	slot := s.warps[w].block
	s.barriers[slot].Leave(w)
	for id := range barrier.Count {
		s.checkBarrier(*s.clock, slot, id)
	}
}

// resume lets a held warp go on when the latency of the instruction at which it
// is held has passed.
func (s *SM) resume(now clock.Cycle, w int) {
	p := &s.warps[w]
	p.hold = holdResume
	p.outstanding++
	s.plan(now+s.units.Transfer()+clock.Cycle(s.program.code[p.heldAt].timing.Result), eventResume, w, 0)
}

// startFence holds warp w until its memory accesses have been performed.
func (s *SM) startFence(w int) {
	p := &s.warps[w]
	p.holdAt(holdFence, p.index)
	p.fenced = false
	s.checkFence(w)
}

// checkFence lets warp w pass its fence when nothing is outstanding before it.
func (s *SM) checkFence(w int) {
	p := &s.warps[w]
	if p.hold != holdFence || p.memory != 0 {
		return
	}
	if !p.fenced {
		p.fenced = true
		s.port.Fence(*s.clock, w)
		s.portWake = min(s.portWake, *s.clock+1)
	}
	if s.port.PendingWrites(w) == 0 {
		s.resume(*s.clock, w)
	}
}
