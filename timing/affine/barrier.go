// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"slices"

	"github.com/warptape/warptape/trace"
)

// waitsAcross reports whether warps of a thread block may wait for each other on
// different sides of a branch. They may do so at barriers for a part of the thread block,
// or at barriers on both sides. The affine warp follows one side after the other, and the
// first could not end before the second has begun.
func (a *analysis) waitsAcross() bool {
	barriers := make([]bool, len(a.k.Blocks))
	some := false
	for i := range a.k.Instructions {
		in := &a.k.Instructions[i]
		if in.Class != trace.ClassBarrier || a.g.rank[a.g.blockOf[i]] < 0 {
			continue
		}
		if partial(in) {
			return true
		}
		barriers[a.g.blockOf[i]], some = true, true
	}
	if !some {
		return false
	}
	for _, b := range a.g.order {
		if s := a.k.Blocks[b].Successors; len(s) == 2 && !a.inBlock(b) && a.sideWaits(s[0], b, barriers) && a.sideWaits(s[1], b, barriers) {
			return true
		}
	}
	return false
}

// partial reports whether a barrier is not for all threads of the block.
func partial(in *trace.Instruction) bool {
	if slices.Contains(in.Modifiers, "arrive") {
		return true
	}
	operands := in.Operands[in.Destinations:]
	if slices.Contains(in.Modifiers, "red") {
		return len(operands) > 2 // the barrier, perhaps its threads, and a predicate
	}
	return len(operands) > 1 || len(operands) == 1 && operands[0].Kind != trace.OperandImmediate
}

// inBlock reports whether all threads of a thread block take the branch at the end of b
// the same way.
func (a *analysis) inBlock(b uint32) bool {
	last := a.g.last(b)
	if a.guards[last] == none {
		return false
	}
	p := a.use(a.guards[last], b)
	return p.typ <= Block
}

// sideWaits reports whether there is a barrier on the way from a block to the
// post-dominator of branch b.
func (a *analysis) sideWaits(from, b uint32, barriers []bool) bool {
	end := a.k.Blocks[b].PostDominator
	seen := map[uint32]bool{}
	work := []uint32{from}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if at == end || seen[at] {
			continue
		}
		if seen[at] = true; barriers[at] {
			return true
		}
		work = append(work, a.k.Blocks[at].Successors...)
	}
	return false
}
