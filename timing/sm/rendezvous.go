package sm

// What a front end needs that brings the warps of several SMs to the same
// instructions again. A warp that is stopped waits like one at a barrier.

// Pause says whether warp w stops at the beginning of every visit of a basic block.
func (s *SM) Pause(w int, on bool) { s.warps[w].pauses = on }

// Stopped reports whether warp w is stopped.
func (s *SM) Stopped(w int) bool { return s.warps[w].stopped }

// Stop stops warp w where it is.
func (s *SM) Stop(w int) {
	if p := &s.warps[w]; !p.stopped {
		p.stopped = true
		s.evaluate(w)
	}
}

// Proceed lets warp w go on that is stopped.
func (s *SM) Proceed(w int) {
	if p := &s.warps[w]; p.stopped {
		p.stopped = false
		s.evaluate(w)
	}
}

// Left gives the last instruction of the visit that warp w has left, and its
// lanes.
func (s *SM) Left(w int) (instruction, lanes uint32) { return s.warps[w].left, s.warps[w].leftMask }

// BlockOf is the basic block that begins with warp w's next instruction; false
// when the instruction is not the first of one, or there is none.
func (s *SM) BlockOf(w int) (block uint32, ok bool) {
	index, runs := s.Next(w)
	if !runs {
		return 0, false
	}
	for b, first := range s.program.first {
		if first == index {
			return uint32(b), true
		}
	}
	return 0, false
}

// Reconvergence is the basic block where the paths join again that part behind an
// instruction: the immediate post-dominator of its basic block.
func (s *SM) Reconvergence(instruction uint32) uint32 {
	p := s.program
	for b, first := range p.first {
		if first <= instruction && instruction < p.end[b] {
			return p.kernel.Blocks[b].PostDominator
		}
	}
	panic("BUG: an instruction outside all basic blocks")
}
