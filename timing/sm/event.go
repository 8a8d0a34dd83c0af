// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm/waiting"
	"github.com/warptape/warptape/timing/sm/wheel"
)

// The kinds of event.
const (
	eventWriteBack uint8 = iota // Detail: the instruction that writes registers; From of them are written
	eventLoadWrite              // the same, of a load that waits for register banks
	eventRefetch                // fetch may go on after a change of path
	eventResume                 // the warp leaves a barrier or fence
	eventSideUnit               // Detail: the instruction, executed on a side unit
	eventLine                   // the line that the warp waits for is in its sub-core
)

// plan puts an event of warp w into a cycle after the present one.
func (s *SM) plan(at clock.Cycle, kind uint8, w int, detail uint32) {
	s.events.Put(at, wheel.Event{Detail: detail, Warp: uint8(w), Kind: kind})
}

func (s *SM) happen(now clock.Cycle, e wheel.Event) {
	w := int(e.Warp)
	p := &s.warps[w]
	switch e.Kind {
	case eventWriteBack:
		if !s.delayed(now, e) {
			s.computed(w, e.Detail)
		}
	case eventSideUnit:
		s.computed(w, e.Detail)
	case eventLoadWrite:
		if !s.delayed(now, e) {
			s.loaded(w, e.Detail)
		}
	case eventRefetch:
		s.fetch.Resolved(w)
	case eventLine:
		s.deliver(w, s.fetch.FromL0(w))
	case eventResume:
		p.release()
		p.outstanding--
		s.evaluate(w)
		s.tryRetire(w)
	}
}

// computed ends an instruction that was no memory access: its registers are
// written.
func (s *SM) computed(w int, instruction uint32) {
	p := &s.warps[w]
	op := &s.program.code[instruction]
	s.board.ReleaseUnit(w, op.written)
	p.outstanding--
	if op.async.role == groupMember {
		s.multiplied(w, instruction)
	}
	if s.waiting.Of(w) == waiting.Unit {
		s.evaluate(w)
	} else if p.finished {
		s.tryRetire(w)
	}
}

// delayed writes the registers of a write-back event; while banks are taken, it
// makes an event of what is left for the next cycle and reports true.
func (s *SM) delayed(now clock.Cycle, e wheel.Event) bool {
	if s.collectors == nil {
		return false
	}
	targets := s.program.code[e.Detail].targets
	e.From += uint8(s.collectors.Write(now, e.Warp, targets[e.From:], e.Kind == eventWriteBack))
	if int(e.From) == len(targets) {
		return false
	}
	s.set[counters.RegisterBankConflict]++
	s.events.Put(now+1, e)
	return true
}
