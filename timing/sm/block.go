package sm

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
)

// maxBlocks is the most thread blocks that an SM can have.
const maxBlocks = 64

// block is a resident thread block.
type block struct {
	core.Assignment
	slots   uint64 // of its warps; they are free when the thread block ends
	warps   uint64 // of these, with warps that are still there
	running int    // warps with instructions left
	ended   bool   // the port knows that nothing is under way any more
	// phase alternates with each barrier that opens. waiting counts the accesses
	// of a phase that the port has yet to be handed; opens says that it is told of
	// the barrier at the phase's end then.
	phase    uint8
	waiting  [2]int
	opens    [2]bool
	barriers [barriersPerBlock]barrier
	// copies are the bulk copies under way that complete an mbarrier, and who waits
	// for them.
	copies copies
}

// blocks are the thread blocks of an SM and what they leave free.
type blocks struct {
	slots []block
	free  uint64
	// used is what the resident thread blocks occupy.
	used     seam.Footprint
	resident int
	since    clock.Cycle // of the last change
}

func newBlocks(n int) blocks {
	return blocks{slots: make([]block, n), free: ^uint64(0) >> (maxBlocks - n)}
}

// Fits reports whether a thread block of the given needs has room.
func (s *SM) Fits(need *seam.Footprint) bool {
	u, m := &s.blocks.used, &s.machine.SM
	return s.blocks.free != 0 && bits.OnesCount64(s.freeWarps) >= need.Warps &&
		u.Threads+need.Threads <= m.MaxThreads &&
		u.Registers+need.Registers <= m.Registers &&
		u.SharedBytes+need.SharedBytes <= s.machine.Shared.Bytes
}

// Resident is the number of thread blocks on the SM.
func (s *SM) Resident() int { return s.blocks.resident }

// Place starts a thread block, for which there must be room; d opens its warps.
func (s *SM) Place(now clock.Cycle, a core.Assignment, d seam.Divergence) {
	s.CountResidency(now)
	slot := lowest(s.blocks.free)
	s.blocks.free &^= 1 << slot
	s.blocks.resident++
	s.blocks.used = plus(s.blocks.used, a.Need, 1)
	s.set[counters.BlocksDispatched]++
	b := &s.blocks.slots[slot]
	*b = block{Assignment: a, running: a.Need.Warps}
	for range a.Need.Warps {
		w := lowest(s.freeWarps)
		s.freeWarps &^= 1 << w
		b.slots |= 1 << w
	}
	b.warps = b.slots
	s.present |= b.slots
	if s.watch != nil {
		s.watch.to.Block(now, s.id, slot, a.Block, true)
	}
	h := 0
	for rest := b.warps; rest != 0; rest &= rest - 1 {
		s.start(lowest(rest), d.Open(s.program.kernel, a.Chunk, a.Block, h), slot)
		h++
	}
	if s.assistant != nil {
		s.assistant.Placed(now, slot)
	}
	s.wakeNow()
}

// slotOf is the slot of a resident thread block.
func (s *SM) slotOf(b *block) int { return s.warps[lowest(b.slots)].block }

// CountResidency brings the counts of resident warps up to the cycle now.
func (s *SM) CountResidency(now clock.Cycle) {
	if cycles := uint64(now - s.blocks.since); s.blocks.resident > 0 {
		s.set[counters.ResidentWarpCycles] += cycles * uint64(bits.OnesCount64(s.present&^s.extra))
		s.set[counters.ActiveSMCycles] += cycles
	}
	s.blocks.since = now
}

func plus(a, b seam.Footprint, sign int) seam.Footprint {
	return seam.Footprint{
		Threads: a.Threads + sign*b.Threads, Warps: a.Warps + sign*b.Warps,
		Registers: a.Registers + sign*b.Registers, SharedBytes: a.SharedBytes + sign*b.SharedBytes,
	}
}

// tryRetire ends warp w when it has issued everything and nothing of it is under
// way, its stores included; with its last warp the thread block leaves the SM and
// frees all that it occupied, warp slots included.
func (s *SM) tryRetire(w int) {
	p := &s.warps[w]
	if !p.finished || p.outstanding > 0 || s.present>>w&1 == 0 {
		return
	}
	now := *s.clock
	if s.isExtra(w) {
		s.extraEnded(now, w)
		return
	}
	if s.port.PendingWrites(w) > 0 {
		return
	}
	slot := p.block
	b := &s.blocks.slots[slot]
	if b.warps == 1<<w && !b.ended {
		b.ended = true
		s.port.BlockEnd(now, slot, w)
		s.portWake = min(s.portWake, now+1)
		if s.port.PendingWrites(w) > 0 {
			return // WriteDone comes
		}
	}
	s.CountResidency(now)
	b.warps &^= 1 << w
	s.present &^= 1 << w
	if b.warps != 0 {
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
	b := &s.blocks.slots[slot]
	s.freeWarps |= b.slots
	s.blocks.free |= 1 << slot
	s.blocks.resident--
	s.blocks.used = plus(s.blocks.used, b.Need, -1)
	s.set[counters.BlocksRetired]++
	b.Chunk = nil
	if s.watch != nil {
		s.watch.to.Block(now, s.id, slot, b.Block, false)
	}
	s.observer.BlockRetired(now, s.id, b.Block, b.ChunkIndex)
}
