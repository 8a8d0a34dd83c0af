// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"math/rand/v2"
	"slices"

	"github.com/warptape/warptape/trace"
)

// Way is a way of one thread through a kernel's recorded blocks.
type Way struct {
	blocks []uint32
	draw   uint64 // of the outcomes of its conditions
	cut    bool   // the thread goes on behind the last block
}

// Path is a way of at most length blocks. The outcomes of comparisons are drawn at random; where
// it goes follows from these, also if several conditions have to do with each other. A function
// returns behind the call that it was called by. A condition that the kernel has not written is drawn.
func Path(k *trace.Kernel, r *rand.Rand, length int) Way {
	w := Way{draw: r.Uint64()}
	t := newThread(k, w.draw)
	at := uint32(0)
	var calls []uint32 // where those go on that have not returned
	for w.cut = true; w.cut && len(w.blocks) < length; {
		w.blocks = append(w.blocks, at)
		t.block(at, nil)
		from := at
		if at, w.cut = t.next(from, r); w.cut {
			at, calls = returned(k, from, at, calls)
		}
	}
	return w
}

// next is the block to which the thread goes from the end of another; false where it leaves.
func (t *thread) next(b uint32, r *rand.Rand) (uint32, bool) {
	block := &t.k.Blocks[b]
	choices := block.Successors
	if block.Count > 0 {
		choices = t.choices(&t.k.Instructions[block.First+block.Count-1], choices)
	}
	if len(choices) == 0 {
		return 0, false
	}
	to := choices[r.IntN(len(choices))]
	return to, int(to) < len(t.k.Blocks)
}

// returned notes a call, which goes on at its block's last successor. A return goes behind the last call, in the
// place of the block that was drawn, if there is a call.
func returned(k *trace.Kernel, from, to uint32, calls []uint32) (uint32, []uint32) {
	block := &k.Blocks[from]
	if block.Count == 0 {
		return to, calls
	}
	in, list := &k.Instructions[block.First+block.Count-1], block.Successors
	switch in.Class {
	case trace.ClassCall:
		if behind := list[len(list)-1]; to != behind {
			return to, append(calls, behind)
		}
	case trace.ClassExit:
		if in.Guard.Present && to == list[0] { // the thread stays
			return to, calls
		}
		if n := len(calls) - 1; n >= 0 && slices.Contains(list, calls[n]) {
			return calls[n], calls[:n]
		}
	}
	return to, calls
}

// choices are the successors that a block's last instruction allows.
func (t *thread) choices(in *trace.Instruction, successors []uint32) []uint32 {
	if in.Opcode == "brx" && len(successors) > 0 {
		if list := operands(in, t); len(list) > 0 && !list[0].unknown {
			n := spread(list[0].bits[0]^t.draw) % uint64(len(successors))
			return successors[n : n+1]
		}
	}
	if !in.Guard.Present {
		if n := len(successors) - 1; in.Class == trace.ClassCall && n > 0 {
			return successors[:n]
		}
		return successors
	}
	v := t.get(in.Guard.Register)
	if v.unknown {
		return successors
	}
	holds := v.bits[0]&1 != 0 != in.Guard.Negated
	switch in.Class {
	case trace.ClassBranch:
		return branch(in, holds, successors)
	case trace.ClassExit: // what follows it comes first, and behind that to where a function returns
		if !holds {
			return successors[:min(1, len(successors))]
		}
		return successors[min(1, len(successors)):]
	case trace.ClassCall: // what follows it comes last, behind the functions
		if n := len(successors) - 1; n > 0 && holds {
			return successors[:n]
		} else if n > 0 {
			return successors[n:]
		}
	}
	return successors
}

// branch are the successors of a branch by its condition: its target, which may be the kernel's end, or others.
func branch(in *trace.Instruction, holds bool, successors []uint32) []uint32 {
	if len(in.Operands) == 0 {
		return successors
	}
	switch to := &in.Operands[0]; to.Kind {
	case trace.OperandSink:
		if holds {
			return nil
		}
	case trace.OperandBlock:
		at := slices.Index(successors, uint32(to.Value))
		if at >= 0 && holds {
			return successors[at : at+1]
		}
		if at >= 0 && len(successors) > 1 {
			return slices.Delete(slices.Clone(successors), at, at+1)
		}
	}
	return successors
}
