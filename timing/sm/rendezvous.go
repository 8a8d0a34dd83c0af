// SPDX-License-Identifier: Apache-2.0

package sm

// Rendezvous is the hook of a front end that brings the warps of several SMs to the same
// instructions again. A warp that is stopped waits like one at a barrier.
type Rendezvous struct{ sm *SM }

// Rendezvous gives the hook.
func (s *SM) Rendezvous() Rendezvous { return Rendezvous{s} }

// Pause says whether warp w stops at the beginning of every visit of a basic block.
func (r Rendezvous) Pause(w int, on bool) { r.sm.warps[w].pauses = on }

// Stopped reports whether warp w is stopped.
func (r Rendezvous) Stopped(w int) bool { return r.sm.warps[w].stopped }

// Stop stops warp w where it is.
func (r Rendezvous) Stop(w int) {
	if p := &r.sm.warps[w]; !p.stopped {
		p.stopped = true
		r.sm.evaluate(w)
	}
}

// Proceed lets warp w go on that is stopped.
func (r Rendezvous) Proceed(w int) {
	if p := &r.sm.warps[w]; p.stopped {
		p.stopped = false
		r.sm.evaluate(w)
	}
}

// Left gives the last instruction of the visit that warp w has left, and its
// lanes.
func (r Rendezvous) Left(w int) (instruction, lanes uint32) {
	return r.sm.warps[w].left, r.sm.warps[w].leftMask
}

// BlockOf is the basic block that begins with warp w's next instruction; false
// when the instruction is not the first of one, or there is none.
func (r Rendezvous) BlockOf(w int) (block uint32, ok bool) {
	index, runs := r.sm.Next(w)
	if !runs {
		return 0, false
	}
	for b, first := range r.sm.program.first {
		if first == index {
			return uint32(b), true
		}
	}
	return 0, false
}

// Reconvergence is the basic block where the paths join again that part behind an
// instruction: the immediate post-dominator of its basic block.
func (r Rendezvous) Reconvergence(instruction uint32) uint32 {
	p := r.sm.program
	for b, first := range p.first {
		if first <= instruction && instruction < p.end[b] {
			return p.kernel.Blocks[b].PostDominator
		}
	}
	panic("BUG: an instruction outside all basic blocks")
}
