package sm

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
)

// Advance runs everything of a core cycle that precedes fetch and issue: the
// memory port, write-backs and decoded instructions, and the load-store queue.
func (s *SM) Advance(now clock.Cycle) {
	s.AdvancePort(now)
	for s.events.due <= now {
		if e, ok := s.events.take(now); ok {
			s.happen(now, e)
		}
	}
	if c := s.collectors; c != nil {
		if c.next <= now || c.portWanted && s.port.Ready(now) {
			s.stepCollectors(now)
		}
		return
	}
	if s.queue.count > 0 {
		s.drainQueue(now)
	}
}

// NextEvent is the next cycle after now in which Advance has something to do.
func (s *SM) NextEvent(now clock.Cycle) clock.Cycle {
	next := min(s.events.due, s.portWake)
	if s.collectors != nil {
		return min(next, s.collectors.next)
	}
	if s.queue.count > 0 && s.queue.headAt() > now {
		next = min(next, s.queue.headAt())
	}
	return next
}

func (s *SM) happen(now clock.Cycle, e event) {
	w := int(e.warp)
	p := &s.warps[w]
	switch e.kind {
	case eventWriteBack:
		if !s.delayed(now, e) {
			s.computed(w, e.detail)
		}
	case eventAside:
		s.computed(w, e.detail)
	case eventLoadWrite:
		if !s.delayed(now, e) {
			s.loaded(w, e.detail)
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

// computed ends an instruction that was no memory access: its registers are
// written.
func (s *SM) computed(w int, instruction uint32) {
	p := &s.warps[w]
	s.settle(s.compute, w, s.program.code[instruction].written)
	p.outstanding--
	if s.lists.of[w] == listCompute {
		s.evaluate(w)
	} else if p.finished {
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
	if t.copied != 0 {
		s.finishCopy(int(t.warp), t.copied)
	}
	e := event{detail: t.instruction, warp: t.warp, kind: eventLoadWrite}
	if !s.delayed(now, e) {
		s.loaded(int(t.warp), t.instruction)
	}
}

// delayed writes the registers of a write-back event; while banks are taken, it
// makes an event of what is left for the next cycle and reports true.
func (s *SM) delayed(now clock.Cycle, e event) bool {
	op := &s.program.code[e.detail]
	if s.collectors == nil {
		return false
	}
	e.from = s.write(now, op, &e)
	if uint32(e.from) == op.targets.to-op.targets.from {
		return false
	}
	s.set[counters.RegisterBankConflict]++
	s.events.put(now+1, e)
	return true
}

// loaded ends a load whose registers have been written, unless the companion has
// to hear of it first.
func (s *SM) loaded(w int, instruction uint32) {
	if s.companion != nil && s.companion.Loaded(*s.clock, s.id, w, instruction) {
		return
	}
	s.FinishLoad(w, instruction)
}

// FinishLoad clears the scoreboard of a load.
func (s *SM) FinishLoad(w int, instruction uint32) {
	if s.program.code[instruction].assisted {
		s.assistant.Loaded(*s.clock, w, instruction)
	}
	s.settle(s.memory, w, s.program.code[instruction].written)
	p := &s.warps[w]
	p.outstanding--
	p.memory--
	p.answered(instruction)
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
