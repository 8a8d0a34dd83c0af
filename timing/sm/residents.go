// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/mbarrier"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm/barrier"
	"github.com/warptape/warptape/timing/sm/loadstore"
	"github.com/warptape/warptape/timing/warpset"
)

// roomForBlocks makes what the stages keep per thread block.
func (s *SM) roomForBlocks() {
	n := s.residents.Slots()
	s.barriers = append(s.barriers, make([]barrier.Block, n-len(s.barriers))...)
	s.mbarriers = append(s.mbarriers, make([]mbarrier.Table, n-len(s.mbarriers))...)
	s.copies = append(s.copies, make([]loadstore.Copies, n-len(s.copies))...)
}

// Fits reports whether a thread block of the given needs has room.
func (s *SM) Fits(need *seam.Footprint) bool { return s.residents.Fits(need) }

// Resident is the number of thread blocks on the SM.
func (s *SM) Resident() int { return s.residents.Resident() }

// CountResidency brings the counts of resident warps up to the cycle now.
func (s *SM) CountResidency(now clock.Cycle) { s.residents.Count(now) }

// Present are the slots of warps that have not ended.
func (s *SM) Present() warpset.Set { return s.residents.Present() }

// Place starts a thread block, for which there must be room; d opens its warps.
func (s *SM) Place(now clock.Cycle, a core.Assignment, d seam.Divergence) {
	slot := s.residents.Place(now, a)
	s.barriers[slot].Begin(a.Need.Warps)
	s.copies[slot].Reset()
	if s.mbarriers[slot].Reset(); !seam.AsRecorded(d) {
		s.mbarriers[slot].Forget()
	}
	s.atCluster &^= 1 << slot
	if a.Cluster != nil {
		a.Cluster.Join(a.Rank, s, s.id, slot)
	}
	if s.watch != nil {
		s.watch.to.Block(now, s.id, slot, a.Block, true)
	}
	h := 0
	for rest := s.residents.In(slot).Slots(); !rest.Empty(); rest = rest.Rest() {
		s.start(rest.Lowest(), d.Open(s.program.kernel, a.Chunk, a.Block, h), slot)
		h++
	}
	if s.assistant != nil {
		s.assistant.Placed(now, slot)
	}
	s.wakeNow()
}

// tryRetire ends warp w when it has issued everything and nothing of it is under
// way, its stores included. With its last warp the thread block leaves the SM and
// frees all that it occupied, warp slots included.
func (s *SM) tryRetire(w int) {
	p := &s.warps[w]
	if !p.finished || p.outstanding > 0 || p.hold == holdPhase || p.hold == holdCopy || !s.residents.Present().Has(w) {
		return
	}
	now := *s.clock
	if s.isExtra(w) {
		s.extraEnded(now)
		return
	}
	if s.port.PendingWrites(w) > 0 {
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
	if s.assistant != nil && s.assistant.Ended(now, slot) {
		s.assisted |= 1 << slot
		return
	}
	s.part(now, slot)
}

// part ends the stay of a thread block, unless the companion keeps it.
func (s *SM) part(now clock.Cycle, slot int) {
	if s.companion != nil && s.companion.Ended(now, s.id, slot) {
		s.kept |= 1 << slot
		return
	}
	s.leave(now, slot)
}

// leave takes a thread block that has ended from the SM.
func (s *SM) leave(now clock.Cycle, slot int) {
	s.residents.Leave(now, slot)
	b := s.residents.In(slot)
	if s.watch != nil {
		s.watch.to.Block(now, s.id, slot, b.Block, false)
	}
	s.observer.BlockRetired(now, s.id, b.Block, b.ChunkIndex)
}
