// SPDX-License-Identifier: Apache-2.0

package affine

// phi is the fact of a value with several definitions that meet at the beginning of a
// block: divergent affine analysis (section 4.7).
func (a *analysis) phi(id valueID) fact {
	x := &a.list[id]
	f := nothing
	for _, from := range x.in {
		if from != none && from != id {
			f.join(a.use(from, x.block))
		}
	}
	if f.typ == unknown || f.typ == NonAffine {
		return f
	}
	if a.g.irreducible || len(x.in) > 64 {
		f.conditions.carried = true
		return a.vector(x, f)
	}
	l, header := a.g.isHeader(x.block)
	if !header {
		a.meet(x, &f, ^uint64(0))
		return a.vector(x, f)
	}
	var outside, back uint64
	for n, p := range a.g.preds[x.block] {
		if a.g.within(p, l) {
			back |= 1 << n
		} else {
			outside |= 1 << n
		}
	}
	a.meet(x, &f, outside)
	if f.typ != NonAffine {
		a.meet(x, &f, back)
	}
	if f.conditions.divergent() && !x.predicate {
		f.conditions.carried = true
	}
	return a.vector(x, f)
}

// vector is the fact of a value; threads that part only make a predicate differ from
// thread to thread, which it may.
func (a *analysis) vector(x *value, f fact) fact {
	if x.predicate && f.conditions.divergent() {
		f.conditions = conditions{}
		f.typ = max(f.typ, Affine)
	}
	return f
}

// meet adds the divergent conditions that tell apart the definitions that come from
// some of a block's predecessors. It adds one for each but the first, unless every
// branch that could part the threads is one that they take together.
func (a *analysis) meet(x *value, f *fact, from uint64) {
	var seen [64]valueID
	var ways [64]uint64
	n := 0
	for k, id := range x.in {
		if from>>k&1 == 0 || id == none {
			continue
		}
		at := 0
		for at < n && seen[at] != id {
			at++
		}
		if at == n {
			seen[n] = id
			n++
		}
		ways[at] |= 1 << k
	}
	if n < 2 || !a.parts(x.block, from) {
		return
	}
	for _, w := range ways[1:n] {
		c := condition{place: x.block, ways: w}
		if a.file.refuses(c) && !x.predicate {
			*f = a.refuse(a.k.Blocks[x.block].First, a.noRegister())
			return
		}
		f.conditions.add(c)
	}
}

// parts reports whether threads may part on the way from a block's dominator to
// the block by the predecessors given.
func (a *analysis) parts(b uint32, from uint64) bool {
	for _, at := range a.region(b) {
		if len(a.k.Blocks[at].Successors) > 1 && !a.together(at) {
			return true
		}
	}
	return false
}

// together reports whether all threads take the branch at the end of a block the same
// way.
func (a *analysis) together(b uint32) bool {
	last := a.g.last(b)
	in := &a.k.Instructions[last]
	if in.Opcode != "bra" || !in.Guard.Present {
		return false
	}
	p := a.use(a.guards[last], b)
	return p.typ == unknown || a.agrees(&p)
}

// region lists the blocks on ways from the immediate dominator of b to b; of a loop
// header those of the loop as well.
func (a *analysis) region(b uint32) []uint32 {
	if list, ok := a.regions[b]; ok {
		return list
	}
	seen := map[uint32]bool{b: true}
	var list []uint32
	top := a.g.idom[b]
	work := append([]uint32(nil), a.g.preds[b]...)
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		list = append(list, at)
		if at != top {
			work = append(work, a.g.preds[at]...)
		}
	}
	a.regions[b] = list
	return list
}

// leavesApart reports whether threads may leave a loop in different iterations.
func (a *analysis) leavesApart(l int32) bool {
	exits, ok := a.exits[l]
	if !ok {
		for _, b := range a.g.order {
			if !a.g.within(b, l) {
				continue
			}
			for _, s := range a.k.Blocks[b].Successors {
				if !a.g.within(s, l) {
					exits = append(exits, b)
					break
				}
			}
		}
		a.exits[l] = exits
	}
	for _, b := range exits {
		if len(a.k.Blocks[b].Successors) > 1 && !a.together(b) {
			return true
		}
	}
	return false
}
