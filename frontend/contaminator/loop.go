package contaminator

import "sort"

// loop is a natural loop: the segments that reach one of the back edges to the
// header without passing the header.
type loop struct {
	header  int
	members []int // ascending, header included
	inside  map[int]bool
}

// leaves reports whether the segment's terminator can end the loop.
func (l *loop) leaves(k *Kernel, s *Segment) bool {
	for _, next := range s.Successors {
		if !l.inside[next] {
			return true
		}
	}
	return endsKernel(k, s)
}

// findLoops gives the loops by header. An edge is taken for a back edge when
// its target dominates its source, or when it closes a cycle in the order of
// the depth-first walk (a cycle with two entries, which has no dominating
// header).
func findLoops(k *Kernel) []*loop {
	g := k.flowGraph()
	predecessors := g.reverse()
	root := len(g) // enters every unit
	g = append(g, nil)
	for i := range k.Units {
		g[root] = append(g[root], k.Units[i].Entry)
	}
	dominator := immediateDominators(g, root)
	order := postorder(g, root)
	rank := make([]int, len(g))
	for i, n := range order {
		rank[n] = i
	}
	byHeader := make(map[int]*loop)
	for from := range k.Segments {
		for _, to := range g[from] {
			if !dominates(dominator, to, from) && (rank[to] < rank[from] || to == len(k.Segments)) {
				continue
			}
			l := byHeader[to]
			if l == nil {
				l = &loop{header: to, inside: map[int]bool{to: true}}
				byHeader[to] = l
			}
			l.grow(predecessors, from)
		}
	}
	var loops []*loop
	for _, l := range byHeader {
		for n := range l.inside {
			l.members = append(l.members, n)
		}
		sort.Ints(l.members)
		loops = append(loops, l)
	}
	sort.Slice(loops, func(i, j int) bool { return loops[i].header < loops[j].header })
	return loops
}

// grow adds what reaches the back edge's source without passing the header.
func (l *loop) grow(predecessors graph, source int) {
	work := []int{source}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if l.inside[n] {
			continue
		}
		l.inside[n] = true
		work = append(work, predecessors[n]...)
	}
}

// dominates reports whether a is on every path to b. The walk up the tree ends
// at the root, which is its own dominator.
func dominates(dominator []int, a, b int) bool {
	for b >= 0 && b != a {
		if dominator[b] == b {
			return false
		}
		b = dominator[b]
	}
	return b == a
}
