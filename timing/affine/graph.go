// SPDX-License-Identifier: Apache-2.0

package affine

import "github.com/warptape/warptape/trace"

// graph is the control flow of a kernel.
type graph struct {
	k       *trace.Kernel
	preds   [][]uint32
	blockOf []uint32 // per instruction
	// order lists the reachable blocks in reverse post-order; rank is the inverse, -1
	// for a block that cannot be reached.
	order []uint32
	rank  []int32
	idom  []uint32 // immediate dominator; of the entry itself
	loop  []int32  // per block: the innermost loop, -1 for none
	loops []loop
	// irreducible says that a loop has several entries.
	irreducible bool
}

// loop is a natural loop.
type loop struct {
	header uint32
	parent int32 // the loop around it, -1 for none
}

func newGraph(k *trace.Kernel) *graph {
	n := len(k.Blocks)
	g := &graph{
		k: k, preds: make([][]uint32, n), blockOf: make([]uint32, len(k.Instructions)),
		rank: make([]int32, n), idom: make([]uint32, n), loop: make([]int32, n),
	}
	for b := range k.Blocks {
		g.rank[b], g.loop[b] = -1, -1
		for i := range k.Blocks[b].Count {
			g.blockOf[k.Blocks[b].First+i] = uint32(b)
		}
	}
	g.sort()
	for _, b := range g.order {
		for _, s := range k.Blocks[b].Successors {
			g.preds[s] = append(g.preds[s], b)
		}
	}
	g.dominate()
	g.findLoops()
	return g
}

// sort finds the reverse post-order by a search without recursion.
func (g *graph) sort() {
	type step struct {
		block uint32
		next  int
	}
	seen := make([]bool, len(g.k.Blocks))
	stack := []step{{}}
	seen[0] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		successors := g.k.Blocks[top.block].Successors
		if top.next < len(successors) {
			s := successors[top.next]
			top.next++
			if !seen[s] {
				seen[s] = true
				stack = append(stack, step{block: s})
			}
			continue
		}
		g.order = append(g.order, top.block)
		stack = stack[:len(stack)-1]
	}
	for i, j := 0, len(g.order)-1; i < j; i, j = i+1, j-1 {
		g.order[i], g.order[j] = g.order[j], g.order[i]
	}
	for i, b := range g.order {
		g.rank[b] = int32(i)
	}
}

// dominate computes immediate dominators (Cooper, Harvey and Kennedy, "A simple,
// fast dominance algorithm", 2001).
func (g *graph) dominate() {
	const none = ^uint32(0)
	for b := range g.idom {
		g.idom[b] = none
	}
	g.idom[0] = 0
	for changed := true; changed; {
		changed = false
		for _, b := range g.order[1:] {
			to := none
			for _, p := range g.preds[b] {
				switch {
				case g.idom[p] == none:
				case to == none:
					to = p
				default:
					to = g.intersect(to, p)
				}
			}
			if g.idom[b] != to {
				g.idom[b] = to
				changed = true
			}
		}
	}
}

func (g *graph) intersect(a, b uint32) uint32 {
	for a != b {
		for g.rank[a] > g.rank[b] {
			a = g.idom[a]
		}
		for g.rank[b] > g.rank[a] {
			b = g.idom[b]
		}
	}
	return a
}

// dominates reports whether every path to b passes a.
func (g *graph) dominates(a, b uint32) bool {
	for g.rank[b] > g.rank[a] {
		b = g.idom[b]
	}
	return a == b
}

// findLoops finds the natural loops, the inner ones first, so that a block's first
// loop is its innermost.
func (g *graph) findLoops() {
	for i := len(g.order) - 1; i >= 0; i-- {
		header := g.order[i]
		var work []uint32
		for _, p := range g.preds[header] {
			if g.rank[p] < int32(i) {
				continue
			}
			if g.dominates(header, p) {
				work = append(work, p)
			} else {
				g.irreducible = true
			}
		}
		if len(work) > 0 {
			g.loops = append(g.loops, loop{header: header, parent: -1})
			g.collect(int32(len(g.loops)-1), work)
		}
	}
}

// collect puts the blocks that reach the latches without the header into a loop.
func (g *graph) collect(id int32, work []uint32) {
	header := g.loops[id].header
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		at := g.loop[b]
		if at < 0 {
			g.loop[b] = id
			if b != header {
				work = append(work, g.preds[b]...)
			}
			continue
		}
		for at != id && g.loops[at].parent >= 0 {
			at = g.loops[at].parent
		}
		if at == id {
			continue
		}
		g.loops[at].parent = id
		work = append(work, g.preds[g.loops[at].header]...)
	}
	if g.loop[header] < 0 {
		g.loop[header] = id
	}
}

// within reports whether a block lies in a loop.
func (g *graph) within(b uint32, id int32) bool {
	for at := g.loop[b]; at >= 0; at = g.loops[at].parent {
		if at == id {
			return true
		}
	}
	return false
}

// isHeader reports whether a block is the header of a loop, and gives that loop.
func (g *graph) isHeader(b uint32) (int32, bool) {
	for at := g.loop[b]; at >= 0; at = g.loops[at].parent {
		if g.loops[at].header == b {
			return at, true
		}
	}
	return -1, false
}

// last is the last instruction of a block.
func (g *graph) last(b uint32) uint32 { return g.k.Blocks[b].First + g.k.Blocks[b].Count - 1 }
