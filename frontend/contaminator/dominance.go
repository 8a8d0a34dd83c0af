// SPDX-License-Identifier: Apache-2.0

package contaminator

// dominance answers which node dominates which, in constant time: by when a walk
// over the tree of dominators enters a node, and when it has left its subtree.
type dominance struct{ enter, leave []int }

// newDominance takes what immediateDominators gives.
func newDominance(dominator []int, root int) dominance {
	n := len(dominator)
	children := make(graph, n)
	for i, d := range dominator {
		if d >= 0 && i != root {
			children[d] = append(children[d], i)
		}
	}
	d := dominance{make([]int, n), make([]int, n)}
	for i := range d.enter {
		d.enter[i] = -1
	}
	clock := 0
	for stack := []int{root}; len(stack) > 0; {
		x := stack[len(stack)-1]
		if d.enter[x] >= 0 {
			d.leave[x] = clock
			stack = stack[:len(stack)-1]
			continue
		}
		d.enter[x] = clock
		clock++
		stack = append(stack, children[x]...)
	}
	return d
}

// dominates reports whether a is on every path to b; never where no path leads.
func (d *dominance) dominates(a, b int) bool {
	return d.enter[a] >= 0 && d.enter[b] >= d.enter[a] && d.enter[b] < d.leave[a]
}
