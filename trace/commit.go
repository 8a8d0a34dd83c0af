package trace

import (
	"fmt"
	"math/bits"

	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/lanecode"
)

// behaviour is what one warp did apart from its addresses, with what follows from
// it. Neighbouring warps mostly share it, so the last one is kept.
type behaviour struct {
	path, masks, guards int // sequence numbers, path -1 for none
	lanes               uint32
	accessMasks         []uint32 // expected mask of each access
	threads             uint64   // thread instructions
}

func (b *behaviour) reset() { b.path = -1 }

func (b *behaviour) is(path, masks, guards int, lanes uint32) bool {
	return b.path == path && b.masks == masks && b.guards == guards && b.lanes == lanes
}

// commitBlock moves the recorded thread block into the chunk.
func (w *Writer) commitBlock(c *rawChunk) error {
	r := &w.recording
	for i := range r.warps {
		if err := w.commitWarp(c, &w.block.warps[i], r.launch.fullMask(i)); err != nil {
			return fmt.Errorf("warp %d: %w", i, err)
		}
	}
	c.sets += w.block.sets
	c.blocks = append(c.blocks, r.block)
	return nil
}

// commitWarp checks the record of a warp that has the given lanes and adds it.
func (w *Writer) commitWarp(c *rawChunk, record *warpRecord, lanes uint32) error {
	path, added := c.paths.Intern(record.blocks)
	if added {
		for _, id := range record.blocks {
			if int64(id) >= int64(len(c.plan.blocks)) {
				return fmt.Errorf("BUG: visit of basic block %d of %d in kernel %q", id, len(c.plan.blocks), c.plan.kernel.Name)
			}
		}
		c.pathCounts = append(c.pathCounts, c.plan.count(record.blocks))
	}
	counts := &c.pathCounts[path]
	if len(record.guards) != counts.guards || len(record.accesses) != counts.accesses {
		return fmt.Errorf("BUG: %d guard masks and %d accesses recorded where the visits imply %d and %d",
			len(record.guards), len(record.accesses), counts.guards, counts.accesses)
	}
	masks, _ := c.masks.Intern(record.masks)
	guards, _ := c.guards.Intern(record.guards)
	b := &w.recording.behaviour
	if !b.is(path, masks, guards, lanes) {
		if err := checkMasks(c.plan, record, lanes); err != nil {
			return err
		}
		b.path, b.masks, b.guards, b.lanes = path, masks, guards, lanes
		b.accessMasks = c.plan.accessMasks(b.accessMasks[:0], record.blocks, record.masks, record.guards)
		b.threads = c.plan.threadInstructions(record.blocks, record.masks, record.guards)
	}
	c.warpPath = append(c.warpPath, uint32(path))
	c.warpMasks = append(c.warpMasks, uint32(masks))
	c.warpGuards = append(c.warpGuards, uint32(guards))
	c.warpInstructions += counts.instructions
	w.totals.ThreadInstructions += b.threads
	return addAccesses(c, record.accesses, b.accessMasks)
}

// checkMasks verifies that active lanes belong to the warp and that guard masks
// are a part of their visit's.
func checkMasks(p *plan, record *warpRecord, lanes uint32) error {
	guards := record.guards
	for v, mask := range record.masks {
		if mask == 0 || mask&^lanes != 0 {
			return fmt.Errorf("BUG: visit %d of lanes %08x by a warp with lanes %08x", v, mask, lanes)
		}
		n := p.blocks[record.blocks[v]].guards
		for i, g := range guards[:n] {
			if g&^mask != 0 {
				return fmt.Errorf("BUG: visit %d of lanes %08x has %08x for its guard %d", v, mask, g, i)
			}
		}
		guards = guards[n:]
	}
	return nil
}

// addAccesses appends the accesses. Their patterns are in the writer's pool until the
// chunk is complete.
func addAccesses(c *rawChunk, accesses []lanecode.Access, masks []uint32) error {
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
