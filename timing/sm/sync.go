// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/sm/barrier"
	"github.com/warptape/warptape/trace"
)

// arrive brings warp w to a barrier, whose instruction has lanes in the mask. The warp
// is held when it goes on with lanes that wait there; while it goes on with others it
// is not (see meet).
func (s *SM) arrive(now clock.Cycle, w int, op *operation, mask uint32) {
	p := &s.warps[w]
	b := &s.barriers[p.block]
	v := s.visitOf(w, op, mask)
	if op.barrierArrives {
		if mask != 0 {
			v.Threads = op.threads(mask)
			b.Arrive(v)
			s.checkBarrier(now, p.block, v.ID)
		}
		return
	}
	lanes := p.stream.Arrives(mask, v.Expected == 0)
	switch {
	case lanes == 0:
		return
	case p.waits == 0 && s.resumes(p, lanes):
		v.Threads = op.threads(lanes)
		b.Wait(v, w)
		p.barriers = 1
		p.holdAt(holdBarrier, p.index)
	default:
		if op.barrierApart {
			v.Threads = op.threads(lanes)
		}
		p.waits |= lanes
		b.Part(v, w, lanes, p.index)
	}
	s.checkBarrier(now, p.block, v.ID)
}

// visitOf is how warp w comes to a barrier. All lanes of the mask bring the same values.
// A pass of a wide warp comes without lanes of its own, with the values of another.
func (s *SM) visitOf(w int, op *operation, mask uint32) barrier.Visit {
	if !op.barrierValues {
		return barrier.Visit{ID: int(op.barrierID), Expected: op.barrierThreads, Loose: op.barrierUnknown}
	}
	a := s.takeAccess(w)
	if mask == 0 && !a.Strided() {
		return barrier.Visit{}
	}
	v := trace.BarrierOf(a.chunk.Lane(a.Access, bits.TrailingZeros32(mask)%trace.WarpSize))
	return barrier.Visit{ID: int(v.Number % barrier.Named), Expected: v.Threads}
}

// resumes reports whether a warp goes on with some of the lanes, or not at all.
func (s *SM) resumes(p *warp, lanes uint32) bool {
	if !p.more {
		return true
	}
	lanes, _ = p.stream.Resumes(lanes)
	return lanes != 0
}

// threads is what lanes count for at a barrier for a number of threads: their number, if
// threads arrive by themselves there (PTX ISA 9.7.13.1), and otherwise a whole warp.
func (op *operation) threads(lanes uint32) uint32 {
	if op.barrierApart {
		return uint32(bits.OnesCount32(lanes))
	}
	return trace.WarpSize
}

// meet holds warp w, with lanes that wait at barriers, at the end of a visit when it goes
// on with those lanes.
func (s *SM) meet(now clock.Cycle, w int) {
	p := &s.warps[w]
	b := &s.barriers[p.block]
	lanes := p.waits
	if p.more {
		came := false
		if lanes, came = p.stream.Resumes(lanes); came {
			s.checkBarriers(now, p.block, b.Came(w))
			lanes &= p.waits
		}
		if lanes == 0 {
			return
		}
	}
	barriers, waiting, instruction := b.Meet(w, lanes)
	p.waits &^= waiting
	p.barriers, p.barrierAt = uint8(bits.OnesCount32(barriers)), instruction
	if p.hold == holdNone {
		p.holdAt(holdBarrier, instruction)
	}
	s.checkBarriers(now, p.block, barriers)
}

// checkBarriers checks a set of barriers.
func (s *SM) checkBarriers(now clock.Cycle, slot int, barriers uint32) {
	for ; barriers != 0; barriers &= barriers - 1 {
		s.checkBarrier(now, slot, bits.TrailingZeros32(barriers))
	}
}

// checkBarrier opens a barrier of the thread block in a slot if all have arrived.
func (s *SM) checkBarrier(now clock.Cycle, slot, id int) {
	if id == barrier.Cluster && s.residents.In(slot).Cluster != nil {
		s.waitForCluster(now, slot)
		return
	}
	s.open(now, slot, id)
}

// open opens a barrier of the thread block in a slot, if all have arrived.
func (s *SM) open(now clock.Cycle, slot, id int) {
	b := &s.barriers[slot]
	waited, ok := b.Open(id)
	if !ok {
		return
	}
	for ; !waited.Empty(); waited = waited.Rest() {
		s.pass(now, waited.Lowest())
	}
	if b.Parted() {
		for w, lanes, ok := b.Freed(id); ok; w, lanes, ok = b.Freed(id) {
			s.warps[w].waits &^= lanes
		}
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

// pass lets warp w go on, which waits at a barrier that has opened, unless lanes of it
// wait at another or something else holds it.
func (s *SM) pass(now clock.Cycle, w int) {
	p := &s.warps[w]
	if p.barriers--; p.barriers == 0 && p.hold == holdBarrier {
		s.resume(now, w)
	}
}

// leaveBarriers drops warp w, which has issued its last instruction, from the
// barriers of its thread block.
func (s *SM) leaveBarriers(w int) {
	slot := s.warps[w].block
	s.barriers[slot].Leave(w)
	s.leaveCluster(*s.clock, w)
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
		if s.program.code[p.heldAt].arrivesAtCluster {
			s.arriveAtCluster(*s.clock, w)
		}
	}
}
