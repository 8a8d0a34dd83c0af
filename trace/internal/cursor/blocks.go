// SPDX-License-Identifier: Apache-2.0

package cursor

import (
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Blocks goes through the stored thread blocks of a trace in order.
type Blocks struct {
	Chunk *wtape.Chunk // of the thread block
	r     *wtape.Reader
	next  int // chunk to read
	place int // thread block in chunk
}

// NewBlocks stands before the first thread block.
func NewBlocks(r *wtape.Reader) *Blocks { return &Blocks{r: r, Chunk: wtape.NewChunk()} }

// Step goes to the next thread block; false at the end.
func (c *Blocks) Step() (bool, error) {
	if c.place++; c.next > 0 && c.place < len(c.Chunk.Blocks()) {
		return true, nil
	}
	if c.next == len(c.r.Chunks()) {
		return false, nil
	}
	c.next++
	c.place = 0
	return true, c.r.ReadChunk(c.next-1, c.Chunk)
}

// Launch is the index of the launch.
func (c *Blocks) Launch() int { return c.Chunk.Launch() }

// Block is the linear id of the thread block.
func (c *Blocks) Block() uint64 { return c.Chunk.Blocks()[c.place] }

// Warp is the path of a warp of the thread block.
func (c *Blocks) Warp(w int) trace.Warp { return c.Chunk.Warp(c.Block(), w) }

// Kernel is the launch's kernel and its index.
func (c *Blocks) Kernel() (int, *trace.Kernel) {
	i := c.r.Launches()[c.Launch()].Kernel
	return i, &c.r.Kernels()[i]
}
