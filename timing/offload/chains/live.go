// SPDX-License-Identifier: Apache-2.0

package chains

import "github.com/warptape/warptape/trace"

// liveness holds the names that are read after each basic block before they are
// written, as bits.
type liveness struct {
	words int
	out   []uint64 // by block
}

func (l *liveness) after(block uint32, name int32) bool {
	return l.out[int(block)*l.words+int(name)/64]>>(name%64)&1 != 0
}

// findLiveness solves the backward equations by sweeps over the blocks.
func findLiveness(k *trace.Kernel, n *names) liveness {
	words := (n.count + 63) / 64
	l := liveness{words: words, out: make([]uint64, words*len(k.Blocks))}
	in := make([]uint64, words*len(k.Blocks))
	row := make([]uint64, words)
	before := make([][]uint32, len(k.Blocks)) // predecessors
	for b := range k.Blocks {
		for _, to := range k.Blocks[b].Successors {
			before[to] = append(before[to], uint32(b))
		}
	}
	queued := make([]bool, len(k.Blocks))
	var queue []uint32
	for b := range k.Blocks { // the last is taken first
		queue, queued[b] = append(queue, uint32(b)), true
	}
	for len(queue) > 0 {
		b := queue[len(queue)-1]
		queue, queued[b] = queue[:len(queue)-1], false
		copy(row, l.out[int(b)*words:])
		liveBefore(k, n, b, row)
		grown := false
		for x, bits := range row {
			grown = grown || bits&^in[int(b)*words+x] != 0
			in[int(b)*words+x] |= bits
		}
		if !grown {
			continue
		}
		for _, p := range before[b] {
			for x := range words {
				l.out[int(p)*words+x] |= in[int(b)*words+x]
			}
			if !queued[p] {
				queue, queued[p] = append(queue, p), true
			}
		}
	}
	return l
}

// liveBefore turns the names that are live after a block into those before it.
func liveBefore(k *trace.Kernel, n *names, b uint32, row []uint64) {
	at := &k.Blocks[b]
	for i := int(at.First+at.Count) - 1; i >= int(at.First); i-- {
		if !k.Instructions[i].Guard.Present {
			for _, w := range n.wrote[i] {
				row[w/64] &^= 1 << (w % 64)
			}
		}
		for _, r := range n.reads[i] {
			row[r/64] |= 1 << (r % 64)
		}
	}
}
