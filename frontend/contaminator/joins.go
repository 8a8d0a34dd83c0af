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
//  2. Without one, lanes leave on some way from the branch. It joins at the nearest segment
//     that all ways from it to one place of leaving pass, for a place that at least two of
//     its sides reach. A place at which one side only leaves does not count.
//  3. Where 1 or 2 give a tail, from which lanes do nothing but leave in a straight line,
//     ways that go there early (an early return to a shared ret) do not count either: the
//     branch has an inner join, by 2 in the graph without tails.
//
// setJoins fills Segment.Joins. The outermost join comes first.
func (k *Kernel) setJoins() {
	way := k.wayGraph()
	tails := plainTails(way)
	outer, wanted := make([]int, len(k.Segments)), make([]bool, len(k.Segments))
	search := false
	for i := range k.Segments {
		outer[i] = k.Segments[i].PostDominator
		wanted[i] = outer[i] == Exit && len(way[i]) > 1
		search = search || wanted[i]
	}
	if search {
		for i, j := range k.nearestJoins(way, tails, wanted) {
			if wanted[i] {
				outer[i] = j
			}
		}
	}
	inner := k.innerJoins(way, tails, outer)
	for i := range k.Segments {
		s := &k.Segments[i]
		if len(s.Successors) < 2 {
			continue
		}
		for _, j := range [...]int{outer[i], inner[i]} {
			if j != Exit {
				s.Joins = append(s.Joins, j)
			}
		}
	}
}

// innerJoins gives the inner joins of branches that join at a tail.
func (k *Kernel) innerJoins(way graph, tails []bool, outer []int) []int {
	within := make(graph, len(way))
	for i, list := range way {
		for _, next := range list {
			if !tails[i] && !tails[next] {
				within[i] = append(within[i], next)
			}
		}
	}
	wanted, search := make([]bool, len(way)), false
	for i := range way {
		wanted[i] = outer[i] != Exit && tails[outer[i]] && len(within[i]) > 1
		search = search || wanted[i]
	}
	if !search {
		return slices.Repeat([]int{Exit}, len(way))
	}
	return k.nearestJoins(within, make([]bool, len(way)), wanted)
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
// which nobody enters but at the first.
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

// nearestJoins gives, by rule 2, the joins of the wanted segments in a graph of ways; Exit
// where there is none.
func (k *Kernel) nearestJoins(way graph, tails, wanted []bool) []int {
	f := newWays(k, way)
	f.fold()
	join := slices.Repeat([]int{Exit}, len(way))
	open := make([]bool, len(way)) // wanted, and nothing nearer than a place of leaving is known
	left := 0
	for i := range wanted {
		if wanted[i] {
			open[i] = true
			left++
		}
	}
	work := maxJoinSteps + joinStepsPerSegment*len(way)
	for _, end := range f.ends() {
		if left == 0 || work < 0 {
			break
		}
		work -= f.joinsBefore(end, open, func(branch, at int) {
			if at == end && tails[at] && f.waitsInside(branch, at) {
				return
			}
			if join[branch] == Exit {
				join[branch] = at
			}
			if at != end || !tails[at] {
				join[branch], open[branch] = at, false
				left--
			}
		})
	}
	for i := range wanted {
		if wanted[i] && join[i] == Exit {
			join[i] = f.leftLoop(i)
		}
	}
	return join
}

// The places of leaving of which each branch is looked at are bounded: after that many steps
// the remaining branches have no join.
const (
	maxJoinSteps        = 1 << 22
	joinStepsPerSegment = 256
)

// ways is a graph of ways in which places of leaving are folded together.
type ways struct {
	k         *Kernel
	next      graph
	back      graph
	component []int  // strongly connected, by node
	cyclic    []bool // by component
	out       []int  // edges that leave a component
	waits     []bool // by component: a barrier or an exchange between lanes is in it
	gone      []bool
	side      []int // by node: a place of leaving that was only its, or Exit
}

func newWays(k *Kernel, way graph) *ways {
	f := &ways{k: k, next: make(graph, len(way)), gone: make([]bool, len(way)), side: slices.Repeat([]int{Exit}, len(way))}
	for i := range way {
		f.next[i] = slices.Clone(way[i])
	}
	f.back = f.next.reverse()
	f.component = components(f.next)
	n := 0
	for _, c := range f.component {
		n = max(n, c+1)
	}
	f.cyclic, f.out, f.waits = make([]bool, n), make([]int, n), make([]bool, n)
	size := make([]int, n)
	for i := range f.next {
		c := f.component[i]
		size[c]++
		f.waits[c] = f.waits[c] || k.waits(i)
		for _, to := range f.next[i] {
			if f.component[to] != c {
				f.out[c]++
			}
			f.cyclic[c] = f.cyclic[c] || to == i
		}
	}
	for c := range size {
		f.cyclic[c] = f.cyclic[c] || size[c] > 1
	}
	return f
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

// fold takes out places of leaving to which there is one way, unless it is the only one
// out of a loop; where all ways from a segment lead to such, it takes their place.
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
		if f.gone[end] || len(f.back[end]) != 1 {
			continue
		}
		from := f.back[end][0]
		c := f.component[from]
		if f.cyclic[c] && f.out[c] == 1 {
			continue
		}
		f.gone[end], f.side[from] = true, end
		f.out[c]--
		f.next[from] = slices.DeleteFunc(f.next[from], func(to int) bool { return to == end })
		if len(f.next[from]) == 0 {
			work = append(work, from)
		}
	}
}

// ends lists the places of leaving, and the first segments of loops without end. Those
// come first at which lanes wait for each other, then returns, exits, and traps.
func (f *ways) ends() []int {
	var list []int
	seen := make([]bool, len(f.cyclic))
	for i := range f.next {
		c := f.component[i]
		switch {
		case f.gone[i]:
		case len(f.next[i]) == 0:
			list = append(list, i)
		case f.cyclic[c] && f.out[c] == 0 && !seen[c]:
			seen[c] = true
			list = append(list, i)
		}
	}
	rank := make([]int, len(f.next))
	for _, i := range list {
		rank[i] = f.rank(i)
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

// joinsBefore tells, for each open branch of which two sides reach end, the nearest segment
// that all ways to end pass. It gives the number of segments that it looked at.
func (f *ways) joinsBefore(end int, open []bool, tell func(branch, join int)) int {
	number := map[int]int{end: 0}
	members := []int{end}
	for i := 0; i < len(members); i++ {
		for _, from := range f.back[members[i]] {
			if _, seen := number[from]; !seen && !f.gone[from] {
				number[from] = len(members)
				members = append(members, from)
			}
		}
	}
	var branches []int
	for _, n := range members {
		if open[n] && f.sides(n, number) > 1 {
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
			if at, ok := number[from]; ok {
				g[i] = append(g[i], at)
			}
		}
	}
	dominator := immediateDominators(g, 0)
	for _, b := range branches {
		at := dominator[number[b]]
		if b == end {
			at = f.common(b, number, dominator)
		}
		tell(b, members[at])
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

// common is the nearest segment that all ways from a branch, which heads a loop without end,
// pass before they come back.
func (f *ways) common(branch int, number map[int]int, dominator []int) int {
	at := -1
	for _, to := range f.next[branch] {
		n, ok := number[to]
		switch {
		case !ok:
		case at < 0:
			at = n
		default:
			at = ancestor(dominator, at, n)
		}
	}
	return at
}

// ancestor is the nearest common ancestor in a tree of dominators with root 0.
func ancestor(dominator []int, a, b int) int {
	above := map[int]bool{0: true}
	for ; a != 0; a = dominator[a] {
		above[a] = true
	}
	for !above[b] {
		b = dominator[b]
	}
	return b
}

// waitsInside reports whether lanes that stay in a loop wait there for those that have left it
// for a place of leaving: those must go on and leave.
func (f *ways) waitsInside(branch, end int) bool {
	c := f.component[branch]
	return f.cyclic[c] && f.waits[c] && f.component[end] != c
}

// leftLoop is the join of a branch by which lanes leave a loop one after the other for a
// place that no others go to; Exit if it is no such branch.
func (f *ways) leftLoop(branch int) int {
	end, c := f.side[branch], f.component[branch]
	if end == Exit || !f.cyclic[c] || f.waits[c] {
		return Exit
	}
	for _, to := range f.next[branch] {
		if f.component[to] == c {
			return end
		}
	}
	return Exit
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
