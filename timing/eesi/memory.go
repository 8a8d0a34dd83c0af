// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// queued is a memory instruction of lanes on its way to the memory path.
type queued struct {
	at     clock.Cycle // from which operands have been read
	lanes  uint32
	access int32 // in onWay
}

// drain hands memory instructions to the port while it takes them. Those of one lane stay
// in order. Where lanes reach the path by themselves (seam.Entry.ByLanes), several enter in
// a cycle.
func (s *laneCore) drain(now clock.Cycle) {
	if len(s.queue) == 0 || !s.port.Ready(now) {
		return
	}
	var barred uint32
	kept, full := s.queue[:0], false
	for i, q := range s.queue {
		if full || q.at > now {
			kept = append(kept, s.queue[i:]...) // operands are read in order
			break
		}
		if q.lanes&barred != 0 {
			barred |= q.lanes
			kept = append(kept, q)
			continue
		}
		barred |= q.lanes
		s.enterPort(now, &s.onWay.Items[q.access])
		s.onWay.Items[q.access].Chunk = nil
		s.onWay.Release(q.access)
		full = !s.port.Ready(now)
	}
	s.queue = kept
}

// enterPort hands an access to the port, which is ready.
func (s *laneCore) enterPort(now clock.Cycle, a *seam.MemoryAccess) {
	s.port.Issue(now, a)
	s.portWake = min(s.portWake, now+1)
	if s.order[a.BlockSlot].Handed(a.Phase) {
		s.port.Barrier(now, a.BlockSlot)
	}
	s.busy.leave(a.Mask, s.MemoryQueue)
	s.doubt |= a.Mask
	if a.Token != seam.NoToken {
		return
	}
	s.warps[a.WarpSlot].memory.take(a.Mask)
	s.ended(now, a.WarpSlot)
}

// send sends the access of a group on its way, or those of its lanes, where each is alone.
func (s *laneCore) send(now clock.Cycle, g *group) {
	if !s.AccessesAlone {
		s.access(now, g, g.mask)
		return
	}
	for rest := g.mask; rest != 0; rest &= rest - 1 {
		s.access(now, g, rest&-rest)
	}
}

// access sends a memory instruction of some lanes of a group on its way.
func (s *laneCore) access(now clock.Cycle, g *group, mask uint32) {
	op, p := &s.program.code[g.instruction], &s.warps[g.warp]
	copy(s.gather.Addresses[:], s.issue.words[g.words][:])
	at, chunk := s.gather.Access(mask)
	i := s.onWay.Take()
	a := &s.onWay.Items[i]
	*a = seam.MemoryAccess{
		Class: op.class, Space: g.space, LaneBytes: op.laneBytes, Mask: mask, Access: at, Chunk: chunk, Bypass: op.bypass,
		WarpSlot: g.warp, BlockSlot: p.block, ThreadBase: g.warp * Lanes, LocalBytes: s.program.kernel.LocalBytes,
		Instruction: g.instruction, Phase: s.order[p.block].Issued(), Token: seam.NoToken,
	}
	if !s.entry.FiltersLanes {
		countLanes(s.set, op, g.space, mask)
	}
	if s.lines != nil {
		countLanes(&s.lines[g.instruction], op, g.space, mask)
	}
	if op.what == loads {
		a.Token = s.fly(flight{warp: g.warp, instruction: g.instruction, mask: mask, load: true})
	} else {
		p.outstanding++
	}
	s.busy.enqueue(mask, s.MemoryQueue)
	s.queue = append(s.queue, queued{now + clock.Cycle(s.ReadCycles), mask, i})
}

// missed reports whether an access has a long latency by the filter, where a switch
// depends on it.
func (s *laneCore) missed(g *group) bool {
	if s.misses == nil {
		return false
	}
	p := &s.warps[g.warp]
	owner := uint32(s.residents.In(p.block).Block)
	if g.space == trace.SpaceLocal {
		owner = uint32(p.age)
	}
	return s.misses.Misses(&s.issue.words[g.words], g.space, g.mask, owner)
}

// countLanes counts the lanes of an access by what they reach.
func countLanes(set *counters.Set, op *operation, space trace.Space, mask uint32) {
	lanes := uint64(bits.OnesCount32(mask))
	switch space {
	case trace.SpaceShared:
		if op.what == loads {
			set[counters.SharedLaneRead] += lanes
		}
		if op.what == stores || op.class == trace.ClassAtomic {
			set[counters.SharedLaneWrite] += lanes
		}
	case trace.SpaceGlobal, trace.SpaceLocal, trace.SpaceTexture:
		set[counters.GlobalLane] += lanes
	}
}
