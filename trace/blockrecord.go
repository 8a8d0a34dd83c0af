package trace

import "github.com/warptape/warptape/trace/internal/lanecode"

// blockRecord buffers one thread block while it executes: warps interleave, so
// each has its own columns. The memory is reused from block to block.
type blockRecord struct {
	warps  []warpRecord
	lanes  lanecode.PatternPool
	visits int
	guards int
	memory int // accesses
	sets   int // of explicit lanes
}

// warpRecord holds one warp's columns in execution order.
type warpRecord struct {
	blocks, masks, guards []uint32
	accesses              []lanecode.Access
}

// reset empties the record for a thread block of n warps.
func (b *blockRecord) reset(n int) {
	for len(b.warps) < n {
		b.warps = append(b.warps, warpRecord{})
	}
	for i := range b.warps[:n] {
		r := &b.warps[i]
		r.blocks, r.masks, r.guards, r.accesses = r.blocks[:0], r.masks[:0], r.guards[:0], r.accesses[:0]
	}
	b.lanes.Begin()
	b.visits, b.guards, b.memory, b.sets = 0, 0, 0, 0
}

// tooLarge reports whether the thread block exceeds what a chunk may hold. What is
// recorded past that is dropped, so that a thread block that never ends does not
// eat the memory.
func (b *blockRecord) tooLarge() bool {
	return b.visits > maxThreadBlockVisits || b.guards > maxThreadBlockVisits || b.memory > maxThreadBlockAccesses || b.sets > maxThreadBlockLaneSets
}
