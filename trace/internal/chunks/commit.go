// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"fmt"
	"math/bits"

	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/lanecode"
)

// Behaviour is what one warp did apart from its addresses, with what follows from
// it. Neighbouring warps mostly share it, so the last one is kept.
type Behaviour struct {
	path, masks, guards int // sequence numbers, path -1 for none
	lanes               uint32
	accessMasks         []uint32 // expected mask of each access
	threads             uint64   // thread instructions
}

func (b *Behaviour) Reset() { b.path = -1 }

func (b *Behaviour) is(path, masks, guards int, lanes uint32) bool {
	return b.path == path && b.masks == masks && b.guards == guards && b.lanes == lanes
}

// CommitBlock moves the record of a thread block into the chunk, and counts the thread
// instructions. last is the behaviour of the warp before, of this chunk; lanes gives
// those of each warp.
//
// Of a thread block that has the chunk to itself the record is given up warp by warp, so that
// the memory of what is large is taken once.
func (c *Raw) CommitBlock(record *ThreadBlock, block uint64, last *Behaviour, lanes func(warp int) uint32) (threads uint64, err error) {
	alone := record.Alone()
	if alone && c.warps > 1 {
		c.accesses = columns.Sized(c.accesses, record.memory)[:0]
	}
	for i := range c.warps {
		n, err := c.commitWarp(&record.Warps[i], last, lanes(i), alone)
		if alone {
			record.Warps[i] = WarpRecord{}
		}
		if err != nil {
			return threads, fmt.Errorf("warp %d: %w", i, err)
		}
		threads += n
	}
	c.Sets += record.sets
	c.Blocks = append(c.Blocks, block)
	return threads, nil
}

// commitWarp checks the record of a warp that has the given lanes and adds it. It may keep
// the memory of a record that is given up.
func (c *Raw) commitWarp(record *WarpRecord, b *Behaviour, lanes uint32, givenUp bool) (threads uint64, err error) {
	intern := (*columns.SequenceTable[uint32]).Intern
	if givenUp {
		intern = (*columns.SequenceTable[uint32]).Adopt
		if len(c.accesses) == 0 && c.warps == 1 {
			c.accesses = record.accesses[:0]
		}
	}
	path, added := intern(&c.Paths, record.Blocks)
	if added {
		for _, id := range record.Blocks {
			if int64(id) >= int64(len(c.plan.Blocks)) {
				return 0, fmt.Errorf("BUG: visit of basic block %d of %d in kernel %q", id, len(c.plan.Blocks), c.plan.Kernel)
			}
		}
		c.pathCounts = append(c.pathCounts, c.plan.count(record.Blocks))
	}
	counts := &c.pathCounts[path]
	if len(record.guards) != counts.guards || len(record.accesses) != counts.accesses {
		return 0, fmt.Errorf("BUG: %d guard masks and %d accesses recorded where the visits imply %d and %d",
			len(record.guards), len(record.accesses), counts.guards, counts.accesses)
	}
	masks, _ := intern(&c.Masks, record.masks)
	guards, _ := intern(&c.guards, record.guards)
	if !b.is(path, masks, guards, lanes) {
		if err := checkMasks(c.plan, record, lanes); err != nil {
			return 0, fmt.Errorf("BUG: %w", err)
		}
		b.path, b.masks, b.guards, b.lanes = path, masks, guards, lanes
		b.accessMasks = c.plan.accessMasks(b.accessMasks[:0], record.Blocks, record.masks, record.guards)
		b.threads = c.plan.threadInstructions(record.Blocks, record.masks, record.guards)
	}
	c.WarpPath = append(c.WarpPath, uint32(path))
	c.warpMasks = append(c.warpMasks, uint32(masks))
	c.warpGuards = append(c.warpGuards, uint32(guards))
	c.WarpInstructions += counts.instructions
	return b.threads, addAccesses(c, record.accesses, b.accessMasks)
}

// checkMasks verifies that active lanes belong to the warp and that guard masks
// are a part of their visit's.
func checkMasks(p *Plan, record *WarpRecord, lanes uint32) error {
	guards := record.guards
	for v, mask := range record.masks {
		if mask == 0 || mask&^lanes != 0 {
			return fmt.Errorf("visit %d of lanes %08x by a warp with lanes %08x", v, mask, lanes)
		}
		n := p.Blocks[record.Blocks[v]].Guards
		for i, g := range guards[:n] {
			if g&^mask != 0 {
				return fmt.Errorf("visit %d of lanes %08x has %08x for its guard %d", v, mask, g, i)
			}
		}
		guards = guards[n:]
	}
	return nil
}

// addAccesses appends the accesses. Their patterns are in the writer's pool until the
// chunk is complete.
func addAccesses(c *Raw, accesses []lanecode.Access, masks []uint32) error {
	start := len(c.accesses)
	c.accesses = append(columns.Doubled(c.accesses, len(accesses)), accesses...)
	added := c.accesses[start:]
	for i := range added {
		a := &added[i]
		if a.Mask != masks[i] {
			return fmt.Errorf("BUG: access %d with lanes %08x where the visits imply %08x", i, a.Mask, masks[i])
		}
		if a.Lanes < 0 && a.Mask&(a.Mask-1) == 0 && a.Mask != 0 { // one lane: any stride will do, take the simplest
			a.Base += uint64(bits.TrailingZeros32(a.Mask)) * uint64(int64(a.Stride))
			a.Stride = 0
		}
	}
	return nil
}
