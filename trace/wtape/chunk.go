// SPDX-License-Identifier: Apache-2.0

package wtape

import (
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/content"
)

// ChunkInfo is what the index says of one chunk.
type ChunkInfo = container.ChunkInfo

// Chunk is the decoded content of one chunk: what the warps of some thread blocks
// of one launch did. Make one with NewChunk and let Reader.ReadChunk fill it; its
// memory is reused. A Chunk is read by one goroutine or several, but not while it
// is being filled.
type Chunk struct {
	// LaneAddresses holds the explicit addresses of irregular accesses, 32 each;
	// Access.Lanes is an offset into it. Equal accesses may share one set.
	LaneAddresses []uint64

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
	content.PlaceAddresses(c.LaneAddresses, a, mask, out)
}

// Bulk gives what an access of a bulk copy moved; b's memory is reused.
func (c *Chunk) Bulk(a trace.Access, b *trace.BulkCopy) {
	var words [trace.WarpSize]uint64
	c.Addresses(a, ^uint32(0), &words)
	b.SetWords(&words)
}
