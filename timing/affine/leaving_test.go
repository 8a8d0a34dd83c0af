// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"testing"

	"github.com/warptape/warptape/trace"
)

// One branch is inside of another. With a side that leaves it has no join of its own,
// and warps whose threads all came to it would not stop where the outer branch joins.
func TestABranchWithASideThatLeavesOrdersWarpsApart(t *testing.T) {
	block := func(postDominator uint32, joins []uint32, successors ...uint32) trace.BasicBlock {
		return trace.BasicBlock{Count: 1, Successors: successors, PostDominator: postDominator, Joins: joins}
	}
	const exit = trace.NoBlock
	for name, c := range map[string]struct {
		blocks []trace.BasicBlock
		want   bool
	}{
		"nested":                 {[]trace.BasicBlock{block(4, nil, 1, 4), block(3, nil, 2, 3), block(3, nil, 3), block(4, nil, 4), block(exit, nil)}, false},
		"a side leaves inside":   {[]trace.BasicBlock{block(exit, []uint32{4}, 1, 4), block(exit, nil, 2, 3), block(exit, nil), block(4, nil, 4), block(exit, nil)}, true},
		"a side leaves in front": {[]trace.BasicBlock{block(exit, nil, 1, 4), block(3, []uint32{3}, 2, 3), block(3, nil, 3), block(exit, nil), block(exit, nil)}, false},
		// The branch 2 of the loop 1-2-3 joins at 3, which the loop's own branch passes.
		"a loop": {[]trace.BasicBlock{block(1, nil, 1), block(4, []uint32{4}, 2, 4), block(3, nil, 3, 5), block(1, nil, 1), block(exit, nil), block(3, nil, 3)}, false},
	} {
		k := &trace.Kernel{Blocks: c.blocks}
		if got := ordersApart(k); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
