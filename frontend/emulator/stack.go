package emulator

import "github.com/warptape/warptape/frontend/contaminator"

// path is one entry of a warp's reconvergence stack: lanes that wait to
// execute segment next, and stop when they reach the segment reconverge.
type path struct {
	segment, reconverge int
	mask                uint32
}

// reconvergenceStack orders the paths of a warp under immediate
// post-dominator reconvergence: the topmost path runs. At a divergent branch
// the running path becomes the one that waits at the post-dominator, the
// taken paths are pushed above it and the fall-through path on top, so that
// the fall-through side runs first.
type reconvergenceStack struct{ paths []path }

// start readies the stack for a warp at the kernel's entry.
func (s *reconvergenceStack) start(lanes uint32) {
	s.paths = append(s.paths[:0], path{segment: 0, reconverge: contaminator.Exit, mask: lanes})
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
	outer := s.top().reconverge
	join := postDominator
	switch {
	case join == outer || join == contaminator.Exit:
		// Whoever pushed the running path waits at its end already; without a
		// post-dominator the sides go their own ways to that end.
		join = outer
		s.paths = s.paths[:len(s.paths)-1]
	default:
		s.top().segment = join
	}
	for _, t := range targets {
		if t.Segment != join && t.Mask != 0 {
			s.paths = append(s.paths, path{segment: t.Segment, reconverge: join, mask: t.Mask})
		}
	}
	s.settle()
}

// settle drops paths that reached their reconvergence point or lost all lanes.
func (s *reconvergenceStack) settle() {
	for len(s.paths) > 0 {
		t := s.top()
		if t.mask != 0 && t.segment != t.reconverge {
			return
		}
		s.paths = s.paths[:len(s.paths)-1]
	}
}
