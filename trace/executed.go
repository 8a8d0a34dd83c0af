package trace

import "iter"

// Execution is one instruction that a warp executed.
type Execution struct {
	Visit int    // in Warp.Blocks
	Index uint32 // in Kernel.Instructions
	In    *Instruction
	// Mask has the lanes that took part: active, and with a guard that holds.
	Mask uint32
	// Access is what a memory instruction accessed; nil for others.
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
				if e.In.Class.IsMemory() {
					e.Access, accesses = &accesses[0], accesses[1:]
				}
				if !yield(e) {
					return
				}
			}
		}
	}
}
