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

// immediateDominators gives each node's immediate dominator in paths from
// root, by the iteration of Cooper, Harvey and Kennedy, "A Simple, Fast
// Dominance Algorithm" (2001). The root is its own; nodes that root does not
// reach have -1.
func immediateDominators(g graph, root int) []int {
	order := postorder(g, root)
	number := make([]int, len(g)) // postorder numbers, -1 where not reached
	for i := range number {
		number[i] = -1
	}
	for i, n := range order {
		number[n] = i
	}
	dominator := make([]int, len(g))
	for i := range dominator {
		dominator[i] = -1
	}
	dominator[root] = root
	predecessors := g.reverse()
	for changed := true; changed; {
		changed = false
		for i := len(order) - 2; i >= 0; i-- {
			n := order[i]
			best := -1
			for _, p := range predecessors[n] {
				switch {
				case number[p] < 0 || dominator[p] < 0:
				case best < 0:
					best = p
				default:
					best = intersect(dominator, number, best, p)
				}
			}
			if dominator[n] != best {
				dominator[n] = best
				changed = true
			}
		}
	}
	return dominator
}

// intersect finds the nearest common dominator of a and b.
func intersect(dominator, number []int, a, b int) int {
	for a != b {
		for number[a] < number[b] {
			a = dominator[a]
		}
		for number[b] < number[a] {
			b = dominator[b]
		}
	}
	return a
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
