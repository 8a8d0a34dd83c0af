package sm

// What a front end needs that brings the warps of several SMs to the same
// instructions again. A warp that is stopped waits like one at a barrier.

// CountSteps counts every warp's instructions from here on.
func (s *SM) CountSteps() {
	for w := range s.warps {
		s.warps[w].steps = 0
	}
}

// Steps is how many instructions warp w has issued since CountSteps, or since it
// was placed.
func (s *SM) Steps(w int) uint64 { return s.warps[w].steps }

// Stop stops warp w, or lets it go on.
func (s *SM) Stop(w int, on bool) {
	p := &s.warps[w]
	if p.stopped != on {
		p.stopped = on
		s.evaluate(w)
	}
}

// StopAt stops warp w when it has issued so many instructions since CountSteps;
// zero: never.
func (s *SM) StopAt(w int, steps uint64) {
	s.warps[w].limit = steps
	s.Stop(w, steps > 0 && s.warps[w].steps >= steps)
}

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

// Reconvergence is the basic block where the paths join again that part at the
// end of the one with the instruction: its immediate post-dominator.
func (s *SM) Reconvergence(instruction uint32) uint32 {
	p := s.program
	for b, first := range p.first {
		if first <= instruction && instruction < p.end[b] {
			return p.Kernel.Blocks[b].PostDominator
		}
	}
	panic("BUG: an instruction outside all basic blocks")
}
