// SPDX-License-Identifier: Apache-2.0

package projection

import (
	"slices"
	"sync"

	"github.com/warptape/warptape/trace"
)

// Plan is what a kernel's basic blocks bring to a visit, computed once per kernel.
// It does not change; any number of goroutines may share it.
type Plan struct {
	kernel *trace.Kernel
	blocks []blockPlan
	// from is, by basic block, the lowest instruction on the ways to it from branches that
	// it joins; its own first one when it joins none. See frontier.
	from  []uint32
	joins sync.Once // fills in from
}

type blockPlan struct {
	guards int32        // guarded instructions
	memory []memoryPlan // instructions that have accesses
	// barrier is set when lanes may wait for others at the block's end; with
	// barrierGuard >= 0 only those whose guard of that place held.
	barrier      bool
	barrierGuard int32
	// fallThrough is where lanes go that do not take the branch at the block's end,
	// trace.NoBlock when all take it.
	fallThrough uint32
	// joins are where lanes meet again that part at the block's end, outermost first;
	// outer says that lanes may stop at this block though it is not the nearest join.
	joins []uint32
	outer bool
}

// memoryPlan is a memory instruction; guard is its place among the block's guarded
// instructions, -1 for none.
type memoryPlan struct {
	instruction uint32
	guard       int32
}

// NewPlan expects a valid kernel, as a wtape.Reader gives it.
func NewPlan(k *trace.Kernel) *Plan {
	p := &Plan{kernel: k, blocks: make([]blockPlan, len(k.Blocks))}
	for id := range k.Blocks {
		b, source := &p.blocks[id], &k.Blocks[id]
		b.fallThrough = fallThrough(k, source)
		for i := source.First; i < source.First+source.Count; i++ {
			in, guard := &k.Instructions[i], int32(-1)
			if in.Guarded() {
				guard = b.guards
				b.guards++
			}
			if in.HasAccess() {
				b.memory = append(b.memory, memoryPlan{i, guard})
			}
			if in.Class == trace.ClassBarrier && !slices.Contains(in.Modifiers, "arrive") {
				b.barrier, b.barrierGuard = true, guard
			}
		}
	}
	p.placeJoins()
	return p
}

// placeJoins fills in joins and outer. Where all joins are post-dominators, lanes come
// to the nearest first.
func (p *Plan) placeJoins() {
	plain := true
	for id := range p.blocks {
		source := &p.kernel.Blocks[id]
		p.blocks[id].joins = source.Reconvergence(nil)
		plain = plain && len(source.Joins) == 0
	}
	for id := range p.blocks {
		for _, join := range p.blocks[id].joins {
			p.blocks[join].outer = !plain
		}
	}
}

// Guards is the number of guarded instructions of a basic block.
func (p *Plan) Guards(block uint32) int { return int(p.blocks[block].guards) }

// Accesses is the number of memory instructions of a basic block.
func (p *Plan) Accesses(block uint32) int { return len(p.blocks[block].memory) }

// Memory is the index, in the kernel's instruction table, of the i-th memory
// instruction of a basic block.
func (p *Plan) Memory(block uint32, i int) uint32 { return p.blocks[block].memory[i].instruction }

// fallThrough is the first successor, but for a branch that every lane takes.
func fallThrough(k *trace.Kernel, b *trace.BasicBlock) uint32 {
	last := &k.Instructions[b.First+b.Count-1]
	if len(b.Successors) == 0 || last.Class == trace.ClassBranch && !last.Guard.Present {
		return trace.NoBlock
	}
	return b.Successors[0]
}
