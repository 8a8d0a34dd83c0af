// SPDX-License-Identifier: Apache-2.0

package content

import (
	"fmt"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/chunks"
	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/lanecode"
)

// Chunk is a chunk as it is read and decoded; its memory is reused.
type Chunk struct {
	Decoded chunks.Decoder   // the columns
	Frame   container.Buffer // the payload is in it

	accesses []trace.Access
}

// Scratch is the memory that reading a chunk takes besides what the chunk keeps: chunks that
// are read one after the other may use one.
type Scratch struct {
	decoder *chunks.Scratch
	frame   container.Buffer
}

// Exchange swaps the chunk's scratch memory for another. What is decoded stays.
func (c *Chunk) Exchange(s *Scratch) {
	c.Decoded.Scratch, s.decoder = s.decoder, c.Decoded.Scratch
	c.Frame, s.frame = s.frame, c.Frame
}

// largeScratch is more memory than thread blocks that share a chunk need.
const largeScratch = 256 << 20

// Large reports whether so much memory is needed so seldom that it is not kept.
func (s *Scratch) Large() bool {
	return s.decoder != nil && s.decoder.Bytes()+s.frame.Bytes() > largeScratch
}

// Bytes is the memory that the chunk keeps.
func (c *Chunk) Bytes() int64 { return accessBytes*int64(cap(c.accesses)) + c.Decoded.Bytes() }

// accessBytes is the size of a trace.Access.
const accessBytes = 16

// Decode fills the chunk from c.Frame.Raw, a Chunk message that the index attributes to
// the given launch.
func (c *Chunk) Decode(launches []trace.Launch, plans []*Plan) error {
	d := &c.Decoded
	if err := d.Parse(c.Frame.Raw, len(launches)); err != nil {
		return err
	}
	l := &launches[d.Launch]
	p := plans[l.Kernel].Plan
	if err := d.Decode(p, l.Warps(), l.Grid.Count()); err != nil {
		return err
	}
	c.accesses = columns.Sized(c.accesses, d.Accesses())
	return d.Fill(p, c.accesses)
}

// Warp is the path of warp number w, counted through all thread blocks of the chunk.
func (c *Chunk) Warp(w int) trace.Warp {
	blocks, masks, guards := c.Decoded.Warp(w)
	first, end := c.Decoded.Extent(w)
	return trace.Warp{Blocks: blocks, Masks: masks, Guards: guards, Accesses: c.accesses[first:end]}
}

// Lanes writes the addresses of all lanes under which an access was recorded to out. What it
// writes for others means nothing.
func (c *Chunk) Lanes(a trace.Access, out *[trace.WarpSize]uint64) {
	if a.Lanes >= 0 {
		c.Decoded.Lanes.Place(a.Lanes, a.Base, out)
	} else {
		lanecode.PlaceStride(out, a.Base, a.Stride)
	}
}

// Addresses is Lanes for some of those lanes, with zero for the others.
func (c *Chunk) Addresses(a trace.Access, mask uint32, out *[trace.WarpSize]uint64) {
	c.Lanes(a, out)
	if mask == ^uint32(0) {
		return
	}
	for l := range out {
		if mask>>l&1 == 0 {
			out[l] = 0
		}
	}
}

// CheckMasks checks what a writer takes for granted and a chunk may violate.
func (c *Chunk) CheckMasks(p *Plan, l *trace.Launch) error {
	_, err := c.Decoded.CheckWarps(p.Plan, l.FullMask, func(int, uint32) error { return nil })
	return err
}

// ReadChunk reads and decodes a chunk of the index.
func (c *Content) ReadChunk(info *container.ChunkInfo, into *Chunk) error {
	h, _, err := c.File.ReadFrame(info.Offset, info.Length, &into.Frame)
	if err != nil {
		return err
	}
	if h.Kind != wtapepb.FrameKind_FRAME_KIND_CHUNK {
		return fmt.Errorf("is a frame of kind %d", h.Kind)
	}
	if err := into.Decode(c.Launches, c.Plans); err != nil {
		return err
	}
	d := &into.Decoded
	if b := d.Blocks; d.Launch != info.Launch || len(b) != info.Blocks || b[0] != info.FirstBlock || b[len(b)-1] != info.LastBlock {
		return fmt.Errorf("holds %d thread blocks, %d to %d of launch %d, contrary to the index", len(b), b[0], b[len(b)-1], d.Launch)
	}
	return nil
}

// ReadChunkNumber is ReadChunk for chunk i of the index, which exists. Its error names
// the file and the chunk.
func (c *Content) ReadChunkNumber(i int, into *Chunk) error {
	if err := c.ReadChunk(&c.File.Index.Chunks[i], into); err != nil {
		return fmt.Errorf("%s: %s: %w", c.Name, c.File.Index.ChunkName(i), err)
	}
	return nil
}

// DescribeChunk fills launch and thread blocks of a chunk from its message alone.
func (c *Content) DescribeChunk(info *container.ChunkInfo, scratch *Chunk) error {
	_, raw, err := c.File.ReadFrame(info.Offset, info.Length, &scratch.Frame)
	if err != nil {
		return err
	}
	info.Launch, info.FirstBlock, info.LastBlock, err = scratch.Decoded.Describe(raw)
	return err
}
