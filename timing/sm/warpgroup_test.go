// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
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

// Warps that follow others in their slots begin a warpgroup anew, however many products each of those has computed.
func TestAWarpgroupBeginsAnew(t *testing.T) {
	k := gputest.NewKernel("products")
	k.Product(4).CommitProducts().Branch()
	k.AwaitProducts(0).Op(trace.ClassIntAdd, 1, 1).Branch()
	k.Exit()
	cycles := func(behind uint32, before ...int) clock.Cycle { // a basic block, behind products of the warps of the thread block before
		m := gputest.Machine()
		m.SM.MaxBlocks = 1
		return replay(t, build(t, m, &gputest.Memory{}), gputest.Launch{Kernel: k, Blocks: 2, Threads: 128, Record: func(w *gputest.Warp) {
			if w.Block == 0 {
				for range before[w.Warp] {
					w.Visit(0, w.Lanes)
				}
			} else if behind == 0 {
				w.Visit(0, w.Lanes)
				w.Visit(1, w.Lanes)
			}
			w.Visit(2, w.Lanes)
		}}).Cycles
	}
	const nothing = 2
	want := cycles(0, 1, 1, 1, 1) - cycles(nothing, 1, 1, 1, 1)
	for _, before := range [][]int{{1, 1, 1, 0}, {0, 1, 1, 1}, {1, 0, 0, 0}} {
		if got := cycles(0, before...) - cycles(nothing, before...); got != want {
			t.Errorf("behind warps with %v products: %d cycles more, want %d", before, got, want)
		}
	}
}

// The warps of a warpgroup hear of a product's end a cycle later than a reader of its sum issues. The wait for it takes
// its own latency from there.
func TestAWaitForAProductTakesACycleAndItsLatency(t *testing.T) {
	for _, latency := range []int{1, 5} {
		read, wait := gputest.NewKernel("read"), gputest.NewKernel("wait")
		read.Product(4).CommitProducts().Op(trace.ClassIntAdd, 1, 4).Exit()
		wait.Product(4).CommitProducts().AwaitProducts(0).Op(trace.ClassIntAdd, 1, 2).Exit()
		m := gputest.Machine()
		m.SM.Latencies.Nop.Cycles = latency
		if late := cyclesOf(t, m, wait) - cyclesOf(t, m, read); late != clock.Cycle(1+latency) {
			t.Errorf("a wait of %d cycles: %d cycles later than a read, want %d", latency, late, 1+latency)
		}
	}
}

// A warp that ends while its part of a product is computed holds up the others until that has ended.
func TestAWarpThatEndsWithItsProductHoldsUpTheOthers(t *testing.T) {
	k := gputest.NewKernel("product")
	chained(k, 100).Branch()
	k.Product(4).CommitProducts().Branch()
	k.AwaitProducts(0).Op(trace.ClassIntAdd, 1, 2).Store(trace.SpaceGlobal, 2, 1).Branch()
	k.Exit()
	stored := func(latency int, waits bool) (at clock.Cycle) {
		m := gputest.Machine()
		m.SM.Latencies.Tensor = arch.Latency{Cycles: latency, Interval: 8}
		memory := &gputest.Memory{Seen: func(now clock.Cycle, _ int, a *seam.MemoryAccess) {
			if a.WarpSlot == 0 {
				at = now
			}
		}}
		replay(t, build(t, m, memory), gputest.Launch{Kernel: k, Blocks: 1, Threads: 64, Record: func(w *gputest.Warp) {
			if w.Warp == 1 {
				w.Visit(0, w.Lanes)
			}
			w.Visit(1, w.Lanes)
			if w.Warp == 0 || waits {
				w.Visit(2, w.Lanes)
			}
			w.Visit(3, w.Lanes)
		}})
		return at
	}
	for _, latency := range []int{200, 300} {
		if ends, waits := stored(latency, false), stored(latency, true); ends != waits && ends != waits-1 {
			t.Errorf("products of %d cycles: the other warp goes on in cycle %d where this one ends, in %d where it waits", latency, ends, waits)
		}
	}
}
