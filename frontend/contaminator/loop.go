// SPDX-License-Identifier: Apache-2.0

package contaminator

import "slices"

// loop is a natural loop: the segments that reach one of the back edges to the
// header without passing the header.
type loop struct {
	header  int
	sources []int // of the back edges
}

// findLoops gives the loops by header. It takes an edge for a back edge when its
// target dominates its source, or when it closes a cycle in the order of the
// depth-first walk. The latter is a cycle with two entries, which has no dominating
// header.
func findLoops(k *Kernel) []loop {
	g := k.flowGraph()
	root := len(g) // enters every unit
	g = append(g, nil)
	for i := range k.Units {
		g[root] = append(g[root], k.Units[i].Entry)
	}
	d := newDominance(immediateDominators(g, root), root)
	rank := make([]int, len(g))
	for i, n := range postorder(g, root) {
		rank[n] = i
	}
	sources := make([][]int, len(g)) // by header
	for from := range k.Segments {
		for _, to := range g[from] {
			if d.dominates(to, from) || rank[to] >= rank[from] && to != len(k.Segments) {
				sources[to] = append(sources[to], from)
			}
		}
	}
	var loops []loop
	for header, list := range sources {
		if len(list) > 0 {
			loops = append(loops, loop{header, list})
		}
	}
	return loops
}

// loopWalk lists the members of loops, one loop after the other.
type loopWalk struct {
	predecessors graph
	// ends has the segments at whose end a lane can leave the kernel.
	ends []bool
	// inside has, by segment, the loop that it was last found in, by its number from 1.
	inside  []int
	loops   int
	members []int
}

func newLoopWalk(k *Kernel) *loopWalk {
	w := &loopWalk{predecessors: k.flowGraph().reverse(), ends: make([]bool, len(k.Segments)), inside: make([]int, len(k.Segments)+1)}
	for i := range k.Segments {
		w.ends[i] = endsKernel(k, &k.Segments[i])
	}
	return w
}

// enter finds the members of a loop, ascending, header included.
func (w *loopWalk) enter(l *loop) {
	w.loops++
	w.inside[l.header] = w.loops
	w.members = append(w.members[:0], l.header)
	add := func(list []int) {
		for _, n := range list {
			if !w.has(n) {
				w.inside[n] = w.loops
				w.members = append(w.members, n)
			}
		}
	}
	add(l.sources)
	for i := 1; i < len(w.members); i++ {
		add(w.predecessors[w.members[i]])
	}
	slices.Sort(w.members)
}

// has reports whether a segment is in the loop that was entered last.
func (w *loopWalk) has(segment int) bool { return w.inside[segment] == w.loops }

// leaves reports whether the terminator of a segment, by its id, can end that loop.
func (w *loopWalk) leaves(s *Segment, id int) bool {
	for _, next := range s.Successors {
		if !w.has(next) {
			return true
		}
	}
	return w.ends[id]
}
