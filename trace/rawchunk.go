package trace

import (
	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/lanecode"
)

// rawChunk collects thread blocks of one launch until they are encoded. Sequences
// are shared already; addresses are as recorded.
type rawChunk struct {
	plan   *plan
	launch int
	warps  int // per thread block

	blocks     []uint64 // ids, ascending
	warpPath   []uint32 // per warp: number in paths
	warpMasks  []uint32
	warpGuards []uint32
	paths      columns.SequenceTable[uint32]
	masks      columns.SequenceTable[uint32]
	guards     columns.SequenceTable[uint32]
	pathCounts []pathCounts // per path

	accesses []lanecode.Access // in the order (warp, execution)
	lanes    lanecode.Patterns
	sets     int // of explicit lanes, several of which may have one pattern

	warpInstructions uint64

	earlier    *precedents // of the chunk that this one follows, nil for none
	precedents *precedents // for chunks that will follow this one, nil if none will
}

func (c *rawChunk) reset(p *plan, launch, warps int) {
	c.plan, c.launch, c.warps = p, launch, warps
	c.blocks = c.blocks[:0]
	c.warpPath, c.warpMasks, c.warpGuards = c.warpPath[:0], c.warpMasks[:0], c.warpGuards[:0]
	c.paths.Reset()
	c.masks.Reset()
	c.guards.Reset()
	c.pathCounts = c.pathCounts[:0]
	c.accesses, c.sets = c.accesses[:0], 0
	c.lanes.Truncate(0)
	c.warpInstructions = 0
	c.earlier, c.precedents = nil, nil
}

// full reports whether the chunk has reached the size at which it is written.
func (c *rawChunk) full() bool {
	return c.warpInstructions >= flushWarpInstructions || len(c.blocks) >= flushBlocks ||
		len(c.warpPath) >= maxChunkWarps/2
}

// addVisits adds what the chunk's warps visited to totals: each distinct path is
// walked once, then each basic block's counts are multiplied.
func (c *rawChunk) addVisits(t *Totals, perPath, perBlock []uint64) (path, block []uint64) {
	perPath, perBlock = columns.Zeroed(perPath, c.paths.Len()), columns.Zeroed(perBlock, len(c.plan.blocks))
	for _, p := range c.warpPath {
		perPath[p]++
	}
	for p, n := range perPath {
		for _, id := range c.paths.At(p) {
			perBlock[id] += n
		}
	}
	for id, n := range perBlock {
		if n > 0 {
			c.plan.blocks[id].addVisits(t, n)
		}
	}
	return perPath, perBlock
}
