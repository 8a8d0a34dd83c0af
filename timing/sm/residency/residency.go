// SPDX-License-Identifier: Apache-2.0

// Package residency keeps which thread blocks are on an SM, the warp slots and other
// resources that they occupy, and the counts of both over time.
package residency

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/warpset"
)

// MaxBlocks is the most thread blocks that an SM can have.
const MaxBlocks = 64

// Block is a resident thread block.
type Block struct {
	core.Assignment
	slots warpset.Set // of its warps; they are free when the thread block leaves
	left  warpset.Set // of these, with warps that have not ended
}

// Slots are the warp slots of the thread block; its warps lie in them in order.
func (b *Block) Slots() warpset.Set { return b.slots }

// Last reports whether warp w is the last that has not ended.
func (b *Block) Last(w int) bool { return b.left == warpset.Of(w) }

// Blocks are the thread blocks of an SM and what they leave free.
type Blocks struct {
	limits   seam.Footprint // of the SM
	blocks   []Block
	free     uint64      // of blocks
	vacant   warpset.Set // warp slots that no thread block occupies
	present  warpset.Set // of warps that have not ended
	used     seam.Footprint
	resident int
	last     int    // slot of the thread block that came last
	next     *Block // of another SM, whose slots the next thread block takes; nil: the lowest
	nextSlot int
	extra    warpset.Set // the slot of a warp that belongs to no thread block
	since    clock.Cycle // of the last change
	counts   *counters.Set
}

// New is an SM without thread blocks, which counts in counts.
func New(m *arch.Machine, counts *counters.Set) Blocks {
	n := min(m.SM.MaxBlocks, MaxBlocks)
	return Blocks{
		limits: seam.Footprint{Threads: m.SM.MaxThreads, Registers: m.SM.Registers, SharedBytes: m.Shared.Bytes},
		blocks: make([]Block, n), free: ^uint64(0) >> (MaxBlocks - n), vacant: warpset.First(m.SM.MaxWarps), counts: counts,
	}
}

// Fits reports whether a thread block of the given needs has room.
func (s *Blocks) Fits(need *seam.Footprint) bool {
	return s.free != 0 && s.vacant.Count() >= need.Warps &&
		s.used.Threads+need.Threads <= s.limits.Threads &&
		s.used.Registers+need.Registers <= s.limits.Registers &&
		s.used.SharedBytes+need.SharedBytes <= s.limits.SharedBytes
}

// Place gives a thread block, for which there is room, a slot, the lowest that is free,
// and its warps theirs, or those that TakeSlotsOf has named.
func (s *Blocks) Place(now clock.Cycle, a core.Assignment) (slot int) {
	s.Count(now)
	slot, slots := s.choose(a.Need.Warps)
	s.free &^= 1 << slot
	s.last = slot
	s.resident++
	s.used = plus(s.used, a.Need, 1)
	s.counts[counters.BlocksDispatched]++
	s.vacant = s.vacant.AndNot(slots)
	s.present = s.present.Or(slots)
	s.blocks[slot] = Block{Assignment: a, slots: slots, left: slots}
	return slot
}

// choose gives the slot of the next thread block and those of its warps.
func (s *Blocks) choose(warps int) (slot int, slots warpset.Set) {
	if s.next != nil {
		slot, slots = s.nextSlot, s.next.slots
		s.next = nil
		if s.free>>slot&1 == 0 || slots.Count() != warps || !slots.AndNot(s.vacant).Empty() {
			panic("BUG: residency: a thread block of another SM lies where this one has no room")
		}
		return slot, slots
	}
	for rest := s.vacant; slots.Count() < warps; rest = rest.Rest() {
		slots = slots.With(rest.Lowest())
	}
	return bits.TrailingZeros64(s.free), slots
}

// TakeSlotsOf has the next thread block take the slots of the one that has come last on
// another SM. What has become free on both since is lower, perhaps.
func (s *Blocks) TakeSlotsOf(o *Blocks) { s.next, s.nextSlot = &o.blocks[o.last], o.last }

// Retire ends warp w of the thread block in a slot; it reports whether it was the last.
func (s *Blocks) Retire(now clock.Cycle, slot, w int) (last bool) {
	s.Count(now)
	b := &s.blocks[slot]
	b.left = b.left.Without(w)
	s.present = s.present.Without(w)
	return b.left.Empty()
}

// Leave takes a thread block, whose warps have ended, from the SM: all that it occupied
// is free.
func (s *Blocks) Leave(now clock.Cycle, slot int) {
	s.Count(now)
	b := &s.blocks[slot]
	s.vacant = s.vacant.Or(b.slots)
	s.free |= 1 << slot
	s.resident--
	s.used = plus(s.used, b.Need, -1)
	s.counts[counters.BlocksRetired]++
	b.Chunk = nil
}

// Count brings the counts of resident warps up to the cycle now.
func (s *Blocks) Count(now clock.Cycle) {
	if cycles := uint64(now - s.since); s.resident > 0 {
		s.counts[counters.ResidentWarpCycles] += cycles * uint64(s.present.AndNot(s.extra).Count())
		s.counts[counters.ActiveSMCycles] += cycles
	}
	s.since = now
}

// AddExtra makes room for a warp in slot w that belongs to no thread block and is not
// counted. It gives its slot among thread blocks, which is behind all others.
func (s *Blocks) AddExtra(w int) (slot int) {
	s.extra = warpset.Of(w)
	s.blocks = append(s.blocks, Block{})
	return len(s.blocks) - 1
}

// Extra is the set of that warp's slot, or empty.
func (s *Blocks) Extra() warpset.Set { return s.extra }

// StartExtra has that warp come into its slot.
func (s *Blocks) StartExtra() {
	s.blocks[len(s.blocks)-1] = Block{slots: s.extra, left: s.extra}
	s.present = s.present.Or(s.extra)
}

// EndExtra ends the warp of StartExtra.
func (s *Blocks) EndExtra() { s.present = s.present.AndNot(s.extra) }

// Resident is the number of thread blocks on the SM.
func (s *Blocks) Resident() int { return s.resident }

// Present is the slots of warps that have not ended.
func (s *Blocks) Present() warpset.Set { return s.present }

// Slots is the number of slots of thread blocks.
func (s *Blocks) Slots() int { return len(s.blocks) }

// In is the thread block in a slot.
func (s *Blocks) In(slot int) *Block { return &s.blocks[slot] }

// plus has no warps: their slots say how many are left.
func plus(a, b seam.Footprint, sign int) seam.Footprint {
	return seam.Footprint{Threads: a.Threads + sign*b.Threads, Registers: a.Registers + sign*b.Registers, SharedBytes: a.SharedBytes + sign*b.SharedBytes}
}
