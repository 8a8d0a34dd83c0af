// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
)

// path is one entry of a warp's reconvergence stack: lanes that wait to
// execute segment next, and stop when they reach the segment reconverge.
type path struct {
	segment, reconverge int
	mask                uint32
	// id names the path, parent the one that waits for it at reconverge; the
	// first path of a warp has none.
	id, parent int
	// depth counts the calls that the path's lanes are in.
	depth int
	state pathState
	// suspended is the run of segment that waits for other lanes, barrier what the path
	// waits for at one.
	suspended *coexecution.Record
	barrier   *barrierWait
	// loose paths wait at a join that is no post-dominator, or at a tail, from which lanes
	// only leave. They need not wait for each other where others wait for them.
	loose bool
	// spun says that the path was seen to wait in a loop.
	spun bool
}

// barrierWait is the wait of a path at a barrier.
type barrierWait struct {
	request coexecution.BarrierRequest
	segment int // that ended at the barrier
}

// pathState says whether a path can run.
type pathState uint8

const (
	pathRuns      pathState = iota // or waits for others to reconverge
	pathGathers                    // waits at a barrier for the warp's other lanes
	pathAtBarrier                  // waits at a barrier of the thread block by itself
	pathMeets                      // waits at an instruction with a member mask
)

// reconvergenceStack orders the paths of a warp: the topmost path runs. At a
// divergent branch the running path becomes the one that waits at the branch's
// join. The taken paths are pushed above it and the fall-through path on top, so
// that the fall-through side runs first. A branch with several joins has a path
// that waits at each, the outermost lowest. Lanes stop at the first that they reach
// of the joins that enclose them. They leave the masks of the paths that wait
// inside of it, as lanes that end leave those of all.
type reconvergenceStack struct {
	paths []path
	ids   int // given out so far
	// outer marks the segments at which lanes may stop that are not the nearest
	// join of their path; nil if the kernel has none.
	outer []bool
	// tails marks the segments from which lanes only leave.
	tails []bool
}

// start readies the stack for a warp at the kernel's entry.
func (s *reconvergenceStack) start(lanes uint32) {
	s.paths = append(s.paths[:0], path{segment: 0, reconverge: contaminator.Exit, mask: lanes, id: 1})
	s.ids = 1
}

// top is the running path; the stack must not be empty.
func (s *reconvergenceStack) top() *path { return &s.paths[len(s.paths)-1] }

func (s *reconvergenceStack) empty() bool { return len(s.paths) == 0 }

// retire removes lanes that ended from all paths.
func (s *reconvergenceStack) retire(lanes uint32) {
	for i := range s.paths {
		s.paths[i].mask &^= lanes
	}
}

// diverge replaces the running path by one for each of several targets; the last
// runs first. Lanes that go straight to a join wait there.
func (s *reconvergenceStack) diverge(seg *contaminator.Segment, targets []coexecution.Target) {
	if s.outer == nil {
		s.divergeOnce(seg.PostDominator, targets)
		return
	}
	from := *s.top()
	s.paths = s.paths[:len(s.paths)-1]
	inside := from // the new paths are its children, unless it is at the end of from
	for _, join := range seg.Joins {
		if s.encloses(&from, join) {
			continue // the path that pushed the running one waits there already
		}
		s.ids++
		s.paths = append(s.paths, path{segment: join, reconverge: inside.reconverge, mask: from.mask, id: s.ids, parent: inside.parent, depth: from.depth, loose: join != seg.PostDominator || s.tails[join]})
		inside.reconverge, inside.parent = join, s.ids
	}
	for _, t := range targets {
		if t.Mask == 0 {
			continue
		}
		s.ids++
		p := path{segment: t.Segment, reconverge: inside.reconverge, mask: t.Mask, id: s.ids, parent: inside.parent, depth: from.depth}
		if !s.arrives(&p) {
			s.paths = append(s.paths, p)
		}
	}
	s.settle()
}

// divergeOnce is diverge in a kernel whose joins are all post-dominators.
func (s *reconvergenceStack) divergeOnce(join int, targets []coexecution.Target) {
	top := s.top()
	parent, depth := top.id, top.depth
	if join == top.reconverge || join == contaminator.Exit {
		// The path that pushed the running one waits at its end already; without a
		// post-dominator the sides go their own ways to that end.
		join, parent = top.reconverge, top.parent
		s.paths = s.paths[:len(s.paths)-1]
	} else {
		top.segment, top.loose = join, s.tails[join]
	}
	for _, t := range targets {
		if t.Segment != join && t.Mask != 0 {
			s.ids++
			s.paths = append(s.paths, path{segment: t.Segment, reconverge: join, mask: t.Mask, id: s.ids, parent: parent, depth: depth})
		}
	}
	s.settle()
}

// encloses reports whether a path that waits for p, directly or not, waits at the
// segment.
func (s *reconvergenceStack) encloses(p *path, segment int) bool {
	if p.reconverge == segment {
		return true
	}
	if s.outer == nil {
		return false
	}
	for w := s.waiter(p.parent); w != nil && w.depth == p.depth; w = s.waiter(w.parent) {
		if w.reconverge == segment {
			return true
		}
	}
	return false
}

// arrives reports whether a path is where another one waits for it. Its lanes leave
// the paths that wait inside of that one.
func (s *reconvergenceStack) arrives(p *path) bool {
	if p.segment == p.reconverge {
		return true
	}
	if s.outer == nil || !s.outer[p.segment] || !s.encloses(p, p.segment) {
		return false
	}
	for w := s.waiter(p.parent); ; w = s.waiter(w.parent) {
		w.mask &^= p.mask
		if w.reconverge == p.segment {
			return true
		}
	}
}

// waiter finds a path by its id; nil if there is none.
func (s *reconvergenceStack) waiter(id int) *path {
	for i := len(s.paths) - 1; i >= 0; i-- {
		if s.paths[i].id == id {
			return &s.paths[i]
		}
	}
	return nil
}

// call makes the running path wait at the segment behind a call and pushes a
// path for each function that its lanes enter; the last runs first.
func (s *reconvergenceStack) call(back int, targets []coexecution.Target) {
	s.top().segment, s.top().loose = back, false
	parent, depth := s.top().id, s.top().depth+1
	for _, t := range targets {
		s.ids++
		s.paths = append(s.paths, path{segment: t.Segment, reconverge: contaminator.Exit, mask: t.Mask, id: s.ids, parent: parent, depth: depth})
	}
	s.settle()
}

// leave takes lanes that return out of the function that the running path is
// in; they stay in the paths of the callers.
func (s *reconvergenceStack) leave(lanes uint32) {
	depth := s.top().depth
	for i := range s.paths {
		if s.paths[i].depth >= depth {
			s.paths[i].mask &^= lanes
		}
	}
}

// settle drops paths that reached their reconvergence point or lost all lanes,
// until one is on top that can run.
func (s *reconvergenceStack) settle() {
	for len(s.paths) > 0 {
		t := s.top()
		if t.state != pathRuns {
			s.promote()
			return
		}
		if t.mask != 0 && t.segment != t.reconverge && (s.outer == nil || !s.arrives(t)) {
			return
		}
		s.paths = s.paths[:len(s.paths)-1]
	}
}

// blocked reports whether the path on top cannot run.
func (s *reconvergenceStack) blocked() bool {
	return len(s.paths) > 0 && s.top().state != pathRuns
}

// promote brings a path that can run to the top, where a parked one is; false if
// there is none.
func (s *reconvergenceStack) promote() bool {
	for i := len(s.paths) - 1; i >= 0; i-- {
		if p := s.paths[i]; p.state == pathRuns && p.mask != 0 && !s.hasChildren(p.id) {
			s.paths = append(s.paths[:i], s.paths[i+1:]...)
			if !s.arrives(&p) {
				s.paths = append(s.paths, p)
				return true
			}
			i = len(s.paths) // a path that waits for it may be free
		}
	}
	return false
}

// breakJoin lets lanes go on that wait to reconverge with others, the innermost ones; false
// if none wait. The others come there later. With loose set, only loose joins are broken.
func (s *reconvergenceStack) breakJoin(loose bool) bool {
	for i := len(s.paths) - 1; i >= 0; i-- {
		p := &s.paths[i]
		arrived := p.mask
		for j := range s.paths {
			if s.paths[j].parent == p.id {
				arrived &^= s.paths[j].mask
			}
		}
		if p.state != pathRuns || loose && !p.loose || arrived == 0 || arrived == p.mask {
			continue
		}
		p.mask &^= arrived
		s.ids++
		s.paths = append(s.paths, path{segment: p.segment, reconverge: p.reconverge, mask: arrived, id: s.ids, parent: p.parent, depth: p.depth})
		return true
	}
	return false
}

// find gives the topmost path in a state; nil without one.
func (s *reconvergenceStack) find(state pathState) *path {
	for i := len(s.paths) - 1; i >= 0; i-- {
		if p := &s.paths[i]; p.state == state && p.mask != 0 {
			return p
		}
	}
	return nil
}

// hasChildren reports whether a path waits for others to reconverge.
func (s *reconvergenceStack) hasChildren(id int) bool {
	for i := range s.paths {
		if s.paths[i].parent == id && s.paths[i].mask != 0 {
			return true
		}
	}
	return false
}

// release lets the paths go on that free says of. Those whose next segment is where
// another path waits for them are where they wanted to be.
func (s *reconvergenceStack) release(free func(p *path) bool) {
	for i := len(s.paths) - 1; i >= 0; i-- {
		p := &s.paths[i]
		if p.mask == 0 || !free(p) {
			continue
		}
		if p.state = pathRuns; s.arrives(p) {
			s.paths = append(s.paths[:i], s.paths[i+1:]...)
		}
	}
	s.settle()
}

// outerJoins marks the joins of a kernel in which lanes may stop at another than the
// nearest one; nil if they do not. Where all joins are immediate post-dominators a
// path comes to its own first.
func outerJoins(segments []contaminator.Segment) []bool {
	plain := true
	joins := make([]bool, len(segments))
	for i := range segments {
		s := &segments[i]
		for _, join := range s.Joins {
			plain = plain && join == s.PostDominator
			joins[join] = true
		}
	}
	if plain {
		return nil
	}
	return joins
}

// tailsOf marks the segments from which lanes only leave.
func tailsOf(segments []contaminator.Segment) []bool {
	tails := make([]bool, len(segments))
	for i := range segments {
		tails[i] = segments[i].Tail
	}
	return tails
}
