// SPDX-License-Identifier: Apache-2.0

package cursor

import (
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// CPU goes through the instructions of all CPU threads.
type CPU struct {
	r        *wtape.Reader
	Chunk    *wtape.CPUChunk
	next     int // chunk to read
	at       int // instruction of the chunk
	address  int // its first address
	started  bool
	operands int
	sync     int // the first event of the chunk that is not before the instruction
}

// NewCPU stands before the first instruction.
func NewCPU(r *wtape.Reader) *CPU { return &CPU{r: r, Chunk: wtape.NewCPUChunk()} }

// Step goes to the next instruction; false at the end.
func (c *CPU) Step() (bool, error) {
	if c.started {
		c.at++
		c.address += c.operands
	}
	if !c.started || c.at >= len(c.Chunk.Steps) {
		if c.next == len(c.r.CPUChunks()) {
			return false, nil
		}
		if err := c.r.ReadCPUChunk(c.next, c.Chunk); err != nil {
			return false, err
		}
		c.next++
		c.at, c.address, c.started, c.sync = 0, 0, true, 0
	}
	for c.sync < len(c.Chunk.Syncs) && int(c.Chunk.Syncs[c.sync].At) < c.at {
		c.sync++
	}
	c.operands = c.Instruction().Stores() + c.Instruction().Loads()
	return true, nil
}

// Instruction is what is executed.
func (c *CPU) Instruction() *trace.CPUInstruction { return &c.Chunk.Table[c.Chunk.Steps[c.at]] }

// Addresses are those of the stores by slot, then of the loads.
func (c *CPU) Addresses() []uint64 { return c.Chunk.Addresses[c.address : c.address+c.operands] }

// Syncs are the events of synchronisation before the instruction.
func (c *CPU) Syncs() []trace.CPUSync {
	end := c.sync
	for end < len(c.Chunk.Syncs) && int(c.Chunk.Syncs[end].At) == c.at {
		end++
	}
	return c.Chunk.Syncs[c.sync:end]
}

// Number counts the instructions of the thread, from 0.
func (c *CPU) Number() uint64 { return c.Chunk.First + uint64(c.at) }

// Taken is the outcome of a branch.
func (c *CPU) Taken() bool { return c.Chunk.Taken[c.at] }

// Skip passes the rest of the chunk.
func (c *CPU) Skip() {
	for c.at < len(c.Chunk.Steps)-1 {
		c.at++
		c.address += c.operands
		c.operands = c.Instruction().Stores() + c.Instruction().Loads()
	}
}
