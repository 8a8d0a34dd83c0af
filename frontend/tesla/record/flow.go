// SPDX-License-Identifier: Apache-2.0

package record

import (
	"math/bits"

	"github.com/warptape/warptape/frontend/tesla/language"
	"github.com/warptape/warptape/frontend/tesla/machine"
	"github.com/warptape/warptape/trace"
)

// basicBlocks cuts a kernel; of gives the block of each instruction.
func basicBlocks(k *language.Kernel) (blocks []trace.BasicBlock, of []uint32) {
	of = make([]uint32, len(k.Instructions))
	for i, leads := range machine.Leaders(k) {
		if leads {
			blocks = append(blocks, trace.BasicBlock{First: uint32(i), PostDominator: trace.NoBlock})
		}
		of[i] = uint32(len(blocks) - 1)
		blocks[of[i]].Count++
	}
	for b := range blocks {
		blocks[b].Successors = successors(k, &blocks[b], of)
	}
	setPostDominators(blocks)
	return blocks, of
}

// successors of a block: that behind it first.
func successors(k *language.Kernel, b *trace.BasicBlock, of []uint32) (list []uint32) {
	last := int(b.First + b.Count - 1)
	in := k.Instructions[last]
	if in.Opcode != language.EXIT && last+1 < len(k.Instructions) {
		list = append(list, of[last+1])
	}
	if in.Branches() && int(in.Immediate) != last+1 {
		list = append(list, of[in.Immediate])
	}
	return list
}

// set is a set of blocks.
type set []uint64

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }

func (s set) count() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// setPostDominators finds the immediate post-dominators, from the sets of all. A block
// from which no path ends (an endless loop) counts as one that ends.
func setPostDominators(blocks []trace.BasicBlock) {
	n := len(blocks)
	words := (n + 63) / 64
	ends := reachesEnd(blocks)
	all := make([]set, n)
	for b := range all {
		all[b] = make(set, words)
		for w := range all[b] {
			all[b][w] = ^uint64(0)
		}
	}
	for changed := true; changed; {
		changed = false
		for b := n - 1; b >= 0; b-- {
			changed = update(all, blocks, b, ends[b]) || changed
		}
	}
	for b := range blocks {
		most := 0
		for p := range n {
			if p != b && all[b].has(p) && all[p].count() > most { // the nearest has the most behind it
				most, blocks[b].PostDominator = all[p].count(), uint32(p)
			}
		}
	}
}

// update makes a block's set of what all its successors have, and itself.
func update(all []set, blocks []trace.BasicBlock, b int, ends bool) (changed bool) {
	for w := range all[b] {
		v := ^uint64(0)
		for _, s := range blocks[b].Successors {
			v &= all[s][w]
		}
		if len(blocks[b].Successors) == 0 || !ends {
			v = 0
		}
		if b/64 == w {
			v |= 1 << (b % 64)
		}
		if w == len(all[b])-1 && len(all)%64 != 0 {
			v &= 1<<(len(all)%64) - 1
		}
		changed = changed || v != all[b][w]
		all[b][w] = v
	}
	return changed
}

// reachesEnd marks the blocks from which a path ends.
func reachesEnd(blocks []trace.BasicBlock) []bool {
	ends := make([]bool, len(blocks))
	for changed := true; changed; {
		changed = false
		for b := len(blocks) - 1; b >= 0; b-- {
			does := len(blocks[b].Successors) == 0
			for _, s := range blocks[b].Successors {
				does = does || ends[s]
			}
			changed = changed || does && !ends[b]
			ends[b] = ends[b] || does
		}
	}
	return ends
}
