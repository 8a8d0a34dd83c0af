// SPDX-License-Identifier: Apache-2.0

package addresses

import (
	"bufio"
	"fmt"
	"io"
	"math/bits"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Options of Export.
type Options struct {
	Format Format
	// SegmentBytes, a power of two, joins the lanes of an access that touch the same
	// aligned segment; an access that crosses a border touches both. Zero writes every
	// lane by itself.
	SegmentBytes uint64
	// Spaces are the state spaces to write; an access of the generic space is of the
	// one that its address lies in. Addresses are those of the trace: global ones are
	// device addresses, others are relative to their space. So those of shared memory
	// are equal in all thread blocks and those of local memory in all threads.
	Spaces map[trace.Space]bool
	// Launches and Blocks (linear thread block ids) choose what is written.
	Launches, Blocks trace.Range
}

// Export writes the stream and counts its accesses, which are lines but for atomics
// in formats of reads and writes. Memory is that of one chunk.
func Export(r *wtape.Reader, out io.Writer, o Options) (accesses uint64, err error) {
	switch {
	case o.Format >= formatEnd:
		return 0, fmt.Errorf("%v does not exist", o.Format)
	case o.SegmentBytes&(o.SegmentBytes-1) != 0:
		return 0, fmt.Errorf("segments of %d bytes: want a power of two, or 0 for single lanes", o.SegmentBytes)
	case len(r.Launches()) > 0 && o.Launches.First >= uint64(len(r.Launches())):
		return 0, fmt.Errorf("%s: launches %v do not exist: it has %d, counted from 0", r.Name(), o.Launches, len(r.Launches()))
	}
	x := &exporter{options: &o, writer: writer{out: bufio.NewWriterSize(out, 64<<10), format: o.Format}}
	if o.Format == CSV {
		x.writer.out.WriteString(csvHeader) // a failure sticks to the writer
	}
	c := wtape.NewChunk()
	for i, info := range r.Chunks() {
		if !o.Launches.Has(uint64(info.Launch)) || info.LastBlock < o.Blocks.First || info.FirstBlock > o.Blocks.Last {
			continue
		}
		if err := r.ReadChunk(i, c); err != nil {
			return x.writer.written, err
		}
		if err := x.chunk(&r.Kernels()[r.Launches()[info.Launch].Kernel], c); err != nil {
			return x.writer.written, err
		}
	}
	return x.writer.written, x.writer.out.Flush()
}

type exporter struct {
	options *Options
	writer  writer
	lanes   [trace.WarpSize]uint64
	at      access
	pending []segment
}

// segment is a line of an access that is being put together.
type segment struct {
	space   trace.Space
	address uint64
	lanes   uint32
}

func (x *exporter) chunk(k *trace.Kernel, c *wtape.Chunk) error {
	x.at = access{launch: c.Launch()}
	for _, block := range c.Blocks() {
		if !x.options.Blocks.Has(block) {
			continue
		}
		x.at.block = block
		for warp := range c.WarpsPerBlock() {
			x.at.warp = warp
			if err := x.warp(k, c, c.Warp(block, warp)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *exporter) warp(k *trace.Kernel, c *wtape.Chunk, w trace.Warp) error {
	for e := range w.Executed(k) {
		if !e.In.Class.IsMemory() || e.Mask == 0 || e.In.Space != trace.SpaceGeneric && !x.options.Spaces[e.In.Space] {
			continue
		}
		x.at.instruction, x.at.in = e.Index, e.In
		if e.In.Class == trace.ClassBulk {
			if err := x.bulk(c, *e.Access, e.In, e.Mask); err != nil {
				return err
			}
			continue
		}
		c.Addresses(*e.Access, e.Mask, &x.lanes)
		if err := x.access(e.In, e.Mask); err != nil {
			return err
		}
	}
	return nil
}

// bulk writes what a bulk copy moved, piece by piece.
func (x *exporter) bulk(c *wtape.Chunk, a trace.Access, in *trace.Instruction, mask uint32) error {
	var copied trace.BulkCopy
	c.Bulk(a, &copied)
	for address, bytes := range copied.Pieces {
		x.pending = x.pending[:0]
		x.add(in.Space, address, bytes, bits.TrailingZeros32(mask))
		for i := range x.pending {
			s := &x.pending[i]
			x.at.space, x.at.address, x.at.lanes = s.space, s.address, s.lanes
			if x.at.bytes = x.options.SegmentBytes; x.at.bytes == 0 {
				x.at.bytes = bytes
			}
			if err := x.writer.write(&x.at); err != nil {
				return err
			}
		}
	}
	return nil
}

// access writes one execution, whose lane addresses are in x.lanes.
func (x *exporter) access(in *trace.Instruction, mask uint32) error {
	x.pending = x.pending[:0]
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		address, space := trace.AddressOf(x.lanes[lane]), in.Space
		if space == trace.SpaceGeneric {
			if space, address = trace.ResolveGeneric(address); !x.options.Spaces[space] {
				continue
			}
		}
		x.add(space, address, uint64(in.LaneBytes), lane)
	}
	for i := range x.pending {
		s := &x.pending[i]
		x.at.space, x.at.address, x.at.lanes = s.space, s.address, s.lanes
		if x.at.bytes = x.options.SegmentBytes; x.at.bytes == 0 {
			x.at.bytes = uint64(in.LaneBytes)
		}
		if err := x.writer.write(&x.at); err != nil {
			return err
		}
	}
	return nil
}

// add enters a lane into the segments that it touches.
func (x *exporter) add(space trace.Space, address, bytes uint64, lane int) {
	size := x.options.SegmentBytes
	if size == 0 {
		x.pending = append(x.pending, segment{space, address, 1 << lane})
		return
	}
	first, last := address/size, (address+max(bytes, 1)-1)/size
	for number := first; ; number++ {
		x.join(space, number*size, lane)
		if number >= last { // also when the access wraps around 2^64
			return
		}
	}
}

func (x *exporter) join(space trace.Space, address uint64, lane int) {
	for i := len(x.pending) - 1; i >= 0; i-- { // neighbours mostly share
		if s := &x.pending[i]; s.address == address && s.space == space {
			s.lanes |= 1 << lane
			return
		}
	}
	x.pending = append(x.pending, segment{space, address, 1 << lane})
}
