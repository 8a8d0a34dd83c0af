// SPDX-License-Identifier: Apache-2.0

package chains

import (
	"strings"

	"github.com/warptape/warptape/trace"
)

// uniformity finds the names that hold the same value in all active lanes of a warp.
// They come from literals, parameters, constant memory at such addresses and the thread
// block's own special registers. A name that is written in several places, one of them
// behind a branch on which lanes differ, is none of them.
type uniformity struct {
	kernel  *trace.Kernel
	names   *names
	varies  []bool // by name
	users   [][]int32
	branch  []bool // by block: its branch divides warps
	within  []bool // by block: lies between such a branch and its post-dominator
	work    []int32
	defined [][]int32 // by name: instructions
	blockOf []int32
	budget  int
}

// maxBranchSteps bounds the walks from divergent branches to their post-dominators.
const maxBranchSteps = 1 << 24

func findUniform(k *trace.Kernel, n *names) []bool {
	u := &uniformity{
		kernel: k, names: n, varies: make([]bool, n.count), users: make([][]int32, n.count), defined: make([][]int32, n.count),
		branch: make([]bool, len(k.Blocks)), within: make([]bool, len(k.Blocks)), blockOf: make([]int32, len(k.Instructions)), budget: maxBranchSteps,
	}
	for b := range k.Blocks {
		for i := k.Blocks[b].First; i < k.Blocks[b].First+k.Blocks[b].Count; i++ {
			u.blockOf[i] = int32(b)
		}
	}
	for i := range k.Instructions {
		for _, r := range n.reads[i] {
			u.users[r] = append(u.users[r], int32(i))
		}
		for _, w := range n.wrote[i] {
			u.defined[w] = append(u.defined[w], int32(i))
		}
		if source(&k.Instructions[i]) {
			u.spread(i)
		}
	}
	for len(u.work) > 0 {
		name := u.work[len(u.work)-1]
		u.work = u.work[:len(u.work)-1]
		for _, i := range u.users[name] {
			u.spread(int(i))
		}
	}
	uniform := make([]bool, n.count)
	for name := range uniform {
		uniform[name] = !u.varies[name] && u.budget > 0
	}
	return uniform
}

// spread makes what instruction i writes varying; a branch divides the warp.
func (u *uniformity) spread(i int) {
	in := &u.kernel.Instructions[i]
	for _, w := range u.names.wrote[i] {
		u.vary(w)
	}
	b := u.blockOf[i]
	if in.Class == trace.ClassBranch && in.Guard.Present && !u.branch[b] {
		u.branch[b] = true
		u.divide(uint32(b))
	}
}

func (u *uniformity) vary(name int32) {
	if !u.varies[name] {
		u.varies[name] = true
		u.work = append(u.work, name)
	}
}

// divide goes through the blocks between a divergent branch and its immediate
// post-dominator.
func (u *uniformity) divide(b uint32) {
	end := u.kernel.Blocks[b].PostDominator
	seen := map[uint32]bool{}
	queue := []uint32{b}
	for len(queue) > 0 && u.budget > 0 {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, to := range u.kernel.Blocks[at].Successors {
			u.budget--
			if to == end || seen[to] {
				continue
			}
			seen[to] = true
			queue = append(queue, to)
			u.enter(to)
		}
	}
}

// enter makes names varying that are written here and elsewhere.
func (u *uniformity) enter(b uint32) {
	if u.within[b] {
		return
	}
	u.within[b] = true
	at := &u.kernel.Blocks[b]
	for i := at.First; i < at.First+at.Count; i++ {
		for _, w := range u.names.wrote[i] {
			if len(u.defined[w]) > 1 {
				u.vary(w)
			}
		}
	}
}

// source reports whether what an instruction writes differs from lane to lane
// whatever it reads.
func source(in *trace.Instruction) bool {
	switch in.Class {
	case trace.ClassLoad:
		if in.Space != trace.SpaceParam && in.Space != trace.SpaceConst {
			return true
		}
	case trace.ClassAtomic, trace.ClassTexture, trace.ClassShuffle, trace.ClassTensor, trace.ClassCall, trace.ClassInvalid:
		return true
	}
	for i := range in.Operands {
		if o := &in.Operands[i]; o.Kind == trace.OperandSpecial && !uniformSpecial(o.Symbol) {
			return true
		}
	}
	return false
}

// uniformSpecial reports whether a special register is the same for all threads of
// a thread block (PTX ISA, "Special Registers").
func uniformSpecial(name string) bool {
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "%"), ".")
	switch name {
	case "ctaid", "ntid", "nctaid", "gridid":
		return true
	}
	return false
}
