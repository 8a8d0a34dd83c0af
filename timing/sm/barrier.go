package sm

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// namedBarriers is the number of barriers of a thread block that bar and barrier
// name (PTX ISA 9.7.13.1); behind them comes that of barrier.cluster.
const (
	namedBarriers    = 16
	clusterBarrier   = namedBarriers
	barriersPerBlock = namedBarriers + 1
)

// barrier is one of a thread block's barriers. Warps arrive, not threads.
type barrier struct {
	arrived int
	threads uint32 // expected, zero for all
	waiting uint64 // warp slots
}

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
	b := &s.blocks.slots[p.block]
	bar := &b.barriers[op.barrierID]
	bar.arrived++
	bar.threads = op.barrierThreads
	if !op.barrierArrives {
		bar.waiting |= 1 << w
		p.hold, p.holdFor, p.heldAt = holdBarrier, listBarrier, p.index
	}
	s.checkBarrier(now, b, bar)
}

// checkBarrier releases a barrier at which all have arrived: as many warps as
// the count operand says, but never more than have instructions left, so that
// warps that exit do not keep the others.
func (s *SM) checkBarrier(now clock.Cycle, b *block, bar *barrier) {
	expected := b.running
	if bar.threads > 0 {
		expected = min(expected, int((bar.threads+trace.WarpSize-1)/trace.WarpSize))
	}
	if bar.arrived == 0 || bar.arrived < expected {
		return
	}
	for rest := bar.waiting; rest != 0; rest &= rest - 1 {
		s.resume(now, lowest(rest))
	}
	*bar = barrier{}
	s.open(now, b)
}

// open tells the port of a barrier that has opened, as soon as it has been handed
// what was issued before.
func (s *SM) open(now clock.Cycle, b *block) {
	before := b.phase
	b.phase ^= 1
	if s.assistant != nil {
		s.assistant.Opened(now, s.slotOf(b))
	}
	if b.waiting[before] > 0 {
		b.opens[before] = true
		return
	}
	s.port.Barrier(now, s.slotOf(b))
	s.portWake = min(s.portWake, now+1)
}

// handed counts an access that the port has taken.
func (s *SM) handed(now clock.Cycle, a *seam.MemoryAccess) {
	b := &s.blocks.slots[a.BlockSlot]
	if b.waiting[a.Phase]--; b.waiting[a.Phase] == 0 && b.opens[a.Phase] {
		b.opens[a.Phase] = false
		s.port.Barrier(now, a.BlockSlot)
	}
}

// resume lets a held warp go on when the latency of the instruction at which it
// is held has passed.
func (s *SM) resume(now clock.Cycle, w int) {
	p := &s.warps[w]
	p.hold = holdResume
	p.outstanding++
	s.events.add(now+s.units.transfer+clock.Cycle(s.program.code[p.heldAt].resultCycles), eventResume, w, 0)
}

// leaveBarriers drops warp w, which has issued its last instruction, from the
// barriers of its thread block.
func (s *SM) leaveBarriers(w int) {
	b := &s.blocks.slots[s.warps[w].block]
	b.running--
	for i := range b.barriers {
		bar := &b.barriers[i]
		if bar.waiting>>w&1 != 0 {
			bar.waiting &^= 1 << w
			bar.arrived--
		}
		if bar.arrived > 0 {
			s.checkBarrier(*s.clock, b, bar)
		}
	}
}

// startFence holds warp w until its memory accesses have been performed.
func (s *SM) startFence(w int) {
	p := &s.warps[w]
	p.hold, p.holdFor, p.heldAt = holdFence, listFence, p.index
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
