// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/lanecode"
)

// Raw collects thread blocks of one launch until they are encoded. Sequences
// are shared already; addresses are as recorded.
type Raw struct {
	plan   *Plan
	Launch int
	warps  int // per thread block

	Blocks     []uint64 // ids, ascending
	WarpPath   []uint32 // per warp: number in paths
	warpMasks  []uint32
	warpGuards []uint32
	Paths      columns.SequenceTable[uint32]
	Masks      columns.SequenceTable[uint32]
	guards     columns.SequenceTable[uint32]
	pathCounts []pathCounts // per path

	accesses []lanecode.Access // in the order (warp, execution)
	lanes    lanecode.Patterns
	Sets     int // of explicit lanes; several may have one pattern

	WarpInstructions uint64

	Earlier    *precedents // of the chunk that this one follows, nil for none
	Precedents *precedents // for chunks that will follow this one, nil if none will
}

func (c *Raw) Reset(p *Plan, launch, warps int) {
	c.plan, c.Launch, c.warps = p, launch, warps
	c.Blocks = c.Blocks[:0]
	c.WarpPath, c.warpMasks, c.warpGuards = c.WarpPath[:0], c.warpMasks[:0], c.warpGuards[:0]
	c.Paths.Reset()
	c.Masks.Reset()
	c.guards.Reset()
	c.pathCounts = c.pathCounts[:0]
	c.accesses, c.Sets = c.accesses[:0], 0
	c.lanes.Truncate(0)
	c.WarpInstructions = 0
	c.Earlier, c.Precedents = nil, nil
}

// Full reports whether the chunk has reached the size at which it is written.
func (c *Raw) Full() bool {
	return c.WarpInstructions >= flushWarpInstructions || len(c.Blocks) >= FlushBlocks ||
		len(c.WarpPath) >= maxWarps/2
}

// CountVisits counts the visits of each basic block by the chunk's warps, in the memory
// of the slices; each distinct path is walked once.
func (c *Raw) CountVisits(perPath, perBlock []uint64) (path, block []uint64) {
	perPath, perBlock = columns.Zeroed(perPath, c.Paths.Len()), columns.Zeroed(perBlock, len(c.plan.Blocks))
	for _, p := range c.WarpPath {
		perPath[p]++
	}
	for p, n := range perPath {
		for _, id := range c.Paths.At(p) {
			perBlock[id] += n
		}
	}
	return perPath, perBlock
}

// Estimate is about how many bytes the chunk's message will take.
func (c *Raw) Estimate() int {
	return 4096 + 48*c.Sets + 3*len(c.WarpPath) + len(c.Paths.Data) + len(c.Masks.Data)
}
