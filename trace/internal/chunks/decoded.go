// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"slices"

	"github.com/warptape/warptape/trace/internal/columns"
)

// What a decoder has decoded, to look things up in.

// Place is where a thread block stands among those of the chunk.
func (c *Decoder) Place(block uint64) (int, bool) {
	if len(c.Blocks) == 0 {
		return 0, false
	}
	if i := block - c.Blocks[0]; i < uint64(len(c.Blocks)) && c.Blocks[i] == block {
		return int(i), true
	}
	return slices.BinarySearch(c.Blocks, block)
}

// Accesses is the number of accesses of all warps.
func (c *Decoder) Accesses() int { return c.start[len(c.start)-1] }

// Extent is where the accesses of a warp lie: from first to before end.
func (c *Decoder) Extent(warp int) (first, end int) { return c.start[warp], c.start[warp+1] }

// Warp is the path of a warp: the basic blocks it visited with their masks, and the
// masks of guarded instructions.
func (c *Decoder) Warp(w int) (blocks, masks, guards []uint32) {
	return c.paths.at(int(c.warpPath[w])), c.masks.at(int(c.warpMasks[w])), c.guards.at(int(c.warpGuards[w]))
}

// Bytes is the memory of what is decoded, without the accesses.
func (c *Decoder) Bytes() int64 {
	return 4*int64(cap(c.paths.data)+cap(c.masks.data)+cap(c.guards.data)) + c.Lanes.Bytes()
}

// Bytes is about the memory of the scratch: that of what there is per access.
func (s *Scratch) Bytes() int64 {
	total := 16*int64(cap(s.slots)) + int64(cap(s.laneClasses))
	for i := range s.streams {
		total += 24 * int64(cap(s.streams[i].shapes))
	}
	return total
}

// WarpInstructions is what all warps executed.
func (c *Decoder) WarpInstructions() (n uint64) {
	for _, path := range c.warpPath {
		n += c.pathCounts[path].instructions
	}
	return n
}

// CountVisits counts the visits of each basic block of the plan, in the memory of the
// slices; each distinct path is walked once.
func (c *Decoder) CountVisits(p *Plan, perPath, perBlock []uint64) (path, block []uint64) {
	perPath, perBlock = columns.Zeroed(perPath, len(c.paths.ends)), columns.Zeroed(perBlock, len(p.Blocks))
	for _, path := range c.warpPath {
		perPath[path]++
	}
	for path, n := range perPath {
		for _, id := range c.paths.at(path) {
			perBlock[id] += n
		}
	}
	return perPath, perBlock
}
