// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
)

// start puts a warp at the beginning of its stream.
func (s *SM) start(w int, stream seam.Stream, block int) {
	s.arrivals++
	s.ages[w] = s.arrivals
	p := &s.warps[w]
	*p = warp{stream: stream, block: block}
	p.more = s.lookAhead(p)
	p.whole = p.next.Mask
	s.groups[w].reset()
	s.fetch.Start(w)
	if !s.enter(w) {
		s.finish(w)
		return
	}
	s.fetch.Update(w)
	s.evaluate(w)
}

// lookAhead reads the visit after the present one.
func (s *SM) lookAhead(p *warp) bool { return p.stream.Next(&p.next) }

// enter makes the next visit the present one; false at the end of the stream.
func (s *SM) enter(w int) bool {
	p := &s.warps[w]
	if !p.more {
		return false
	}
	if s.program.arranged != nil {
		s.visitArranged(w)
	}
	b := p.next.BasicBlock
	p.index, p.end, p.mask = s.program.first[b], s.program.end[b], p.next.Mask
	// Instructions are fetched up to the end of the visit, or of the next one when it
	// follows in memory. Beyond is a change of path.
	end := p.end
	p.more = s.lookAhead(p)
	if p.more && s.program.first[p.next.BasicBlock] == p.end {
		end = s.program.end[p.next.BasicBlock]
	}
	s.fetch.Enter(w, p.index, end)
	return true
}

// nextVisit continues warp w after the last instruction of its visit. When the path
// does not go on with the instruction that follows in memory, the instruction buffer is
// empty (nothing beyond was fetched: the hardware would flush it). Fetch restarts when
// the branch is resolved or, on machines that fetch past branches, when what came from
// there has been decoded and thrown away.
func (s *SM) nextVisit(now clock.Cycle, w int) bool {
	p := &s.warps[w]
	last := p.end
	p.left, p.leftMask = last-1, p.mask
	if p.waits != 0 {
		s.meet(now, w)
	}
	if !s.enter(w) {
		return false
	}
	p.stopped = p.pauses
	switch {
	case p.index == last:
	case s.machine.SM.FetchPastBranches:
		if s.fetch.Stray(w, last) {
			s.plan(now+2+s.units.Transfer(), eventRefetch, w, 0)
		}
	default:
		branch := clock.Cycle(s.program.code[last-1].timing.Result) + s.units.Transfer()
		if s.program.code[last-1].kind == kindControl && branch > 1 {
			s.fetch.Redirect(w)
			s.plan(now+branch, eventRefetch, w, 0)
		}
	}
	return true
}

// finish ends warp w: everything has issued. It stays until its results and
// accesses have come back.
func (s *SM) finish(w int) {
	p := &s.warps[w]
	p.finished = true
	s.ended = append(s.ended, p.stream)
	p.stream = nil
	s.fetch.End(w)
	s.evaluate(w)
	s.leaveBarriers(w)
	if s.program.multiplies {
		s.completeProducts(*s.clock, w)
	}
	s.tryRetire(w)
}
