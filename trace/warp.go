// SPDX-License-Identifier: Apache-2.0

package trace

import "iter"

// Access is the decoded form of the lane addresses of one executed memory
// instruction: a strided pattern, or a reference to explicit addresses.
type Access struct {
	// Base is the address of lane 0 of the pattern (also when lane 0 is not
	// active); lane i of a strided access is at Base + i*Stride. With one active
	// lane the stride is arbitrary. Of any other access it is the lowest address of those
	// that the chunk holds.
	Base   uint64
	Stride int32
	// Lanes is -1 for a strided access, otherwise where the chunk has the distances
	// of the lanes from Base.
	Lanes int32
}

// Strided reports whether Base and Stride say it all.
func (a Access) Strided() bool { return a.Lanes < 0 }

// Warp is the decoded path of one warp. The slices are views into the chunk:
// read-only, valid until the chunk is reused.
type Warp struct {
	// Blocks and Masks are parallel: the visited basic blocks in the order in which
	// the warp executed them, and the active lanes of each visit. Lanes that part
	// run side after side to their join.
	Blocks, Masks []uint32
	// Guards holds one mask (guard true and lane active) per execution of a
	// guarded instruction (Instruction.Guarded), in execution order.
	Guards []uint32
	// Accesses holds one entry per execution of an instruction that has accesses
	// (Instruction.HasAccess) in execution order, also where no lane took part.
	Accesses []Access
}

// Execution is one instruction that a warp executed.
type Execution struct {
	Visit int    // in Warp.Blocks
	Index uint32 // in Kernel.Instructions
	In    *Instruction
	// Mask has the lanes that took part: active, and with a guard that holds.
	Mask uint32
	// Access is what a memory instruction accessed, or the words of one with Values
	// (Instruction.HasAccess); nil for others.
	Access *Access
}

// Executed gives a warp's instructions of a kernel in the order in which they were
// executed, each with what the warp's columns hold of it.
func (w Warp) Executed(k *Kernel) iter.Seq[Execution] {
	return func(yield func(Execution) bool) {
		guards, accesses := w.Guards, w.Accesses
		for visit, id := range w.Blocks {
			b := &k.Blocks[id]
			for i := b.First; i < b.First+b.Count; i++ {
				e := Execution{Visit: visit, Index: i, In: &k.Instructions[i], Mask: w.Masks[visit]}
				if e.In.Guarded() {
					e.Mask, guards = guards[0], guards[1:]
				}
				if e.In.HasAccess() {
					e.Access, accesses = &accesses[0], accesses[1:]
				}
				if !yield(e) {
					return
				}
			}
		}
	}
}
