// SPDX-License-Identifier: Apache-2.0

package contaminator

// setPostDominators fills Segment.PostDominator. The graph has one node more
// than there are segments: the exit. A segment from which no path leaves the
// kernel (an endless loop) counts as leading to the exit, so that every
// segment has a post-dominator.
func (k *Kernel) setPostDominators() {
	g := k.flowGraph()
	exit := len(k.Segments)
	for _, n := range unreached(g.reverse(), exit) {
		g[n] = append(g[n], exit)
	}
	dominator := immediateDominators(g.reverse(), exit)
	for i := range k.Segments {
		k.Segments[i].PostDominator = dominator[i]
		if dominator[i] == exit {
			k.Segments[i].PostDominator = Exit
		}
	}
}

// flowGraph gives the segments' successors, with the exit as node
// len(k.Segments).
func (k *Kernel) flowGraph() graph {
	exit := len(k.Segments)
	g := make(graph, exit+1)
	for i := range k.Segments {
		s := &k.Segments[i]
		g[i] = append(g[i], s.Successors...)
		if endsKernel(k, s) {
			g[i] = append(g[i], exit)
		}
	}
	return g
}

// unreached lists the nodes that root does not reach, ascending.
func unreached(g graph, root int) []int {
	seen := make([]bool, len(g))
	for _, n := range postorder(g, root) {
		seen[n] = true
	}
	var list []int
	for n := range g {
		if !seen[n] {
			list = append(list, n)
		}
	}
	return list
}
