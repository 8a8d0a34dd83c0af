// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm/loadstore"
	"github.com/warptape/warptape/trace"
)

// drainQueue hands memory instructions to the port while it takes them.
func (s *SM) drainQueue(now clock.Cycle) {
	for s.queue.Count() > 0 && s.queue.HeadAt() <= now && s.PortReady(now) {
		s.enterPort(now, s.queue.Pop())
	}
}

// enterPort hands a memory instruction to the port, which is ready.
func (s *SM) enterPort(now clock.Cycle, a *seam.MemoryAccess) {
	if a.Mbarrier != 0 {
		s.synchronize(now, a)
	}
	remote := a.Space == trace.SpaceShared && s.residents.In(a.BlockSlot).Cluster != nil && s.sendRemote(now, a)
	if !remote {
		s.port.Issue(now, a)
		s.portWake = min(s.portWake, now+1)
	}
	if s.barriers[a.BlockSlot].Handed(a.Phase) {
		s.port.Barrier(now, a.BlockSlot)
		s.portWake = min(s.portWake, now+1)
	}
	if a.Token == seam.NoToken && !remote {
		s.performed(a.WarpSlot)
	}
}

// countLanes counts the lanes of an access by what they reach.
func countLanes(set *counters.Set, op *operation, space trace.Space, mask uint32) {
	lanes := uint64(bits.OnesCount32(mask))
	switch space {
	case trace.SpaceShared:
		if op.kind == kindLoad {
			set[counters.SharedLaneRead] += lanes
		}
		if op.kind == kindStore || op.class == trace.ClassAtomic {
			set[counters.SharedLaneWrite] += lanes
		}
	case trace.SpaceGlobal, trace.SpaceLocal, trace.SpaceTexture:
		set[counters.GlobalLane] += lanes
	}
}

// startAccess sends a memory instruction of warp w to operand read. One in which
// no lane takes part has issued, and that is all.
func (s *SM) startAccess(now clock.Cycle, w int, op *operation, mask uint32) {
	if s.collectors == nil {
		s.units.Reserve(now, op.unit, s.subCore(w), &op.timing)
	}
	p := &s.warps[w]
	access := s.takeAccess(w)
	if mask == 0 {
		return
	}
	space := op.space
	if space == trace.SpaceGeneric {
		space = resolve(&access, mask)
	}
	s.filter(w, &access, space, mask)
	if !s.entry.FiltersLanes {
		countLanes(s.set, op, space, mask)
	}
	if s.byInstruction != nil {
		countLanes(&s.byInstruction[s.program.Original(p.index)], op, space, mask)
	}
	token := seam.NoToken
	if op.kind == kindLoad {
		token = s.tokens.Give(s.grouped(w, op, loadstore.InFlight{Warp: uint8(w), Instruction: p.index}))
		s.board.ReserveLoad(w, op.written)
	}
	p.outstanding++
	p.memory++
	a := s.placeAccess(now, w, op)
	s.describeAccess(a, w, op, mask)
	a.Space, a.Access, a.Chunk, a.Token = space, access.Access, access.chunk, token
	a.Phase = s.barriers[p.block].Issued()
	switch op.mbarrier {
	case mbarrierNone:
	case mbarrierLook:
		s.look(w, &access, mask)
	case mbarrierCopies, mbarrierCopiesCounted:
		s.arriveBehindCopies(now, w, op, &access, mask)
	default:
		a.Mbarrier, a.TxBytes = uint8(op.mbarrier), op.txBytes
		if op.mbarrier == mbarrierInit {
			s.comeInits(a)
		}
	}
}

// describeAccess fills in a memory instruction of warp w, all but its space,
// addresses and token.
func (s *SM) describeAccess(a *seam.MemoryAccess, w int, op *operation, mask uint32) {
	p := &s.warps[w]
	*a = seam.MemoryAccess{
		Class: op.class, LaneBytes: op.laneBytes, Mask: mask, Bypass: op.bypass,
		WarpSlot: w, BlockSlot: p.block, ThreadBase: w * trace.WarpSize, LocalBytes: s.program.kernel.LocalBytes,
		Instruction: s.program.Original(p.index), Phase: s.barriers[p.block].Phase(),
	}
}

// placeAccess makes room for a memory instruction that issues now.
func (s *SM) placeAccess(now clock.Cycle, w int, op *operation) *seam.MemoryAccess {
	if s.collectors != nil {
		return s.stage(now, w, op).Access
	}
	return s.queue.Push(now + s.units.Transfer() + clock.Cycle(op.timing.Start))
}

// resolve gives the space of a generic access by the address of its first lane,
// and makes the addresses of a strided access relative to that space. Hardware
// would split the lanes of one instruction that point into different spaces; the
// trace of a compiled kernel has none.
func resolve(a *laneAddresses, mask uint32) trace.Space {
	lane := bits.TrailingZeros32(mask)
	first := a.chunk.Lane(a.Access, lane)
	space, relative := trace.ResolveGeneric(first)
	if a.Strided() {
		a.Base -= trace.AddressOf(first) - relative // a number stays
	}
	return space
}
