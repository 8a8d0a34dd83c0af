// SPDX-License-Identifier: Apache-2.0

package coexecution

import (
	"io"

	"github.com/warptape/warptape/trace"
)

// Watch follows one thread of each launch, instruction by instruction.
type Watch struct {
	// Block and Thread are the indices, x fastest, of the thread block in the
	// grid and of the thread in its block.
	Block, Thread uint64
	// Registers are the names of the registers to show ("%r1"); empty shows all
	// that an instruction writes.
	Registers []string
	// Out takes a line for each instruction that the thread executes and that
	// writes one of the registers, or, without names, each instruction.
	Out io.Writer

	Launch uint64 // the last one that was announced
}

// Lane is the lane of the watched thread in a warp; ok is false for other warps.
func (w *Watch) Lane(id *WarpIdentity) (lane int, ok bool) {
	b, g := id.Block.Index, id.Launch.Grid
	block := (uint64(b.Z)*uint64(g.Y)+uint64(b.Y))*uint64(g.X) + uint64(b.X)
	return int(w.Thread % trace.WarpSize), block == w.Block && w.Thread/trace.WarpSize == uint64(id.Warp)
}
