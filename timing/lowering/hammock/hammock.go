// SPDX-License-Identifier: Apache-2.0

// Package hammock finds the branches that a compiler replaces by predicates: those around
// a few operations that have no effect but on registers.
package hammock

import (
	"slices"

	"github.com/warptape/warptape/timing/lowering/flow"
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// MaxInstructions are the PTX instructions that one branch may go around. ptxas predicates
// bodies of some seven instructions in the programs that the cards' rows give (the bodies
// of point in polygon are four). Twelve leaves room for those that cost nothing.
const MaxInstructions = 12

// maxAccessing are those that it may go around where one of them loads or stores. ptxas does
// not predicate four rounds of the convolution's copy, which are eleven where no bounds are
// checked. It does predicate five. Where the bound lies between these is assumed (D225).
const maxAccessing = 8

// maxParts bounds the recorded blocks of a lowered one.
const maxParts = 1 << 12

// former forms groups in one kernel.
type former struct {
	k     *trace.Kernel
	preds []int // by block: how many come to it
	taken []bool
	sinks []answer // whether LLVM has sunk a block, as far as it was asked
}

// answer is one that has been given, or not yet.
type answer uint8

const (
	unasked answer = iota
	no
	yes
)

// Form gives, by recorded block, the parts of its lowered block; nil for one that is part
// of another. Without predicates each block is its own.
func Form(k *trace.Kernel, predicate bool) [][]ir.Part16 {
	groups := make([][]ir.Part16, len(k.Blocks))
	f := &former{k: k, preds: make([]int, len(k.Blocks)), taken: make([]bool, len(k.Blocks)), sinks: make([]answer, len(k.Blocks))}
	for b := range k.Blocks {
		for _, next := range k.Blocks[b].Successors {
			f.preds[next]++
		}
	}
	for _, b := range f.order() {
		if f.taken[b] {
			continue
		}
		groups[b] = []ir.Part16{{Block: b}}
		f.taken[b] = true
		if predicate {
			groups[b] = f.grow(groups[b])
		}
	}
	return groups
}

// order lists all blocks, those of a loop from its header on. LLVM may have put the end of a
// loop in front of its begin, which then takes it in.
func (f *former) order() []uint32 {
	next := make([][]uint32, len(f.k.Blocks))
	var entries []uint32
	for b := range f.k.Blocks {
		next[b] = f.k.Blocks[b].Successors
		if b > 0 && f.starts(uint32(b)) {
			entries = append(entries, uint32(b))
		}
	}
	return flow.New(next, entries...).Layout(entries...)
}

// grow adds what follows the last part while a branch can be replaced, or nothing else
// comes to the only block that follows.
func (f *former) grow(parts []ir.Part16) []ir.Part16 {
	for len(parts) < maxParts {
		tail := parts[len(parts)-1].Block
		more, join := f.body(tail)
		if join == trace.NoBlock || f.taken[join] || f.preds[join] != f.arrivals(tail, more, join) || f.starts(join) || !f.movable(parts[0].Block, more, join) {
			return f.take(parts, more) // the body alone, if there is one, ends where others come too
		}
		parts = f.take(parts, more)
		f.taken[join] = true
		parts = append(parts, ir.Part16{Block: join})
	}
	return parts
}

// movable reports whether a block can go on from where it will lie, behind head. Others may
// lie between the two in memory. It then has to end by a branch, leave the kernel, or take
// one more branch, which cannot stand behind a barrier or a call.
func (f *former) movable(head uint32, more []uint32, join uint32) bool {
	if f.leaves(join) {
		return true
	}
	if block := &f.k.Blocks[join]; block.Count > 0 {
		if end := uint64(block.First) + uint64(block.Count); end <= uint64(len(f.k.Instructions)) && f.k.Instructions[end-1].Class == trace.ClassExit && !f.k.Instructions[end-1].Guard.Present {
			return true
		}
	}
	if join < head {
		return false
	}
	for b := head + 1; b < join; b++ {
		if !f.taken[b] && !slices.Contains(more, b) {
			return false
		}
	}
	return true
}

func (f *former) take(parts []ir.Part16, more []uint32) []ir.Part16 {
	for _, b := range more {
		f.taken[b] = true
		parts = append(parts, ir.Part16{Block: b, Optional: true, Sunk: f.sunk(b)})
	}
	return parts
}

// starts reports whether a block is where the kernel or one of its functions begins.
func (f *former) starts(b uint32) bool {
	if b == 0 {
		return true
	}
	for i := range f.k.Functions {
		if f.k.Blocks[b].First == f.k.Functions[i].First {
			return true
		}
	}
	return false
}

// arrivals counts the edges to join from a tail and the body between.
func (f *former) arrivals(tail uint32, body []uint32, join uint32) int {
	n := 0
	for _, b := range append([]uint32{tail}, body...) {
		for _, next := range f.k.Blocks[b].Successors {
			if next == join {
				n++
			}
		}
	}
	return n
}

// body finds the blocks that a block's branch goes around, up to where all paths join.
// Without a branch the body is empty, and the join the only successor. Several branches with
// one join are replaced together where nothing inside loads or stores: the RTX 2080 Ti counts
// as many control instructions of the convolution's rounds as its source has branches (D225).
func (f *former) body(tail uint32) (body []uint32, join uint32) {
	b := &f.k.Blocks[tail]
	join = b.PostDominator
	switch {
	case !f.leaves(tail) || len(b.Joins) > 0:
		return nil, trace.NoBlock
	case len(b.Successors) == 1:
		return nil, b.Successors[0]
	case len(b.Successors) != 2 || int(join) >= len(f.k.Blocks): // or trace.NoBlock
		return nil, trace.NoBlock
	}
	if sides := f.diamond(tail, join); sides != nil {
		return sides, join
	}
	instructions, nested, accesses := 0, false, false
	next := b.Successors
	for at := tail; ; {
		var inner uint32 = trace.NoBlock
		for _, s := range next {
			if s != join && inner == trace.NoBlock {
				inner = s
			} else if s != join && s != inner {
				return nil, trace.NoBlock // a branch of two sides that is no diamond
			}
		}
		if inner == trace.NoBlock {
			return body, join
		}
		if f.taken[inner] || f.preds[inner] != 1 || inner == at || f.starts(inner) || !f.leaves(inner) || len(f.k.Blocks[inner].Joins) > 0 || len(f.k.Blocks[inner].Successors) > 2 {
			return nil, trace.NoBlock
		}
		if !f.sunk(inner) {
			block := &f.k.Blocks[inner]
			instructions, nested, accesses = instructions+int(block.Count), nested || len(block.Successors) > 1, accesses || f.accesses(inner)
			if instructions > bound(accesses) || nested && accesses || !f.harmless(inner) {
				return nil, trace.NoBlock
			}
		}
		body = append(body, inner)
		at, next = inner, f.k.Blocks[inner].Successors
	}
}

// diamond gives the two sides of a branch between which lanes choose and behind which all go
// on, where both are short, or made long by what LLVM has sunk. First comes the one that the branch falls through to, as they
// were recorded. It is nil where there is none.
func (f *former) diamond(tail, join uint32) []uint32 {
	b := &f.k.Blocks[tail]
	sides := b.Successors
	if sides[0] == sides[1] || sides[0] == join || sides[1] == join {
		return nil
	}
	branch := &f.k.Instructions[b.First+b.Count-1]
	instructions, accesses := 0, false
	for _, s := range sides {
		if f.taken[s] || f.preds[s] != 1 || f.starts(s) || !f.leaves(s) || len(f.k.Blocks[s].Joins) > 0 {
			return nil
		}
		side := &f.k.Blocks[s]
		if len(side.Successors) != 1 || side.Successors[0] != join || !f.harmless(s) || f.writes(s, branch.Guard.Register) {
			return nil
		}
		if !f.sunk(s) {
			instructions, accesses = instructions+int(side.Count), accesses || f.accesses(s)
		}
	}
	if instructions > bound(accesses) {
		return nil
	}
	return []uint32{sides[0], sides[1]}
}

// writes reports whether a block writes a register.
func (f *former) writes(b uint32, r trace.Register) bool {
	block := &f.k.Blocks[b]
	var list []trace.Register
	for i := block.First; i < block.First+block.Count; i++ {
		list = f.k.Instructions[i].Writes(list[:0])
		if slices.Contains(list, r) {
			return true
		}
	}
	return false
}

// leaves reports whether a block ends by a plain branch, or goes on with the next.
func (f *former) leaves(b uint32) bool {
	block := &f.k.Blocks[b]
	end := uint64(block.First) + uint64(block.Count)
	if block.Count == 0 || end > uint64(len(f.k.Instructions)) {
		return false
	}
	switch in := &f.k.Instructions[end-1]; in.Class {
	case trace.ClassBarrier, trace.ClassCall, trace.ClassExit:
		return false
	case trace.ClassBranch:
		return in.Opcode == "bra"
	}
	return true
}

// sunkReads are the registers from outside that make a block one into which LLVM has sunk
// what the program computes in front of the branch. ptxas does not, as all of them would
// be live across it.
const sunkReads = 24

// sunk reports whether a block is such a one. Its operations execute in front of the
// branch, and its stores under a predicate.
func (f *former) sunk(b uint32) bool {
	if f.sinks[b] == unasked {
		f.sinks[b] = no
		if f.k.Blocks[b].Count >= sunkReads && f.harmless(b) && f.readsOutside(b, sunkReads) {
			f.sinks[b] = yes
		}
	}
	return f.sinks[b] == yes
}

// readsOutside reports whether a block reads at least the wanted number of general registers from outside.
func (f *former) readsOutside(b uint32, wanted int) bool {
	n := 0
	var seen ir.Variables
	var list []trace.Register
	block, next := &f.k.Blocks[b], ir.Register(0)
	first := func(r *trace.Register) bool { // seen neither as made nor as read
		is := seen.Register(r, next) == next
		if is {
			next++
		}
		return is
	}
	for i := block.First; i < block.First+block.Count; i++ {
		list = f.k.Instructions[i].Reads(list[:0])
		for k := range list {
			if list[k].File == trace.FileGeneral && first(&list[k]) {
				if n++; n == wanted {
					return true
				}
			}
		}
		list = f.k.Instructions[i].Writes(list[:0])
		for k := range list {
			first(&list[k])
		}
	}
	return false
}

// bound is how many instructions a branch may go around.
func bound(accesses bool) int {
	if accesses {
		return maxAccessing
	}
	return MaxInstructions
}

// accesses reports whether a block loads or stores, but for constants and parameters.
func (f *former) accesses(b uint32) bool {
	block := &f.k.Blocks[b]
	for i := block.First; i < block.First+block.Count; i++ {
		in := &f.k.Instructions[i]
		if (in.Class == trace.ClassLoad || in.Class == trace.ClassStore) && in.Space != trace.SpaceConst && in.Space != trace.SpaceParam {
			return true
		}
	}
	return false
}

// harmless reports whether a block does nothing but compute, load and store.
func (f *former) harmless(b uint32) bool {
	block := &f.k.Blocks[b]
	for i := block.First; i < block.First+block.Count; i++ {
		in := &f.k.Instructions[i]
		if in.Guarded() {
			return false
		}
		switch in.Class {
		case trace.ClassStore:
			if in.Opcode != "st" {
				return false
			}
		case trace.ClassAtomic, trace.ClassBarrier, trace.ClassFence, trace.ClassCall, trace.ClassExit, trace.ClassShuffle,
			trace.ClassTensor, trace.ClassBulk, trace.ClassTexture, trace.ClassNop, trace.ClassInvalid:
			return false
		case trace.ClassLoad:
			if in.Opcode != "ld" || len(in.Modifiers) > 2 {
				return false
			}
		}
	}
	return true
}
