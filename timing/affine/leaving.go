// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"slices"

	"github.com/warptape/warptape/trace"
)

// ordersApart reports whether a warp can execute the sides of a branch in another order
// than the batch that the affine warp stands for. One affine warp follows the recorded
// warps as long as joins nest: threads that come to where a branch further out waits have
// passed the joins of the branches inside. Where threads leave inside, a branch may have
// no join before that of the outer one. The batch, which parts at the outer branch, then
// stops there; a warp whose threads all took one side of it goes on.
func ordersApart(k *trace.Kernel) bool {
	if !slices.ContainsFunc(k.Blocks, func(b trace.BasicBlock) bool { return len(b.Joins) > 0 }) {
		return false // joins that are post-dominators nest
	}
	joins := make([][]uint32, len(k.Blocks))
	beyond := make([][]bool, len(k.Blocks)) // what a branch reaches before its joins
	for b := range k.Blocks {
		if len(k.Blocks[b].Successors) > 1 {
			joins[b] = k.Blocks[b].Reconvergence(nil)
			beyond[b] = reachedBefore(k, b, joins[b])
		}
	}
	for outer := range k.Blocks {
		for _, join := range joins[outer] {
			for inner, reached := range reachedBefore(k, outer, []uint32{join}) {
				if reached && inner != outer && beyond[inner] != nil && beyond[inner][join] && !slices.Contains(joins[inner], join) {
					return true
				}
			}
		}
	}
	return false
}

// reachedBefore marks the blocks that are reached from the end of a block; ways go on to
// the stops and not beyond.
func reachedBefore(k *trace.Kernel, from int, stops []uint32) []bool {
	reached := make([]bool, len(k.Blocks))
	work := slices.Clone(k.Blocks[from].Successors)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if reached[b] {
			continue
		}
		reached[b] = true
		if !slices.Contains(stops, b) {
			work = append(work, k.Blocks[b].Successors...)
		}
	}
	return reached
}
