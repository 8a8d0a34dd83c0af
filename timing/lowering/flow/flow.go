// SPDX-License-Identifier: Apache-2.0

// Package flow is the graph of a kernel's basic blocks: dominators, loops, and the order in
// which a compiler lays the blocks out in memory.
package flow

// None is no block.
const None = -1

// Graph has the blocks that can be reached from the first one. Others have a rank of None.
type Graph struct {
	next, before [][]uint32
	// order is a reverse post-order, and rank the place of each block in it.
	order []uint32
	rank  []int32
	// dominator is the immediate one of each block.
	dominator []int32
	// loop is the header of the innermost loop of each block, and around that of the loop
	// around the one whose header a block is.
	loop, around []int32
}

// New makes a graph of the successors of each block. Control comes in by the first block
// and by the entries.
func New(next [][]uint32, entries ...uint32) *Graph {
	n := len(next)
	g := &Graph{next: make([][]uint32, n), before: make([][]uint32, n)}
	for b, list := range next {
		for _, s := range list {
			if int(s) < n {
				g.next[b] = append(g.next[b], s)
				g.before[s] = append(g.before[s], uint32(b))
			}
		}
	}
	starts := append([]uint32{0}, entries...)
	g.order = g.reversePostOrder(starts, func(_, _ uint32) bool { return false })
	g.rank = make([]int32, n)
	for b := range g.rank {
		g.rank[b] = None
	}
	for i, b := range g.order {
		g.rank[b] = int32(i)
	}
	g.dominators(starts)
	g.loops()
	return g
}

// Layout is the order of the blocks in memory: a reverse post-order in which what follows a
// loop lies behind all of it. A block that another falls through to, as they were
// recorded, lies behind that one where it can. Blocks that are not reached come last.
func (g *Graph) Layout(entries ...uint32) []uint32 {
	if len(g.next) == 0 {
		return nil
	}
	order := g.reversePostOrder(append([]uint32{0}, entries...), func(from, s uint32) bool { return g.leaves(from, s) })
	seen := make([]bool, len(g.next))
	for _, b := range order {
		seen[b] = true
	}
	for b := range g.next {
		if !seen[b] {
			order = append(order, uint32(b))
		}
	}
	return order
}

// reversePostOrder visits blocks from the starts on. Of successors, those for which early
// holds are visited before the others, and the next block in number last: what is visited
// last comes first in the order.
func (g *Graph) reversePostOrder(starts []uint32, early func(from, s uint32) bool) []uint32 {
	type frame struct {
		block uint32
		turn  int // successors in four turns
		at    int
	}
	seen := make([]bool, len(g.next))
	var order []uint32
	var stack []frame
	for i := len(starts) - 1; i >= 0; i-- {
		if int(starts[i]) >= len(seen) || seen[starts[i]] {
			continue
		}
		seen[starts[i]] = true
		stack = append(stack[:0], frame{block: starts[i]})
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if f.turn == 4 {
				order = append(order, f.block)
				stack = stack[:len(stack)-1]
				continue
			}
			list := g.next[f.block]
			if f.at == len(list) {
				f.turn, f.at = f.turn+1, 0
				continue
			}
			s := list[f.at]
			f.at++
			if seen[s] {
				continue
			}
			turn := 0
			if !early(f.block, s) {
				turn = 2
			}
			if s == f.block+1 {
				turn++
			}
			if turn == f.turn {
				seen[s] = true
				stack = append(stack, frame{block: s})
			}
		}
	}
	for i, j := 0, len(order)-1; i < j; i, j = i+1, j-1 {
		order[i], order[j] = order[j], order[i]
	}
	return order
}

// dominators finds the immediate dominators (K. Cooper, T. Harvey and K. Kennedy, "A
// Simple, Fast Dominance Algorithm").
func (g *Graph) dominators(starts []uint32) {
	g.dominator = make([]int32, len(g.next))
	for b := range g.dominator {
		g.dominator[b] = None
	}
	start := make([]bool, len(g.next))
	for _, b := range starts {
		if int(b) < len(start) {
			start[b], g.dominator[b] = true, int32(b)
		}
	}
	for again := true; again; {
		again = false
		for _, b := range g.order {
			if start[b] {
				continue
			}
			best := int32(None)
			for _, p := range g.before[b] {
				if g.rank[p] == None || g.dominator[p] == None {
					continue
				}
				if best == None {
					best = int32(p)
				} else if best = g.common(best, int32(p)); best == None {
					break
				}
			}
			if best == None {
				best = int32(b) // more than one start reaches it
			}
			if g.dominator[b] != best {
				g.dominator[b], again = best, true
			}
		}
	}
}

// common is the nearest block that dominates both; None where they have other starts.
func (g *Graph) common(a, b int32) int32 {
	for a != b {
		x := &a
		if g.rank[a] < g.rank[b] {
			x = &b
		}
		if up := g.dominator[*x]; up == *x || up == None {
			return None
		} else {
			*x = up
		}
	}
	return a
}

// Dominator is the immediate dominator of a block; None where there is none but itself.
func (g *Graph) Dominator(b uint32) int {
	if d := g.dominator[b]; d != int32(b) {
		return int(d)
	}
	return None
}

// dominates reports whether block a dominates b, or is b.
func (g *Graph) dominates(a, b uint32) bool {
	for x := int32(b); g.rank[x] >= g.rank[a]; x = g.dominator[x] {
		if x == int32(a) {
			return true
		}
		if g.dominator[x] == x || g.dominator[x] == None {
			return false
		}
	}
	return false
}

// loops finds the natural loops, the inner ones first.
func (g *Graph) loops() {
	g.loop, g.around = make([]int32, len(g.next)), make([]int32, len(g.next))
	for b := range g.loop {
		g.loop[b], g.around[b] = None, None
	}
	var work []uint32
	for i := len(g.order) - 1; i >= 0; i-- {
		h := g.order[i]
		work = work[:0]
		for _, p := range g.before[h] {
			if g.rank[p] != None && g.dominates(h, p) {
				work = append(work, p)
			}
		}
		if len(work) == 0 {
			continue
		}
		inside := int32(h)
		enter := func(b uint32) {
			if g.rank[b] == None || b == h {
				return
			}
			if g.loop[b] == None {
				g.loop[b] = inside
				work = append(work, g.before[b]...)
				return
			}
			top := g.loop[b]
			for g.around[top] != None {
				top = g.around[top]
			}
			if top != inside {
				g.around[top] = inside
				work = append(work, g.before[top]...)
			}
		}
		if g.loop[h] == None {
			g.loop[h] = inside
		}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			enter(b)
		}
	}
}

// Inside reports whether a block lies in the loop with this header.
func (g *Graph) Inside(header int, b uint32) bool {
	for l := g.loop[b]; l != None; l = g.around[l] {
		if int(l) == header {
			return true
		}
	}
	return false
}

// Loop is the header of the innermost loop of a block; None outside of loops.
func (g *Graph) Loop(b uint32) int { return int(g.loop[b]) }

// leaves reports whether an edge leads out of a loop.
func (g *Graph) leaves(from, to uint32) bool {
	return g.loop[from] != None && !g.Inside(int(g.loop[from]), to)
}
