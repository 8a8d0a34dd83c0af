// SPDX-License-Identifier: Apache-2.0

package chunks

import "math/bits"

// Plan is what the codec needs to know of a kernel, computed once: how many
// guards and accesses a visit of a basic block brings.
type Plan struct {
	Kernel    string // its name, for messages
	Blocks    []BlockPlan
	Memory    []uint32 // instruction index of each memory instruction, ascending
	laneBytes []uint8  // of each of these
}

type BlockPlan struct {
	Instructions uint32
	// unguarded counts the instructions that every active lane executes. Guarded
	// branches and exits are among them: which lanes took one is in the path.
	unguarded uint32
	Guards    uint32       // guarded instructions
	Accesses  []accessPlan // memory instructions in order
	successor uint32       // the first one, 0 for none
}

type accessPlan struct {
	Memory uint32 // place in Plan.Memory
	guard  int32  // place among the block's guarded instructions, -1 for none
	bulk   bool   // a bulk copy, whose words take all lanes
}

// Instruction is what a plan needs to know of an instruction. Bulk copies are
// memory instructions.
type Instruction struct {
	Guarded, Memory, Bulk bool
	LaneBytes             uint8
}

// Block is a basic block: where it lies in the instruction table, and its first
// successor, 0 for none.
type Block struct{ First, Count, Successor uint32 }

// NewPlan expects the instructions and basic blocks of a valid kernel.
func NewPlan(kernel string, instructions []Instruction, blocks []Block) *Plan {
	p := &Plan{Kernel: kernel, Blocks: make([]BlockPlan, len(blocks))}
	place := make(map[uint32]uint32)
	for i := range instructions {
		if instructions[i].Memory {
			place[uint32(i)] = uint32(len(p.Memory))
			p.Memory, p.laneBytes = append(p.Memory, uint32(i)), append(p.laneBytes, instructions[i].LaneBytes)
		}
	}
	for id, b := range blocks {
		p.Blocks[id] = newBlockPlan(instructions, b, place)
	}
	return p
}

func newBlockPlan(instructions []Instruction, b Block, place map[uint32]uint32) BlockPlan {
	bp := BlockPlan{Instructions: b.Count, successor: b.Successor}
	for i := b.First; i < b.First+b.Count; i++ {
		in := &instructions[i]
		guard := int32(-1)
		if in.Guarded {
			guard = int32(bp.Guards)
			bp.Guards++
		} else {
			bp.unguarded++
		}
		if in.Memory {
			bp.Accesses = append(bp.Accesses, accessPlan{place[i], guard, in.Bulk})
		}
	}
	return bp
}

// Mask is the mask of the access in a visit with the given mask and guards.
func (a accessPlan) Mask(visit uint32, guards []uint32) uint32 {
	if a.guard >= 0 {
		visit = guards[a.guard]
	}
	if a.bulk && visit != 0 {
		return ^uint32(0)
	}
	return visit
}

// pathCounts is what one execution of a path brings.
type pathCounts struct {
	instructions     uint64
	guards, accesses int
}

// count walks a path whose block ids are in range.
func (p *Plan) count(path []uint32) pathCounts {
	var c pathCounts
	for _, id := range path {
		b := &p.Blocks[id]
		c.instructions += uint64(b.Instructions)
		c.guards += int(b.Guards)
		c.accesses += len(b.Accesses)
	}
	return c
}

// accessMasks appends the mask of each access of a warp to dst: the guard mask of
// a guarded instruction, else the active mask of the visit.
func (p *Plan) accessMasks(dst, path, masks, guards []uint32) []uint32 {
	for v, id := range path {
		b := &p.Blocks[id]
		for _, a := range b.Accesses {
			dst = append(dst, a.Mask(masks[v], guards))
		}
		guards = guards[b.Guards:]
	}
	return dst
}

// threadInstructions counts the lanes that took part over one warp's path: the
// active lanes of every visit for its unguarded instructions, and the lanes of
// every guard mask.
func (p *Plan) threadInstructions(path, masks, guards []uint32) uint64 {
	var n uint64
	for v, id := range path {
		n += uint64(p.Blocks[id].unguarded) * uint64(bits.OnesCount32(masks[v]))
	}
	for _, g := range guards {
		n += uint64(bits.OnesCount32(g))
	}
	return n
}

// noBlock is no basic block: a kernel's entry and exit.
const noBlock = ^uint32(0)
