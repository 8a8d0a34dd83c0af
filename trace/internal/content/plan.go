// SPDX-License-Identifier: Apache-2.0

package content

import (
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/chunks"
)

// Plan is what the file needs to know of a kernel, computed once: what the codec
// of chunks does, and the classes that a visit of each basic block executes.
type Plan struct {
	*chunks.Plan
	classes [][]classCount
}

type classCount struct {
	class trace.OpClass
	count uint32
}

// NewPlan expects a valid kernel.
func NewPlan(k *trace.Kernel) *Plan {
	instructions := make([]chunks.Instruction, len(k.Instructions))
	for i := range k.Instructions {
		in := &k.Instructions[i]
		instructions[i] = chunks.Instruction{Guarded: in.Guarded(), Memory: in.HasAccess(), Bulk: in.Class == trace.ClassBulk, LaneBytes: in.LaneBytes}
	}
	blocks := make([]chunks.Block, len(k.Blocks))
	p := &Plan{classes: make([][]classCount, len(k.Blocks))}
	for id := range k.Blocks {
		b := &k.Blocks[id]
		blocks[id] = chunks.Block{First: b.First, Count: b.Count}
		if len(b.Successors) > 0 {
			blocks[id].Successor = b.Successors[0]
		}
		p.classes[id] = countClasses(k.Instructions[b.First : b.First+b.Count])
	}
	p.Plan = chunks.NewPlan(k.Name, instructions, blocks)
	return p
}

func countClasses(instructions []trace.Instruction) (counts []classCount) {
	var classes [trace.ClassCount]uint32
	for i := range instructions {
		classes[instructions[i].Class]++
	}
	for c, n := range classes {
		if n > 0 {
			counts = append(counts, classCount{trace.OpClass(c), n})
		}
	}
	return counts
}

// AddVisits adds n visits of a basic block to totals.
func (p *Plan) AddVisits(t *trace.Totals, id uint32, n uint64) {
	b := &p.Blocks[id]
	t.Visits += n
	t.WarpInstructions += n * uint64(b.Instructions)
	for _, c := range p.classes[id] {
		t.ByClass[c.class] += n * uint64(c.count)
		if c.class.IsMemory() {
			t.MemoryInstructions += n * uint64(c.count)
		}
	}
}
