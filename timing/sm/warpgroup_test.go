// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

// A product of a warpgroup is complete when all four warps have computed their parts (PTX ISA
// 9.7.15): three warps that wait for it go on behind the fourth, which comes late. Warps of
// another warpgroup, and those whose warpgroup's others have ended, go on at once.
func TestAWarpgroupsProductWaitsForItsLastWarp(t *testing.T) {
	const links = 500
	chain := func(k *gputest.Kernel) uint32 {
		block := uint32(len(k.Blocks) - 1)
		for range links {
			k.Op(trace.ClassIntAdd, 1, 1)
		}
		k.Branch()
		return block
	}
	k := gputest.NewKernel("product")
	k.Branch()
	before := chain(k)
	product := uint32(len(k.Blocks) - 1)
	k.Op(trace.ClassTensor, 2)
	multiply := &k.Instructions[len(k.Instructions)-1]
	multiply.Opcode, multiply.Modifiers, multiply.Types = "wgmma", []string{"mma_async", "sync", "m64n8k16"}, []string{"f32", "f16", "f16"}
	k.Op(trace.ClassNop, gputest.None)
	commit := &k.Instructions[len(k.Instructions)-1]
	commit.Opcode, commit.Modifiers = "wgmma", []string{"commit_group", "sync", "aligned"}
	k.Op(trace.ClassFence, gputest.None)
	wait := &k.Instructions[len(k.Instructions)-1]
	wait.Opcode, wait.Modifiers = "wgmma", []string{"wait_group", "sync", "aligned"}
	wait.Operands = []trace.Operand{{Kind: trace.OperandImmediate}}
	k.Branch()
	behind := chain(k)
	exit := uint32(len(k.Blocks) - 1)
	k.Exit()

	link := clock.Cycle(gputest.OperandRead + gputest.ALULatency)
	for _, c := range []struct {
		what          string
		warps         int
		late, follows int // the warp that comes late, and one that goes on behind the product
		leaves        bool
		chains        clock.Cycle // one behind the other
	}{
		{"the fourth of a warpgroup", 4, 3, 0, false, 2},
		{"the first of a warpgroup", 4, 0, 2, false, 2},
		{"another warpgroup", 8, 3, 4, false, 1},
		{"the second of the second warpgroup", 8, 5, 7, false, 2},
		{"the last of three", 3, 2, 1, false, 2},
		{"a warp that leaves", 4, 1, 0, true, 2},
	} {
		run := replay(t, build(t, gputest.Machine(), &gputest.Memory{}), gputest.Launch{Kernel: k, Blocks: 1, Threads: 32 * c.warps, Record: func(w *gputest.Warp) {
			w.Visit(0, w.Lanes)
			if w.Warp == c.late {
				w.Visit(before, w.Lanes)
			}
			if w.Warp != c.late || !c.leaves {
				w.Visit(product, w.Lanes)
			}
			if w.Warp == c.follows {
				w.Visit(behind, w.Lanes)
			}
			w.Visit(exit, w.Lanes)
		}})
		if want := c.chains * links * link; run.Cycles < want || run.Cycles > want+links {
			t.Errorf("%s: %d cycles, want %d and some", c.what, run.Cycles, want)
		}
	}
}
