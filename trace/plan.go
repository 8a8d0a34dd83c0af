package trace

// plan is what the codec needs to know of a kernel, computed once: how many
// guards and accesses a visit of a basic block brings, and what it counts.
type plan struct {
	kernel *Kernel
	blocks []blockPlan
	memory []uint32 // instruction index of each memory instruction, ascending
}

type blockPlan struct {
	instructions uint32
	// unguarded counts the instructions that every active lane executes. Guarded
	// branches and exits are among them: which lanes took one is in the path.
	unguarded uint32
	guards    uint32       // guarded instructions
	accesses  []accessPlan // memory instructions in order
	classes   []classCount
}

type accessPlan struct {
	memory uint32 // place in plan.memory
	guard  int32  // place among the block's guarded instructions, -1 for none
	bulk   bool   // a bulk copy, whose words take all lanes
}

type classCount struct {
	class OpClass
	count uint32
}

// newPlan expects a valid kernel.
func newPlan(k *Kernel) *plan {
	p := &plan{kernel: k, blocks: make([]blockPlan, len(k.Blocks))}
	place := make(map[uint32]uint32)
	for i := range k.Instructions {
		if k.Instructions[i].Class.IsMemory() {
			place[uint32(i)] = uint32(len(p.memory))
			p.memory = append(p.memory, uint32(i))
		}
	}
	for id, b := range k.Blocks {
		p.blocks[id] = newBlockPlan(k, b, place)
	}
	return p
}

func newBlockPlan(k *Kernel, b BasicBlock, place map[uint32]uint32) blockPlan {
	var classes [ClassCount]uint32
	bp := blockPlan{instructions: b.Count}
	for i := b.First; i < b.First+b.Count; i++ {
		in := &k.Instructions[i]
		classes[in.Class]++
		guard := int32(-1)
		if in.Guarded() {
			guard = int32(bp.guards)
			bp.guards++
		} else {
			bp.unguarded++
		}
		if in.Class.IsMemory() {
			bp.accesses = append(bp.accesses, accessPlan{place[i], guard, in.Class == ClassBulk})
		}
	}
	for c, n := range classes {
		if n > 0 {
			bp.classes = append(bp.classes, classCount{OpClass(c), n})
		}
	}
	return bp
}

// pathCounts is what one execution of a path brings.
type pathCounts struct {
	instructions     uint64
	guards, accesses int
}

// count walks a path whose block ids are in range.
func (p *plan) count(path []uint32) pathCounts {
	var c pathCounts
	for _, id := range path {
		b := &p.blocks[id]
		c.instructions += uint64(b.instructions)
		c.guards += int(b.guards)
		c.accesses += len(b.accesses)
	}
	return c
}

// accessMasks appends the mask of each access of a warp to dst: the guard mask of
// a guarded instruction, else the active mask of the visit.
func (p *plan) accessMasks(dst, path, masks, guards []uint32) []uint32 {
	for v, id := range path {
		b := &p.blocks[id]
		for _, a := range b.accesses {
			dst = append(dst, a.mask(masks[v], guards))
		}
		guards = guards[b.guards:]
	}
	return dst
}

// addVisits adds n visits of a basic block to totals.
func (b *blockPlan) addVisits(t *Totals, n uint64) {
	t.Visits += n
	t.WarpInstructions += n * uint64(b.instructions)
	t.MemoryInstructions += n * uint64(len(b.accesses))
	for _, c := range b.classes {
		t.ByClass[c.class] += n * uint64(c.count)
	}
}
