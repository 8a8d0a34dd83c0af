// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"testing"

	"github.com/warptape/warptape/timing/lowering/ir"
)

// The operations of a division wait for each other, also those of 64-bit integers: a warp
// alone needs the latencies of nearly all of them, and not a cycle for each.
func TestDivisionsAreChains(t *testing.T) {
	for line, least := range map[string]int{
		"div.u32 r3, r1, r2": 14,
		"div.s32 r3, r1, r2": 14,
		"rem.u32 r3, r1, r2": 14,
		"div.u64 d3, d1, d2": 60,
		"div.s64 d3, d1, d2": 60,
		"rem.u64 d3, d1, d2": 60,
	} {
		f, err := Select(assemble(t, line+"\nst.global.u32 [d1], r3\nst.global.u64 [d1], d3\nexit"), [][]Part{{{Block: 0}}}, Target{})
		if err != nil {
			t.Fatal(err)
		}
		depth := map[ir.Register]int{}
		deepest := 0
		for i := range f.Blocks[0].Ops {
			op := &f.Blocks[0].Ops[i]
			d := 0
			op.EachRead(func(r ir.Register) { d = max(d, depth[r]) })
			for _, r := range op.Dst {
				depth[r] = d + 1
			}
			deepest = max(deepest, d+1)
		}
		if deepest < least {
			t.Errorf("%s: a chain of %d operations, %d are the least", line, deepest, least)
		}
	}
}
