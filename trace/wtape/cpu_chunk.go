// SPDX-License-Identifier: Apache-2.0

package wtape

import (
	"fmt"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/content"
)

// CPUChunkInfo is what the index says of one CPU chunk.
type CPUChunkInfo = container.CPUChunkInfo

// CPUChunk is the decoded content of one CPU chunk: instruction i of it is
// Table[Steps[i]]. The addresses of all instructions follow each other in Addresses,
// of one instruction the stores by slot, then the loads. Make one with NewCPUChunk
// and let Reader.ReadCPUChunk fill it; its memory is reused.
type CPUChunk struct {
	Thread    int
	First     uint64 // number of instruction 0 in its thread
	Table     []trace.CPUInstruction
	Steps     []uint32
	Taken     []bool // per instruction
	Addresses []uint64
	Syncs     []trace.CPUSync // in order; those of an instruction come before it

	part content.CPUChunk
}

// NewCPUChunk returns an empty chunk.
func NewCPUChunk() *CPUChunk { return new(CPUChunk) }

// Totals counts the chunk.
func (c *CPUChunk) Totals() (t trace.CPUTotals) {
	t.CountSteps(c.Table, c.Steps, c.Taken)
	t.Syncs = uint64(len(c.Syncs))
	return t
}

// CPUThreads is the number of CPU threads of the trace.
func (r *Reader) CPUThreads() int { return int(r.content.Totals.CPU.Threads) }

// CPUChunks lists the CPU chunks, by thread and instruction. Read-only.
func (r *Reader) CPUChunks() []CPUChunkInfo { return r.content.File.Index.CPU }

// ReadCPUChunk reads and decodes CPU chunk i, replacing what was in the chunk. The
// error names the file and the chunk; the chunk's content is undefined then.
func (r *Reader) ReadCPUChunk(i int, into *CPUChunk) error {
	c := &r.content
	if i < 0 || i >= len(c.File.Index.CPU) {
		return fmt.Errorf("%s: CPU chunk %d of %d does not exist", c.Name, i, len(c.File.Index.CPU))
	}
	p := &into.part
	err := c.ReadCPUChunkNumber(i, p)
	into.Thread, into.First, into.Table = p.Thread, p.First, p.Table
	into.Steps, into.Taken, into.Addresses, into.Syncs = p.Steps, p.Taken, p.Addresses, p.Syncs
	return err
}
