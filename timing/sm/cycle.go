// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/sm/waiting"
	"github.com/warptape/warptape/timing/sm/wheel"
)

// Advance runs everything of a core cycle that precedes fetch and issue: the
// memory port, write-backs and decoded instructions, and the load-store queue.
func (s *SM) Advance(now clock.Cycle) {
	s.AdvancePort(now)
	if s.fetch.Due() <= now {
		s.decoded(now)
	}
	for s.events.Due() <= now {
		if e, ok := s.events.Take(now); ok {
			s.happen(now, e)
		}
	}
	for s.inbox.Due() <= now {
		m := s.inbox.Take()
		s.receive(now, &m)
	}
	if s.collectors != nil {
		s.collectors.Step(now, s)
		return
	}
	if s.queue.Count() > 0 {
		s.drainQueue(now)
	}
}

// NextEvent is the next cycle after now in which Advance has something to do.
func (s *SM) NextEvent(now clock.Cycle) clock.Cycle {
	next := min(s.events.Due(), s.fetch.Due(), s.portWake, s.inbox.Due())
	if s.collectors != nil {
		return min(next, s.collectors.Next())
	}
	if s.queue.Count() > 0 && s.queue.HeadAt() > now {
		next = min(next, s.queue.HeadAt())
	}
	return next
}

// wakeNow makes the machine call the SM's front end in the present cycle.
func (s *SM) wakeNow() {
	s.wake.Lower(*s.clock)
}

// Port reports; see seam.Completions. The port has work again after each.

// Wake implements seam.Completions.
func (s *SM) Wake() {
	s.portWake = min(s.portWake, *s.clock)
	s.wakeNow()
}

// WriteDone implements seam.Completions.
func (s *SM) WriteDone(now clock.Cycle, w int) {
	s.Wake()
	s.checkFence(w)
	s.checkGroups(now, w)
	s.tryRetire(w)
}

// Complete implements seam.Completions.
func (s *SM) Complete(now clock.Cycle, token uint32) {
	s.Wake()
	t, ok := s.tokens.Take(token)
	if !ok {
		return
	}
	if t.Copy != 0 {
		s.finishCopy(now, int(t.Warp), t.Copy)
	}
	if t.Grouped {
		s.finishGrouped(now, &t)
	}
	if !s.delayed(now, wheel.Event{Detail: t.Instruction, Warp: t.Warp, Kind: eventLoadWrite}) {
		s.loaded(int(t.Warp), t.Instruction)
	}
}

// loaded ends a load whose registers have been written, unless the companion has
// to hear of it first.
func (s *SM) loaded(w int, instruction uint32) {
	if s.companion != nil && s.companion.Loaded(*s.clock, s.id, w, instruction) {
		return
	}
	s.finishLoad(w, instruction)
}

// finishLoad clears the scoreboard of a load.
func (s *SM) finishLoad(w int, instruction uint32) {
	if s.program.code[instruction].assisted {
		s.assistant.Loaded(*s.clock, w, instruction)
	}
	s.board.ReleaseLoad(w, s.program.code[instruction].written)
	p := &s.warps[w]
	p.outstanding--
	p.memory--
	p.answered(instruction)
	if s.waiting.Of(w) == waiting.Memory {
		s.evaluate(w)
		return
	}
	s.checkFence(w)
	s.tryRetire(w)
}
