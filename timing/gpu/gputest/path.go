// SPDX-License-Identifier: Apache-2.0

package gputest

import (
	"math/bits"

	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Step is a memory instruction that a thread executes, with its address.
type Step struct {
	Instruction uint32
	Address     uint64
}

// ThreadPath gives the instructions of a thread, those under a guard that holds or without
// one, and its accesses, as the trace's columns have them: the oracle of what a replay
// executes, whatever its machine.
func ThreadPath(k *trace.Kernel, c *wtape.Chunk, block uint64, thread int) (path, held []uint32, accesses []Step) {
	w, lane := c.Warp(block, thread/trace.WarpSize), thread%trace.WarpSize
	guard, access := 0, 0
	for v, id := range w.Blocks {
		here := w.Masks[v]>>lane&1 != 0
		for i := k.Blocks[id].First; i < k.Blocks[id].First+k.Blocks[id].Count; i++ {
			in, takes := &k.Instructions[i], here
			if in.Guarded() {
				takes = takes && w.Guards[guard]>>lane&1 != 0
				guard++
			}
			if here {
				path = append(path, i)
			}
			if takes {
				held = append(held, i)
			}
			if in.Values {
				access++
			}
			if in.Class.IsMemory() {
				if takes {
					var at [trace.WarpSize]uint64
					c.Addresses(w.Accesses[access], 1<<lane, &at)
					accesses = append(accesses, Step{i, at[lane]})
				}
				access++
			}
		}
	}
	return path, held, accesses
}

// Steps gives the accesses of lanes: l is the lane, of the thread a.ThreadBase+l.
func Steps(a *seam.MemoryAccess, each func(l int, s Step)) {
	var at [trace.WarpSize]uint64
	if a.Access.Strided() {
		for l := range at {
			at[l] = a.Access.Base + uint64(int64(a.Access.Stride)*int64(l))
		}
	} else {
		a.Chunk.Addresses(a.Access, a.Mask, &at)
	}
	for rest := a.Mask; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest)
		each(l, Step{a.Instruction, at[l]})
	}
}
