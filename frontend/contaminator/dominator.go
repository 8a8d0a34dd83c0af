// SPDX-License-Identifier: Apache-2.0

package contaminator

// graph is a flow graph by adjacency: successors of each node.
type graph [][]int

// reverse turns all edges round.
func (g graph) reverse() graph {
	r := make(graph, len(g))
	for from, list := range g {
		for _, to := range list {
			r[to] = append(r[to], from)
		}
	}
	return r
}

// immediateDominators gives each node's immediate dominator in paths from root. The
// algorithm is that of Lengauer and Tarjan, "A Fast Algorithm for Finding
// Dominators in a Flowgraph" (TOPLAS 1979), in the version with path compression
// alone. Its time is that of m log n for m edges, whatever the graph. The root is
// its own; nodes that root does not reach have -1.
func immediateDominators(g graph, root int) []int {
	t := newDominatorTree(g, root)
	predecessors := g.reverse()
	for i := len(t.vertex) - 1; i > 0; i-- {
		w := t.vertex[i]
		for _, v := range predecessors[w] {
			if t.number[v] >= 0 {
				t.semi[w] = min(t.semi[w], t.semi[t.eval(v)])
			}
		}
		t.postpone(w)
		t.ancestor[w] = t.parent[w]
		t.settle(t.parent[w])
	}
	for _, w := range t.vertex[1:] {
		if t.dominator[w] != t.vertex[t.semi[w]] {
			t.dominator[w] = t.dominator[t.dominator[w]]
		}
	}
	t.dominator[root] = root
	return t.dominator
}

// dominatorTree is the state of immediateDominators, by node.
type dominatorTree struct {
	number []int // in the order of the depth-first walk, -1 where it does not come
	vertex []int // the node of a number
	parent []int // in the tree of that walk
	// semi is the number of the semidominator.
	semi []int
	// ancestor links the nodes that have been gone through to a forest, -1 at its
	// roots. An entry of label is the node of least semi on the way to what compress
	// has skipped.
	ancestor, label []int
	// bucket and next list the nodes with a semidominator, -1 at the end.
	bucket, next []int
	dominator    []int
	path         []int
}

func newDominatorTree(g graph, root int) *dominatorTree {
	n := len(g)
	nodes := make([]int, 9*n)
	take := func(value int) []int {
		list := nodes[:n:n]
		nodes = nodes[n:]
		for i := range list {
			list[i] = value
		}
		return list
	}
	t := &dominatorTree{number: take(-1), vertex: take(0)[:0], parent: take(-1), semi: take(0), ancestor: take(-1), label: take(0),
		bucket: take(-1), next: take(-1), dominator: take(-1)}
	for i := range t.label {
		t.label[i] = i
	}
	t.walk(g, root)
	return t
}

// walk numbers what root reaches, depth first. It keeps its own stack: blocks can
// be many thousands deep.
func (t *dominatorTree) walk(g graph, root int) {
	type frame struct{ node, next int }
	enter := func(n, parent int) frame {
		t.number[n], t.semi[n], t.parent[n] = len(t.vertex), len(t.vertex), parent
		t.vertex = append(t.vertex, n)
		return frame{n, 0}
	}
	stack := []frame{enter(root, -1)}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.next == len(g[f.node]) {
			stack = stack[:len(stack)-1]
			continue
		}
		n := g[f.node][f.next]
		f.next++
		if t.number[n] < 0 {
			stack = append(stack, enter(n, f.node))
		}
	}
}

// eval is the node of least semi on the way from v to its root in the forest, the
// root left out; a root is its own.
func (t *dominatorTree) eval(v int) int {
	if t.ancestor[v] < 0 {
		return v
	}
	t.path = t.path[:0]
	for x := v; t.ancestor[t.ancestor[x]] >= 0; x = t.ancestor[x] {
		t.path = append(t.path, x)
	}
	for i := len(t.path) - 1; i >= 0; i-- {
		x := t.path[i]
		a := t.ancestor[x]
		if t.semi[t.label[a]] < t.semi[t.label[x]] {
			t.label[x] = t.label[a]
		}
		t.ancestor[x] = t.ancestor[a]
	}
	return t.label[v]
}

// postpone puts w with the others of its semidominator, until their way is known.
func (t *dominatorTree) postpone(w int) {
	s := t.vertex[t.semi[w]]
	t.next[w], t.bucket[s] = t.bucket[s], w
}

// settle gives those whose semidominator is p their dominator, or a node that has
// the same.
func (t *dominatorTree) settle(p int) {
	for v := t.bucket[p]; v >= 0; v = t.next[v] {
		u := t.eval(v)
		t.dominator[v] = p
		if t.semi[u] < t.semi[v] {
			t.dominator[v] = u
		}
	}
	t.bucket[p] = -1
}

// postorder lists the nodes that root reaches, each after its successors; root
// comes last. It keeps its own stack: blocks can be many thousands deep.
func postorder(g graph, root int) []int {
	type frame struct{ node, next int }
	seen := make([]bool, len(g))
	seen[root] = true
	stack := []frame{{root, 0}}
	var order []int
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.next == len(g[f.node]) {
			order = append(order, f.node)
			stack = stack[:len(stack)-1]
			continue
		}
		n := g[f.node][f.next]
		f.next++
		if !seen[n] {
			seen[n] = true
			stack = append(stack, frame{n, 0})
		}
	}
	return order
}
