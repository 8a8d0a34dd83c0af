package emulator

import "github.com/warptape/warptape/frontend/contaminator"

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
	// parked paths wait at a barrier for the warp's other lanes.
	parked bool
}

// reconvergenceStack orders the paths of a warp under immediate
// post-dominator reconvergence: the topmost path runs. At a divergent branch
// the running path becomes the one that waits at the post-dominator, the
// taken paths are pushed above it and the fall-through path on top, so that
// the fall-through side runs first.
type reconvergenceStack struct {
	paths []path
	ids   int // given out so far
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

// diverge replaces the running path by one for each target, of which there
// are several; the last runs first. Lanes that go straight to the
// post-dominator wait there.
func (s *reconvergenceStack) diverge(postDominator int, targets []Target) {
	outer, parent, depth := s.top().reconverge, s.top().id, s.top().depth
	join := postDominator
	switch {
	case join == outer || join == contaminator.Exit:
		// Whoever pushed the running path waits at its end already; without a
		// post-dominator the sides go their own ways to that end.
		join, parent = outer, s.top().parent
		s.paths = s.paths[:len(s.paths)-1]
	default:
		s.top().segment = join
	}
	for _, t := range targets {
		if t.Segment != join && t.Mask != 0 {
			s.ids++
			s.paths = append(s.paths, path{segment: t.Segment, reconverge: join, mask: t.Mask, id: s.ids, parent: parent, depth: depth})
		}
	}
	s.settle()
}

// call makes the running path wait at the segment behind a call and pushes a
// path for each function that its lanes enter; the last runs first.
func (s *reconvergenceStack) call(back int, targets []Target) {
	s.top().segment = back
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
		if t.parked {
			s.promote()
			return
		}
		if t.mask != 0 && t.segment != t.reconverge {
			return
		}
		s.paths = s.paths[:len(s.paths)-1]
	}
}

// promote brings a path that can run to the top, where a parked one is. If
// there is none, all lanes are parked.
func (s *reconvergenceStack) promote() {
	for i := len(s.paths) - 1; i >= 0; i-- {
		if p := s.paths[i]; !p.parked && p.mask != 0 && !s.hasChildren(p.id) {
			s.paths = append(append(s.paths[:i], s.paths[i+1:]...), p)
			return
		}
	}
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

// release lets the parked paths go on. Those whose next segment is their
// reconvergence point are where they wanted to be.
func (s *reconvergenceStack) release() {
	kept := s.paths[:0]
	for _, p := range s.paths {
		if p.parked && p.segment == p.reconverge {
			continue
		}
		p.parked = false
		kept = append(kept, p)
	}
	s.paths = kept
	s.settle()
}
