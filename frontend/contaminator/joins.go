// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"slices"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// Where lanes meet again that a branch parts.
//
// The PTX ISA has threads that exit take no further part: barriers and member masks wait
// for the threads that have not exited (9.7.13.1, 9.7.9.6). So a path that leaves does not
// count where a join is looked for. A segment leaves with exit, ret, trap, the end of the
// body, or a call that does not return.
//
//  1. A branch with an immediate post-dominator joins there.
//  2. Without one, lanes leave on some way from the branch. For each place of leaving that
//     two of its sides reach, it joins at the nearest segment that all ways to there pass.
//     A place to which there is one way only does not count.
//  3. Where the innermost of these is a segment from which lanes do nothing but leave in a
//     straight line, ways that go there early (an early return to a shared ret) do not count
//     either. The branch then has inner joins, by 2 in the graph without such tails; and so
//     on.
//
// setJoins fills Segment.Joins. The outermost join comes first.
func (k *Kernel) setJoins() {
	way := k.wayGraph()
	straight := straightOut(way)
	wanted, last := make([]bool, len(way)), make([]int, len(way))
	for i := range k.Segments {
		s := &k.Segments[i]
		s.Tail = straight[i]
		last[i] = s.PostDominator
		if last[i] != Exit {
			s.Joins = []int{last[i]}
		}
		wanted[i] = last[i] == Exit && len(way[i]) > 1
	}
	work := maxJoinSteps + joinStepsPerSegment*len(way)
	k.addJoins(way, wanted, last, &work)
	for range maxInnerJoins {
		way = withoutTails(way, plainTails(way))
		for i := range way {
			wanted[i] = last[i] != Exit && straight[last[i]] && len(way[i]) > 1
		}
		if !slices.Contains(wanted, true) {
			break
		}
		k.addJoins(way, wanted, last, &work)
	}
}

// maxInnerJoins bounds how often joins are looked for inside of others, maxJoins the joins of
// a branch.
const (
	maxInnerJoins = 8
	maxJoins      = 16
)

// addJoins adds joins to the wanted segments, and gives the innermost in last.
func (k *Kernel) addJoins(way graph, wanted []bool, last []int, work *int) {
	if *work < 0 || !slices.Contains(wanted, true) {
		return
	}
	for i, list := range k.nearestJoins(way, wanted, work) {
		s := &k.Segments[i]
		for _, j := range list {
			if len(s.Joins) < maxJoins && !slices.Contains(s.Joins, j) {
				s.Joins = append(s.Joins, j)
				last[i] = j
			}
		}
	}
}

// straightOut marks the segments from which there is one way, which leaves.
func straightOut(way graph) []bool {
	back := way.reverse()
	straight := make([]bool, len(way))
	var work []int
	for i := range way {
		if len(way[i]) == 0 {
			work = append(work, i)
		}
	}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		straight[at] = true
		for _, from := range back[at] {
			if len(way[from]) == 1 {
				work = append(work, from)
			}
		}
	}
	return straight
}

// withoutTails takes tails out of a graph; the ways to them end before.
func withoutTails(way graph, tails []bool) graph {
	within := make(graph, len(way))
	for i, list := range way {
		for _, next := range list {
			if !tails[i] && !tails[next] {
				within[i] = append(within[i], next)
			}
		}
	}
	return within
}

// wayGraph is the flow graph without edges behind calls that do not return.
func (k *Kernel) wayGraph() graph {
	g := make(graph, len(k.Segments))
	returns := k.unitsThatReturn()
	for i := range k.Segments {
		s := &k.Segments[i]
		if in := k.terminator(s); in.Op == ptx.OpCall && in.Guard.Register == nil && !k.comesBack(in, returns) {
			continue
		}
		g[i] = slices.Clone(s.Successors)
	}
	return g
}

// neverReturning are the functions of the CUDA runtime that end the kernel.
var neverReturning = map[string]bool{"__assertfail": true, "__assert_fail": true}

// comesBack reports whether some function that a call can reach returns.
func (k *Kernel) comesBack(call *ptx.Instruction, returns []bool) bool {
	callees := call.Callees(k.PTX.Module)
	for _, f := range callees {
		if f.Defined && returns[k.UnitOf(f)] || !f.Defined && !neverReturning[f.Name] {
			return true
		}
	}
	return len(callees) == 0
}

// unitsThatReturn marks the units in which some path, past calls that return,
// comes to a ret or to the end.
func (k *Kernel) unitsThatReturn() []bool {
	returns := make([]bool, len(k.Units))
	for changed := true; changed; {
		changed = false
		for u := range k.Units {
			if !returns[u] && k.unitReturns(u, returns) {
				returns[u], changed = true, true
			}
		}
	}
	return returns
}

func (k *Kernel) unitReturns(unit int, returns []bool) bool {
	seen := map[int]bool{}
	for work := []int{k.Units[unit].Entry}; len(work) > 0; {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		s := &k.Segments[i]
		in := k.terminator(s)
		if in.Op == ptx.OpCall && in.Guard.Register == nil && !k.comesBack(in, returns) {
			continue
		}
		if in.Op != ptx.OpExit && in.Op != ptx.OpTrap && endsKernel(k, s) {
			return true
		}
		work = append(work, s.Successors...)
	}
	return false
}

// plainTails marks the segments from which lanes go straight on until they leave, and
// which lanes enter only at the first.
func plainTails(way graph) []bool {
	back := way.reverse()
	tail := make([]bool, len(way))
	for i := range way {
		if len(way[i]) > 0 {
			continue
		}
		for at := i; ; at = back[at][0] {
			tail[at] = true
			if len(back[at]) != 1 || len(way[back[at][0]]) != 1 || tail[back[at][0]] {
				break
			}
		}
	}
	return tail
}

// nearestJoins gives, by rule 2, the joins of the wanted segments in a graph of ways, the
// outermost first.
func (k *Kernel) nearestJoins(way graph, wanted []bool, work *int) [][]int {
	f := newWays(k, way)
	f.fold()
	nodes := make([][]int, len(way))
	for _, end := range f.ends() {
		if *work < 0 {
			break
		}
		*work -= f.joinsBefore(end, wanted, func(branch, at int) {
			if !slices.Contains(nodes[branch], at) {
				nodes[branch] = append(nodes[branch], at)
			}
		})
	}
	position := f.positions()
	for branch, list := range nodes {
		slices.SortFunc(list, func(a, b int) int { return position[a] - position[b] })
		for i := range list {
			list[i] = f.segment(list[i])
		}
		if at, ok := f.side[branch]; ok && wanted[branch] && len(list) == 0 {
			nodes[branch] = []int{f.segment(at)}
		}
	}
	return nodes
}

// The places of leaving that are looked at are bounded: after that many steps the remaining
// branches have no join but their post-dominators.
const (
	maxJoinSteps        = 1 << 19
	joinStepsPerSegment = 64
)

// ways is a graph of ways without cycles, in which places of leaving are folded together.
// An edge back to the head of a loop goes to a node of the loop instead, and from there
// to where the loop ends. So do lanes, in some later round.
type ways struct {
	k          *Kernel
	next, back graph
	// heads are the first segments of loops; the nodes of loops follow those of segments.
	heads []int
	gone  []bool
	// side has, for branches by which lanes leave a loop one after the other, the place of
	// leaving to which no others go.
	side map[int]int
}

func newWays(k *Kernel, way graph) *ways {
	f := &ways{k: k, next: make(graph, len(way)), side: map[int]int{}}
	for i := range way {
		f.next[i] = slices.Clone(way[i])
	}
	for depth := 0; f.openLoops(depth >= maxLoopDepth); depth++ {
	}
	f.back = f.next.reverse()
	f.gone = make([]bool, len(f.next))
	return f
}

// maxLoopDepth is how deep loops are nested that are taken as loops; deeper ones are not gone
// round.
const maxLoopDepth = 16

// openLoops turns the ways back to the heads of the outermost cycles round; false if there
// are none. With cut set it takes the ways back out.
func (f *ways) openLoops(cut bool) bool {
	component := components(f.next)
	members := make([][]int, len(f.next))
	for i, c := range component {
		members[c] = append(members[c], i)
	}
	entered := make([]bool, len(f.next))
	for i, list := range f.next {
		for _, to := range list {
			entered[to] = entered[to] || component[i] != component[to]
		}
	}
	any := false
	for c, list := range members {
		if len(list) == 0 || len(list) == 1 && !slices.Contains(f.next[list[0]], list[0]) {
			continue
		}
		any = true
		if cut {
			for _, i := range list {
				f.next[i] = slices.DeleteFunc(f.next[i], func(to int) bool { return component[to] == c && to <= i })
			}
			continue
		}
		head := list[max(0, slices.IndexFunc(list, func(i int) bool { return entered[i] }))]
		f.openLoop(head, list, func(to int) bool { return to < len(component) && component[to] == c })
	}
	return any
}

// openLoop makes the node of a loop.
func (f *ways) openLoop(head int, members []int, inside func(to int) bool) {
	node := len(f.next)
	var out []int
	for _, i := range members {
		for j, to := range f.next[i] {
			if to == head {
				f.next[i][j] = node
			} else if !inside(to) && to != node {
				out = append(out, to)
			}
		}
	}
	slices.Sort(out)
	f.next = append(f.next, slices.Compact(out))
	f.heads = append(f.heads, head)
}

// segment is the one that a node stands for.
func (f *ways) segment(node int) int {
	for node >= len(f.k.Segments) {
		node = f.heads[node-len(f.k.Segments)]
	}
	return node
}

// waits reports whether lanes or warps wait for each other in a segment.
func (k *Kernel) waits(segment int) bool {
	s := &k.Segments[segment]
	for i := s.First; i < s.First+s.Count; i++ {
		if c := k.PTX.Body[i].Class(); c == trace.ClassBarrier || c == trace.ClassShuffle {
			return true
		}
	}
	return false
}

// fold takes out places of leaving to which there is one way, once or in each round of a
// loop. Where all ways from a segment lead to such places, the segment takes their
// place.
func (f *ways) fold() {
	var work []int
	for i := range f.next {
		if len(f.next[i]) == 0 {
			work = append(work, i)
		}
	}
	for len(work) > 0 {
		end := work[len(work)-1]
		work = work[:len(work)-1]
		from := f.onlyWay(end)
		if from < 0 || f.gone[end] {
			continue
		}
		f.gone[end] = true
		if len(f.back[end]) > 1 {
			f.side[from] = end // lanes come there one after the other
		}
		for _, node := range f.back[end] {
			f.next[node] = slices.DeleteFunc(f.next[node], func(to int) bool { return to == end })
			if len(f.next[node]) == 0 {
				work = append(work, node)
			}
		}
	}
}

// onlyWay is the one segment from which a place of leaving is entered, -1 if there are
// several or none. Loops enter it again.
func (f *ways) onlyWay(end int) int {
	only := -1
	for _, from := range f.back[end] {
		switch {
		case from >= len(f.k.Segments):
		case only >= 0:
			return -1
		default:
			only = from
		}
	}
	return only
}

// positions numbers the nodes from the ends on: what is reached later comes first.
func (f *ways) positions() []int {
	root := len(f.next)
	all := make([]int, root)
	for i := range all {
		all[i] = i
	}
	position := make([]int, root+1)
	for i, n := range postorder(append(slices.Clone(f.next), all), root) {
		position[n] = i
	}
	return position
}

// ends lists the places of leaving. Those come first at which lanes wait for each other, then
// returns, exits, and traps.
func (f *ways) ends() []int {
	var list []int
	rank := make([]int, len(f.next))
	for i := range f.next {
		if !f.gone[i] && len(f.next[i]) == 0 {
			list = append(list, i)
			rank[i] = f.rank(f.segment(i))
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return rank[a] - rank[b] })
	return list
}

func (f *ways) rank(end int) int {
	s := &f.k.Segments[end]
	if f.k.waits(end) {
		return 0
	}
	for steps := 0; len(s.Successors) == 1 && steps < 64; steps++ {
		if f.k.waits(s.Successors[0]) {
			return 0
		}
		s = &f.k.Segments[s.Successors[0]]
	}
	switch f.k.terminator(s).Op {
	case ptx.OpExit:
		return 2
	case ptx.OpTrap, ptx.OpCall:
		return 3
	}
	return 1
}

// joinsBefore tells, for each wanted branch with two sides that reach end, the nearest node
// that all ways to end pass. It gives the number of nodes that it looked at.
func (f *ways) joinsBefore(end int, wanted []bool, tell func(branch, join int)) int {
	number := map[int]int{end: 0}
	members := []int{end}
	for i := 0; i < len(members); i++ {
		for _, from := range f.back[members[i]] {
			if _, seen := number[from]; !seen {
				number[from] = len(members)
				members = append(members, from)
			}
		}
	}
	var branches []int
	for _, n := range members {
		if n < len(wanted) && wanted[n] && f.sides(n, number) > 1 {
			branches = append(branches, n)
		}
	}
	if len(branches) == 0 {
		return len(members)
	}
	slices.Sort(branches)
	g := make(graph, len(members)) // edges turned round
	for i, n := range members {
		for _, from := range f.back[n] {
			g[i] = append(g[i], number[from])
		}
	}
	dominator := immediateDominators(g, 0)
	for _, b := range branches {
		tell(b, members[dominator[number[b]]])
	}
	return 4 * len(members)
}

// sides counts the successors of a branch that are among the members.
func (f *ways) sides(branch int, number map[int]int) int {
	n := 0
	for _, to := range f.next[branch] {
		if _, ok := number[to]; ok {
			n++
		}
	}
	return n
}

// components numbers the strongly connected components of a graph (Tarjan, "Depth-First
// Search and Linear Graph Algorithms", 1972). It keeps its own stack.
func components(g graph) []int {
	t := componentFinder{g: g, index: make([]int, len(g)), low: make([]int, len(g)), component: slices.Repeat([]int{-1}, len(g))}
	for i := range g {
		if t.index[i] == 0 {
			t.walk(i)
		}
	}
	return t.component
}

type componentFinder struct {
	g                     graph
	index, low, component []int
	open                  []int
	indices, count        int
}

func (t *componentFinder) walk(root int) {
	type frame struct{ node, next int }
	stack := []frame{{node: root}}
	t.enter(root)
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.next < len(t.g[f.node]) {
			to := t.g[f.node][f.next]
			f.next++
			switch {
			case t.index[to] == 0:
				t.enter(to)
				stack = append(stack, frame{node: to})
			case t.component[to] < 0:
				t.low[f.node] = min(t.low[f.node], t.index[to])
			}
			continue
		}
		node := f.node
		stack = stack[:len(stack)-1]
		if len(stack) > 0 {
			parent := stack[len(stack)-1].node
			t.low[parent] = min(t.low[parent], t.low[node])
		}
		if t.low[node] == t.index[node] {
			t.close(node)
		}
	}
}

func (t *componentFinder) enter(n int) {
	t.indices++
	t.index[n], t.low[n] = t.indices, t.indices
	t.open = append(t.open, n)
}

// close makes a component of what was entered since node.
func (t *componentFinder) close(node int) {
	for {
		n := t.open[len(t.open)-1]
		t.open = t.open[:len(t.open)-1]
		t.component[n] = t.count
		if n == node {
			break
		}
	}
	t.count++
}
