package sm

import "github.com/warptape/warptape/timing/clock"

// Advance runs everything of a core cycle that precedes fetch and issue: the
// memory port, write-backs and decoded instructions, and the load-store queue.
func (s *SM) Advance(now clock.Cycle) {
	s.AdvancePort(now)
	for {
		e, ok := s.events.take(now)
		if !ok {
			break
		}
		s.happen(e)
	}
	if s.queue.count > 0 {
		s.drainQueue(now)
	}
}

// NextEvent is the next cycle after now in which Advance has something to do.
func (s *SM) NextEvent(now clock.Cycle) clock.Cycle {
	next := min(s.events.next(now), s.portWake)
	if s.queue.count > 0 && s.queue.headAt() > now {
		next = min(next, s.queue.headAt())
	}
	return next
}

func (s *SM) happen(e event) {
	w := int(e.warp)
	p := &s.warps[w]
	switch e.kind {
	case eventWriteBack:
		s.settle(s.compute, w, s.program.code[e.detail].written)
		p.outstanding--
		if s.lists.of[w] == listCompute {
			s.evaluate(w)
		} else if p.finished {
			s.tryRetire(w)
		}
	case eventDecoded:
		p.decoded += int(e.detail)
		if s.lists.of[w] == listFetch {
			s.evaluate(w)
		}
	case eventRefetch:
		p.redirected = false
		s.updateFetch(w)
	case eventResume:
		p.hold = holdNone
		p.outstanding--
		s.evaluate(w)
		s.tryRetire(w)
	}
}

// wakeNow makes the machine call the SM's front end in the present cycle.
func (s *SM) wakeNow() {
	if *s.wake > *s.clock {
		*s.wake = *s.clock
	}
}

// Port reports; see seam.Completions. The port has work again after each.

// Wake implements seam.Completions.
func (s *SM) Wake(clock.Cycle) {
	s.portWake = min(s.portWake, *s.clock)
	s.wakeNow()
}

// WriteDone implements seam.Completions.
func (s *SM) WriteDone(now clock.Cycle, w int) {
	s.Wake(now)
	s.checkFence(w)
	s.tryRetire(w)
}

// Complete implements seam.Completions.
func (s *SM) Complete(now clock.Cycle, token uint32) {
	s.Wake(now)
	t, ok := s.tokens.take(token)
	if !ok {
		return
	}
	w := int(t.warp)
	s.settle(s.memory, w, s.program.code[t.instruction].written)
	p := &s.warps[w]
	p.outstanding--
	p.memory--
	if s.lists.of[w] == listMemory {
		s.evaluate(w)
		return
	}
	s.checkFence(w)
	s.tryRetire(w)
}

// Fetched implements seam.Completions.
func (s *SM) Fetched(now clock.Cycle, address uint64) {
	s.Wake(now)
	for rest := s.awaiting; rest != 0; rest &= rest - 1 {
		w := lowest(rest)
		if p := &s.warps[w]; p.awaited == address {
			s.awaiting &^= 1 << w
			s.deliver(w, p.awaitedCount)
		}
	}
}
