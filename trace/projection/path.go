// SPDX-License-Identifier: Apache-2.0

package projection

import "slices"

// path is lanes that execute block next and stop when they reach reconverge, where
// the path with the number parent waits for them (0: none does). Paths that wait
// for others precede those.
type path struct {
	block, reconverge uint32
	lanes             Lanes
	id, parent        int
	parked            bool // at a barrier, for the warp's other lanes
	done              bool // with the present round (SerialRounds)
	slot              int  // of Interleaved
}

func (w *Warp) push(p path) {
	w.ids++
	p.id = w.ids
	w.paths = append(w.paths, p)
}

// choose is the place of the path that runs next, -1 when all lanes have ended.
func (w *Warp) choose(slot *int) int {
	*slot = 0
	if len(w.paths) == 0 {
		return -1
	}
	i := w.runnable(slot)
	if i < 0 {
		// Lanes at a barrier and lanes that wait for those to reconverge: a wider warp
		// than the recorded one would hang here. The order goes on without the barrier.
		w.release()
		w.settle()
		i = w.runnable(slot)
	}
	return i
}

// runnable is choose by the rule, -1 when every path waits.
func (w *Warp) runnable(slot *int) int {
	n := len(w.paths)
	switch {
	case w.rule == Independent:
		return w.nextInTurn()
	case w.rule == SerialRounds:
		return w.nextOfRound()
	case w.rule == Interleaved && n > 1:
		return w.interleave(slot)
	case w.paths[n-1].parked:
		return w.promote()
	}
	return n - 1
}

// nextInTurn goes round the paths that are not parked.
func (w *Warp) nextInTurn() int {
	for range w.paths {
		w.turn++
		if i := w.turn % len(w.paths); !w.paths[i].parked {
			return i
		}
	}
	return -1
}

// nextOfRound is the path at the first basic block of those that are not done; after the
// last one another round begins.
func (w *Warp) nextOfRound() int {
	for range 2 {
		first := -1
		for i := range w.paths {
			if p := &w.paths[i]; !p.parked && !p.done && (first < 0 || p.block < w.paths[first].block) {
				first = i
			}
		}
		if first >= 0 {
			return first
		}
		w.beginRound()
	}
	return -1
}

// beginRound lets the lanes that are at the same basic block go on together.
func (w *Warp) beginRound() {
	for i := range w.paths {
		w.paths[i].done = false
	}
	w.merge()
}

// interleave takes turns between the two paths that can run and are at the lowest
// instructions. A path that took turns with another one keeps its slot for the visit that
// was due when the other ended. The lowest path can always run.
func (w *Warp) interleave(slot *int) int {
	low, second := -1, -1
	for i := range w.paths {
		if w.paths[i].parked || w.synchronises(i) {
			continue
		}
		switch at := w.instruction(i); {
		case low < 0 || at < w.instruction(low):
			low, second = i, low
		case second < 0 || at < w.instruction(second):
			second = i
		}
	}
	if second < 0 {
		if low >= 0 {
			*slot, w.paths[low].slot = w.paths[low].slot, 0
		}
		return low
	}
	w.paths[low].slot, w.paths[second].slot = 0, 1
	if w.turn ^= 1; w.turn == 0 {
		*slot = 1
		return second
	}
	return low
}

// synchronises reports whether path i is at a join for which others are still to come.
func (w *Warp) synchronises(i int) bool {
	at, from := w.instruction(i), w.plan.from[w.paths[i].block]
	for k := range w.paths {
		if other := w.instruction(k); !w.paths[k].parked && other >= from && other < at {
			return true
		}
	}
	return false
}

func (w *Warp) instruction(i int) uint32 { return w.plan.kernel.Blocks[w.paths[i].block].First }

// promote brings the last path that can run to the top, where a parked one is, and
// gives its place; -1 when there is none.
func (w *Warp) promote() int {
	for i := len(w.paths) - 1; i >= 0; i-- {
		if p := w.paths[i]; !p.parked && !w.hasChildren(p.id) {
			w.paths = append(append(w.paths[:i], w.paths[i+1:]...), p)
			return len(w.paths) - 1
		}
	}
	return -1
}

func (w *Warp) hasChildren(id int) bool {
	for i := range w.paths {
		if w.paths[i].parent == id {
			return true
		}
	}
	return false
}

// retire takes ended lanes from all paths.
func (w *Warp) retire() {
	if w.ended.Empty() {
		return
	}
	for i := range w.paths {
		w.paths[i].lanes.remove(&w.ended)
	}
}

// follow lets path i, which has executed block, go on to the targets.
func (w *Warp) follow(block uint32, i int) {
	switch {
	case len(w.targets) == 0:
	case len(w.targets) == 1:
		w.paths[i].block, w.paths[i].done = w.targets[0].block, true
	case w.rule == Serial, w.rule == SerialRounds, w.rule == Interleaved:
		w.split(block, i, nil)
	default:
		w.split(block, i, w.plan.blocks[block].joins)
	}
}

// split replaces path i by one that waits at each join, and one for each target; lanes
// that go straight to a join wait there. The fall-through runs first, then the branch
// targets in the order of their lowest lanes, as in the recording.
func (w *Warp) split(block uint32, i int, joins []uint32) {
	from := w.paths[i]
	reconverge, parent := from.reconverge, from.parent
	for _, join := range joins {
		if w.encloses(&from, join) {
			continue // the path that pushed this one waits there already
		}
		waiting := path{block: join, reconverge: reconverge, lanes: from.lanes, id: from.id, parent: parent}
		if parent == from.parent {
			w.paths[i] = waiting
		} else {
			w.ids++
			waiting.id = w.ids
			i++
			w.paths = slices.Insert(w.paths, i, waiting)
		}
		reconverge, parent = join, waiting.id
	}
	if parent == from.parent {
		w.paths = slices.Delete(w.paths, i, i+1)
	}
	w.sortTargets(w.plan.blocks[block].fallThrough)
	for n := len(w.targets) - 1; n >= 0; n-- {
		t := path{block: w.targets[n].block, reconverge: reconverge, lanes: w.targets[n].lanes, parent: parent, parked: from.parked, done: true}
		if t.parked && t.block != t.reconverge || !w.arrives(&t) {
			w.push(t)
		}
	}
}

// encloses reports whether a path that waits for p, directly or not, waits at a block.
func (w *Warp) encloses(p *path, block uint32) bool {
	if p.reconverge == block {
		return true
	}
	if !w.plan.blocks[block].outer {
		return false
	}
	for q := w.waiter(p.parent); q != nil; q = w.waiter(q.parent) {
		if q.reconverge == block {
			return true
		}
	}
	return false
}

// arrives reports whether a path is where another one waits for it. Its lanes leave the
// paths that wait inside of that one.
func (w *Warp) arrives(p *path) bool {
	if p.block == p.reconverge {
		return true
	}
	if !w.plan.blocks[p.block].outer || !w.encloses(p, p.block) {
		return false
	}
	for q := w.waiter(p.parent); ; q = w.waiter(q.parent) {
		q.lanes.remove(&p.lanes)
		if q.reconverge == p.block {
			return true
		}
	}
}

// waiter finds a path by its number; nil if there is none.
func (w *Warp) waiter(id int) *path {
	for i := len(w.paths) - 1; i >= 0; i-- {
		if w.paths[i].id == id {
			return &w.paths[i]
		}
	}
	return nil
}

// sortTargets brings the targets, which are few, into the order in which they run.
func (w *Warp) sortTargets(fallThrough uint32) {
	before := func(a, b *target) bool {
		if a.block == fallThrough || b.block == fallThrough {
			return a.block == fallThrough
		}
		return a.lanes.lowest() < b.lanes.lowest()
	}
	for i := 1; i < len(w.targets); i++ {
		for n := i; n > 0 && before(&w.targets[n], &w.targets[n-1]); n-- {
			w.targets[n], w.targets[n-1] = w.targets[n-1], w.targets[n]
		}
	}
}

// settle drops the paths that have no lanes or have reached where they reconverge.
func (w *Warp) settle() {
	for i := len(w.paths) - 1; i >= 0; i-- {
		p := &w.paths[i]
		if p.lanes.Empty() || !p.parked && !w.hasChildren(p.id) && w.arrives(p) {
			w.paths = slices.Delete(w.paths, i, i+1)
		}
	}
}

// release lets the parked paths go on. Where paths do not wait for each other, those that
// go on at the same basic block do so together.
func (w *Warp) release() {
	w.parked, w.waited = Lanes{}, true
	for i := range w.paths {
		w.paths[i].parked = false
	}
	switch w.rule {
	case Serial:
		w.merge()
	case SerialRounds:
		w.beginRound()
	}
}

// merge makes one path of those that are at the same basic block.
func (w *Warp) merge() {
	for i := 0; i < len(w.paths); i++ {
		for n := len(w.paths) - 1; n > i; n-- {
			if w.paths[n].block == w.paths[i].block && w.paths[n].parked == w.paths[i].parked {
				w.paths[i].lanes.add(&w.paths[n].lanes)
				w.paths = slices.Delete(w.paths, n, n+1)
			}
		}
	}
}
