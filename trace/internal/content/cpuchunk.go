// SPDX-License-Identifier: Apache-2.0

package content

import (
	"fmt"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/cpuchunks"
	"github.com/warptape/warptape/trace/internal/frames"
)

// CPUChunk is a CPU chunk as it is read and decoded: instruction i is
// Table[Steps[i]]. Its memory is reused.
type CPUChunk struct {
	Thread    int
	First     uint64 // number of instruction 0 in its thread
	Table     []trace.CPUInstruction
	Steps     []uint32
	Taken     []bool // per instruction
	Addresses []uint64
	Syncs     []trace.CPUSync
	Raw       []byte // the message

	decoder cpuchunks.Decoder
	frame   container.Buffer
}

// decode fills the chunk from a CpuChunk message.
func (c *CPUChunk) decode(raw []byte) error {
	d := &c.decoder
	d.Steps, d.Taken, d.Addresses, d.Syncs = c.Steps, c.Taken, c.Addresses, c.Syncs
	err := d.Decode(raw)
	c.Thread, c.First, c.Table, c.Steps, c.Taken, c.Addresses, c.Raw = d.Thread, d.First, d.Table, d.Steps, d.Taken, d.Addresses, raw
	c.Syncs = d.Syncs
	return err
}

// DecodeCPUChunk reads and decodes the CPU chunk in a frame, whatever the index says.
func (c *Content) DecodeCPUChunk(offset, length int64, into *CPUChunk) error {
	h, raw, err := c.File.ReadFrame(offset, length, &into.frame)
	if err != nil {
		return err
	}
	return into.decodeAs(h.Kind, raw)
}

// decodeAs refuses a chunk whose kind of frame does not say that it has synchronisation.
func (c *CPUChunk) decodeAs(kind wtapepb.FrameKind, raw []byte) error {
	if err := c.decode(raw); err != nil {
		return err
	}
	if (kind == wtapepb.FrameKind_FRAME_KIND_CPU_SYNC_CHUNK) != (len(c.Syncs) > 0) {
		return fmt.Errorf("has %d events of synchronisation in a frame of kind %d", len(c.Syncs), kind)
	}
	return nil
}

// ReadCPUChunk reads and decodes a CPU chunk of the index.
func (c *Content) ReadCPUChunk(info *container.CPUChunkInfo, into *CPUChunk) error {
	h, raw, err := c.File.ReadFrame(info.Offset, info.Length, &into.frame)
	if err != nil {
		return err
	}
	if !frames.CPUChunk(h.Kind) {
		return fmt.Errorf("is a frame of kind %d", h.Kind)
	}
	if err := into.decodeAs(h.Kind, raw); err != nil {
		return err
	}
	if into.Thread != info.Thread || into.First != info.First || len(into.Steps) != info.Instructions {
		return fmt.Errorf("holds %d instructions of thread %d from %d, contrary to the index", len(into.Steps), into.Thread, into.First)
	}
	return nil
}

// ReadCPUChunkNumber is ReadCPUChunk for CPU chunk i of the index, which exists. Its
// error names the file and the chunk.
func (c *Content) ReadCPUChunkNumber(i int, into *CPUChunk) error {
	info := &c.File.Index.CPU[i]
	if err := c.ReadCPUChunk(info, into); err != nil {
		return fmt.Errorf("%s: CPU chunk %d (thread %d, instructions from %d, offset %d): %w", c.Name, i, info.Thread, info.First, info.Offset, err)
	}
	return nil
}
