// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// flow builds kernels with the branches that compilers write, and knows how lanes go
// through them.
type flow struct {
	*gputest.Kernel
	r *rand.Rand
	// ways gives, by section, sequences of blocks; each warp goes one or both.
	ways [][]way
}

// way is the blocks between a section's first and last one; apart says that the lanes of a
// warp may go several ways of the section, one after the other.
type way struct {
	blocks []uint32
	apart  bool
}

func (f *flow) at() uint32 { return uint32(len(f.Blocks) - 1) }

func (f *flow) named(opcode string, modifiers ...string) {
	in := &f.Instructions[len(f.Instructions)-1]
	in.Opcode, in.Modifiers = opcode, modifiers
}

// work adds up to n instructions; some are dead and some have guards.
func (f *flow) work(n int) {
	reg := func() int { return f.r.IntN(80) }
	for range f.r.IntN(n + 1) {
		switch f.r.IntN(6) {
		case 0:
			f.Load(trace.SpaceGlobal, reg(), reg()).Instructions[len(f.Instructions)-1].Types = []string{"f32"}
			f.named("ld", "global")
		case 1:
			f.Store(trace.SpaceShared, reg(), reg()).Instructions[len(f.Instructions)-1].Types = []string{"f32"}
			f.named("st", "shared")
		case 2:
			f.Op(trace.ClassMove, 100, reg()) // dead
		default:
			f.Op([]trace.OpClass{trace.ClassIntAdd, trace.ClassF32Fma}[f.r.IntN(2)], reg(), reg(), reg(), reg())
		}
		if f.r.IntN(5) == 0 {
			f.Guarded(f.r.IntN(4))
		}
	}
}

// dead adds an instruction for which nothing is executed.
func (f *flow) dead() { f.Op(trace.ClassMove, 100, 0); f.named("mov") }

// branch ends the block with a branch, whose target comes later, and goes on with the next.
func (f *flow) branch(conditional bool) (from uint32) {
	from = f.at()
	f.Op(trace.ClassBranch, gputest.None)
	if f.named("bra"); conditional {
		f.Guarded(0)
	}
	f.Block()
	return from
}

// to says where a block goes, and where its ways meet.
func (f *flow) to(from uint32, meet uint32, next ...uint32) {
	b := &f.Blocks[from]
	b.Successors, b.PostDominator = next, meet
	if in := &f.Instructions[b.First+b.Count-1]; in.Class == trace.ClassBranch {
		target := next[len(next)-1]
		in.Operands = append(in.Operands, trace.Operand{Kind: trace.OperandBlock, Value: int64(target)})
	}
}

// section adds a section and ends it with a barrier or the kernel.
func (f *flow) section(last bool) {
	f.work(6)
	switch f.r.IntN(4) {
	case 0: // around a body
		head := f.branch(true)
		body := f.at()
		f.dead()
		f.work(5)
		meet := f.Block()
		f.to(head, meet, body, meet)
		f.to(body, meet, meet)
		f.ways = append(f.ways, []way{{[]uint32{head}, true}, {[]uint32{head, body}, true}})
	case 1: // around a branch to a body that follows
		head := f.branch(true)
		stub := f.branch(false)
		body := f.at()
		f.dead()
		f.work(8)
		meet := f.Block()
		f.to(head, meet, stub, meet)
		f.to(stub, body, body)
		f.to(body, meet, meet)
		f.ways = append(f.ways, []way{{[]uint32{head}, true}, {[]uint32{head, stub, body}, true}})
	case 2: // two ways, one behind the other
		head := f.branch(true)
		stub := f.branch(false)
		near := f.at()
		f.work(8)
		f.branch(false)
		far := f.at()
		f.dead()
		if f.r.IntN(2) == 0 {
			f.work(8)
		}
		meet := f.Block()
		f.to(head, meet, stub, near)
		f.to(stub, far, far)
		f.to(near, meet, meet)
		f.to(far, meet, meet)
		f.ways = append(f.ways, []way{{[]uint32{head, stub, far}, true}, {[]uint32{head, near}, true}})
	case 3: // the same with a barrier on each
		head := f.branch(true)
		stub := f.branch(false)
		near := f.at()
		f.work(8)
		f.Barrier("sync", 1)
		behind := f.at()
		f.branch(false)
		far := f.at()
		f.work(8)
		f.Barrier("sync", 1)
		meet := f.at()
		f.to(head, meet, stub, near)
		f.to(stub, far, far)
		f.to(near, behind, behind)
		f.to(behind, meet, meet)
		f.to(far, meet, meet)
		f.ways = append(f.ways, []way{{[]uint32{head, stub, far}, false}, {[]uint32{head, near, behind}, false}})
	}
	f.work(4)
	end := f.at()
	if last {
		f.Exit()
		f.named("ret")
		f.Blocks[end].PostDominator = trace.NoBlock
	} else {
		f.Barrier("sync", 0)
		f.to(end, end+1, end+1)
	}
	for i := range f.ways[len(f.ways)-1] {
		w := &f.ways[len(f.ways)-1][i]
		w.blocks = append(w.blocks, end)
	}
}

// record lets a warp go through all sections.
func (f *flow) record(r *rand.Rand, w *gputest.Warp) {
	for _, ways := range f.ways {
		one := ways[r.IntN(len(ways))]
		head, end := one.blocks[0], one.blocks[len(one.blocks)-1]
		mask := w.Lanes & r.Uint32()
		visit := func(b, mask uint32) { w.VisitGuarded(b, mask, mask&r.Uint32()) }
		visit(head, w.Lanes)
		if !one.apart || r.IntN(2) == 0 || mask == 0 || mask == w.Lanes {
			ways, mask = []way{one}, w.Lanes
		}
		for i, way := range ways {
			lanes := mask
			if i > 0 {
				lanes = w.Lanes &^ mask
			}
			for _, b := range way.blocks[1 : len(way.blocks)-1] {
				visit(b, lanes)
			}
		}
		visit(end, w.Lanes)
	}
}

// fallsOn checks that each block either goes on with the one whose operations lie behind its
// own, or ends by a branch or the kernel's end. It counts empty blocks, and those that lie behind
// others than they did.
func fallsOn(t *testing.T, l *core.Lowering) (empty, moved int) {
	part := map[uint32]bool{}
	for b := range l.Visits {
		for _, p := range l.Visits[b].Parts[1:] {
			part[p.Block] = true
		}
	}
	behind := map[uint32]uint32{} // the last part of a block, by where its operations end
	for b := range l.Kernel.Blocks {
		if parts := l.Visits[b].Parts; !part[uint32(b)] && l.Kernel.Blocks[b].Count > 0 {
			behind[l.Kernel.Blocks[b].First+l.Kernel.Blocks[b].Count] = parts[len(parts)-1].Block
		}
	}
	for b := range l.Kernel.Blocks {
		if part[uint32(b)] {
			continue
		}
		block := &l.Kernel.Blocks[b]
		end := len(block.Successors) == 0
		if block.Count == 0 {
			empty++
		} else {
			class := l.Kernel.Instructions[block.First+block.Count-1].Class
			end = end || class == trace.ClassBranch || class == trace.ClassExit
			if tail, other := behind[block.First]; other && tail+1 != uint32(b) {
				moved++
			}
		}
		if !end && l.Kernel.Blocks[block.Successors[0]].First != block.First+block.Count {
			t.Errorf("block %d goes on with block %d without a branch, and others lie behind it", b, block.Successors[0])
		}
	}
	return empty, moved
}

// A block that is empty in machine operations once waited for instructions for ever. One
// behind which others lay from then on had no branch to where it goes on.
func TestKernelsWithBranchesReplayInMachineOperations(t *testing.T) {
	empty, moved, spilled := 0, 0, 0
	for _, seed := range tracetest.Seeds(t, 200, tracetest.Fewer(5, 12)) {
		r := rand.New(rand.NewPCG(seed, 10))
		f := &flow{Kernel: gputest.NewKernel("flow"), r: r}
		for n := range 4 {
			f.section(n == 3)
		}
		m, memory := gputest.RandomMachine(r), gputest.RandomMemory(r)
		m.GPU.Lowering = []string{"fermi", "volta", "turing", "ampere", "hopper"}[seed%5]
		m.SM.Registers, m.SM.RegisterAllocationUnit = max(m.SM.Registers, 65536), 32
		threads := 1 + r.IntN(256)
		if seed%2 == 0 {
			m.SM.Registers = 24 * trace.WarpSize * ((threads + trace.WarpSize - 1) / trace.WarpSize)
		}
		l, err := lowering.For(m, &f.Kernel.Kernel, threads, true)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if l.Kernel.LocalBytes > 0 {
			spilled++
		}
		apart, err := lowering.For(m, &f.Kernel.Kernel, threads, false)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if e, _ := fallsOn(t, apart); e > 0 {
			t.Errorf("seed %d: %d blocks are empty where lanes take each by itself", seed, e)
		}
		e, n := fallsOn(t, l)
		empty, moved = empty+e, moved+n
		src := gputest.NewSource(gputest.Trace(t, gputest.Launch{Kernel: f.Kernel, Blocks: 1 + r.IntN(6), Threads: threads, Record: func(w *gputest.Warp) { f.record(r, w) }}))
		run, err := build(t, m, memory).Replay(context.Background(), src, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		gputest.Conserves(t, m, &run.Total)
	}
	if tracetest.Whole() && (empty == 0 || moved == 0 || spilled == 0) {
		t.Errorf("%d empty blocks, %d that others follow than before, %d kernels that spill: all three have to come up", empty, moved, spilled)
	}
}
