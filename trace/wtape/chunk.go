// SPDX-License-Identifier: Apache-2.0

package wtape

import (
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/lanesets"
)

// ChunkInfo is what the index says of one chunk.
type ChunkInfo = container.ChunkInfo

// Chunk is the decoded content of one chunk: what the warps of some thread blocks
// of one launch did. Make one with NewChunk and let Reader.ReadChunk fill it; its
// memory is reused. A Chunk is read by one goroutine or several, but not while it
// is being filled.
type Chunk struct {
	part content.Chunk
}

// NewChunk returns an empty chunk.
func NewChunk() *Chunk { return &Chunk{} }

// Launch is the index of the chunk's launch.
func (c *Chunk) Launch() int { return c.part.Decoded.Launch }

// Blocks lists the linear ids of the chunk's thread blocks, ascending. The slice
// is valid until the chunk is reused.
func (c *Chunk) Blocks() []uint64 { return c.part.Decoded.Blocks }

// WarpsPerBlock is the number of warps of each thread block.
func (c *Chunk) WarpsPerBlock() int { return c.part.Decoded.Warps }

// Warp is the path of one warp of a thread block. It is empty when the chunk does
// not hold the thread block or the block has no such warp.
func (c *Chunk) Warp(block uint64, warp int) trace.Warp {
	d := &c.part.Decoded
	i, ok := d.Place(block)
	if !ok || warp < 0 || warp >= d.Warps {
		return trace.Warp{}
	}
	return c.part.Warp(i*d.Warps + warp)
}

// Addresses writes the addresses of the lanes in mask to out, zero for the others.
// The mask must be one under which the access was recorded, or a part of it.
func (c *Chunk) Addresses(a trace.Access, mask uint32, out *[trace.WarpSize]uint64) {
	c.part.Addresses(a, mask, out)
}

// Lanes is Addresses for all lanes under which the access was recorded. What it writes for
// other lanes means nothing.
func (c *Chunk) Lanes(a trace.Access, out *[trace.WarpSize]uint64) { c.part.Lanes(a, out) }

// Lane is the address of one lane under which the access was recorded. The chunk may be nil
// for a strided access.
func (c *Chunk) Lane(a trace.Access, lane int) uint64 {
	if a.Strided() {
		return a.Base + uint64(int64(a.Stride)*int64(lane))
	}
	return c.part.Decoded.Lanes.Lane(a.Lanes, a.Base, lane)
}

// AddLanes gives an access of the lanes in mask, which is not empty, at any addresses, and
// keeps them in the chunk: for accesses that no file holds. Others may not use the
// chunk meanwhile.
func (c *Chunk) AddLanes(mask uint32, addresses *[trace.WarpSize]uint64) trace.Access {
	base, at := c.part.Decoded.Lanes.Add(mask, 0, addresses)
	return trace.Access{Base: base, Lanes: at}
}

// LaneSets is the number of different sets of lane addresses that the chunk holds.
func (c *Chunk) LaneSets() int { return c.part.Decoded.Lanes.Count() }

// LaneBytes is the memory that lane addresses take.
func (c *Chunk) LaneBytes() int64 { return c.part.Decoded.Lanes.Bytes() }

// Bytes is the memory of what is decoded.
func (c *Chunk) Bytes() int64 { return c.part.Bytes() }

// Bulk gives what an access of a bulk copy moved; b's memory is reused.
func (c *Chunk) Bulk(a trace.Access, b *trace.BulkCopy) {
	var words [trace.WarpSize]uint64
	c.Addresses(a, ^uint32(0), &words)
	b.SetWords(&words)
}

// LanePage is how many sets of lane addresses AddLanes keeps in the memory that the first
// of them takes.
const LanePage = lanesets.PageSets
