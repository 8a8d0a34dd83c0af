// SPDX-License-Identifier: Apache-2.0

package projection

import (
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Recording is the path of a recorded warp, for threads that are followed together while
// they are at the same visit. It is a view into the chunk, valid until that is reused.
type Recording struct {
	plan  *Plan
	chunk *wtape.Chunk
	warp  trace.Warp
}

// Place is a visit of a recording. The zero value is in front of the first.
type Place struct {
	after         int // visits up to this one
	guard, access int // of this one, or of the first
}

// Recording gives the path of a warp (linear number in its thread block). It is empty if
// the chunk does not hold it.
func (p *Plan) Recording(chunk *wtape.Chunk, block uint64, warp int) Recording {
	return Recording{plan: p, chunk: chunk, warp: chunk.Warp(block, warp)}
}

// Next is the first visit behind a place that any of the lanes makes, and those that make
// it; no lanes: there is none.
func (r *Recording) Next(at Place, lanes uint32) (next Place, of uint32) {
	for ; at.after < len(r.warp.Blocks); at.after++ {
		if at.after > 0 {
			b := &r.plan.blocks[r.warp.Blocks[at.after-1]]
			at.guard += int(b.guards)
			at.access += len(b.memory)
		}
		if of = r.warp.Masks[at.after] & lanes; of != 0 {
			at.after++
			return at, of
		}
	}
	return at, 0
}

// Visit is the number of a visit among those of its warp, from one on.
func (at Place) Visit() int { return at.after }

// Block is the basic block of a visit.
func (r *Recording) Block(at Place) uint32 { return r.warp.Blocks[at.after-1] }

// Guard gives the lanes for which the guard of the i-th guarded instruction of a visit
// held.
func (r *Recording) Guard(at Place, i int) uint32 { return r.warp.Guards[at.guard+i] }

// Access is the i-th memory instruction of a visit: the addresses of those lanes whose
// guard held.
func (r *Recording) Access(at Place, i int) trace.Access { return r.warp.Accesses[at.access+i] }

// Addresses puts those of some lanes of an access where they belong.
func (r *Recording) Addresses(a trace.Access, lanes uint32, to *[trace.WarpSize]uint64) {
	r.chunk.Addresses(a, lanes, to)
}
