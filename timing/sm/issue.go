// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm/loadstore"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/timing/sm/waiting"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
)

// Candidates gives the warps whose next instruction can issue in this cycle.
func (s *SM) Candidates(now clock.Cycle) warpset.Set {
	l := &s.waiting
	set := l.On(waiting.For(units.Control))
	if l.Ready() == set {
		return set
	}
	if s.collectors != nil {
		if s.collectors.Parts() == 1 {
			return set.Or(s.listed(s.collectors.Open(0)))
		}
		for part := range s.collectors.Parts() {
			set = set.Or(s.listed(s.collectors.Open(part)).And(s.subCores[part]))
		}
		return set
	}
	if s.units.CollectorAt() > now {
		return set
	}
	if s.subCores != nil {
		set = set.Or(s.inSubCores(now))
	} else {
		for k := units.SP; k < units.LDST; k++ {
			if s.units.Earliest(k, 0) <= now {
				set = set.Or(l.On(waiting.For(k)))
			}
		}
	}
	if s.units.Earliest(units.LDST, 0) <= now && !s.queue.Full() {
		set = set.Or(l.On(waiting.For(units.LDST)))
	}
	return set
}

// inSubCores gives the warps for whose next instruction their sub-core has a unit, but for
// memory instructions.
func (s *SM) inSubCores(now clock.Cycle) (set warpset.Set) {
	for k := units.SP; k < units.LDST; k++ {
		on := s.waiting.On(waiting.For(k))
		if on.Empty() {
			continue
		}
		for part := range s.subCores {
			if s.units.Earliest(k, part) <= now {
				set = set.Or(on.And(s.subCores[part]))
			}
		}
	}
	return set
}

// listed gives the warps whose next instruction goes to units of some kinds, given as
// bits, and lacks nothing else.
func (s *SM) listed(kinds uint8) (set warpset.Set) {
	for ; kinds != 0; kinds &= kinds - 1 {
		set = set.Or(s.waiting.On(waiting.For(units.Kind(bits.TrailingZeros8(kinds)))))
	}
	return set
}

// NextCandidate is the next cycle after now in which something changes for the warps
// that lack only a unit or an operand collector. It is clock.Never when there are none
// or it depends on the port.
func (s *SM) NextCandidate(now clock.Cycle) clock.Cycle {
	if s.collectors != nil {
		// A full latch empties in a cycle that NextEvent names.
		return s.nextStaged(now)
	}
	next := clock.Never
	for k := units.SP; k < units.Control; k++ {
		if s.waiting.On(waiting.For(k)).Empty() || k == units.LDST && s.queue.Full() {
			continue
		}
		at, free := s.nextFree(now, k)
		if next = min(next, at); free {
			next = min(next, s.units.CollectorAt())
		}
	}
	if !s.waiting.On(waiting.For(units.Control)).Empty() || next <= now {
		next = now + 1
	}
	return next
}

// nextFree is the next cycle after now in which a unit of kind k is free for warps that lack it,
// clock.Never for none. free says that one is for some of them already.
func (s *SM) nextFree(now clock.Cycle, k units.Kind) (next clock.Cycle, free bool) {
	next = clock.Never
	for part := range s.units.Parts() {
		if s.subCores != nil && !s.waiting.On(waiting.For(k)).Meets(s.subCores[part]) {
			continue
		}
		if at := s.units.Earliest(k, part); at > now {
			next = min(next, at)
		} else {
			free = true
		}
	}
	return next, free
}

// nextStaged is NextCandidate of a machine with collectors.
func (s *SM) nextStaged(now clock.Cycle) clock.Cycle {
	if !s.Candidates(now).Empty() {
		return now + 1
	}
	return clock.Never
}

// UnitOf is the kind of unit that warp w's next instruction goes to; the warp
// must be a candidate.
func (s *SM) UnitOf(w int) units.Kind { return s.program.code[s.warps[w].index].unit }

// Issue issues the next instruction of candidate w; false when the offload
// engine holds it back.
func (s *SM) Issue(now clock.Cycle, w int) bool {
	p := &s.warps[w]
	op := &s.program.code[p.index]
	mask := p.mask
	if op.guarded {
		mask = s.guardOf(p)
	}
	if s.offload != nil && (s.program.arranged == nil || s.program.arranged.runs[p.index] != core.RunNone) {
		switch s.consult(now, w, op, mask) {
		case seam.Hold:
			return false
		case seam.Elsewhere, seam.Absorbed, seam.Awaited:
			s.account(p.index, mask)
			s.advance(now, w)
			return true
		}
	}
	p.guardKnown = false
	s.account(p.index, mask)
	if op.assisted {
		s.assistant.Issued(now, w, p.index, mask)
	}
	switch op.kind {
	case kindExecute:
		s.startExecution(now, w, op)
	case kindLoad, kindStore:
		s.startAccess(now, w, op, mask)
	case kindBulk:
		s.startCopy(now, w, op, mask)
	case kindBarrier:
		s.arrive(now, w, op, mask)
	case kindFence:
		if mask != 0 && op.async.role == groupAwaited {
			s.awaitGroups(now, w)
		} else if mask != 0 {
			p.arrivesWhole = mask == p.whole
			s.startFence(w)
		}
	case kindControl:
		if op.arrivesAtCluster && mask != 0 {
			p.arrivesWhole = mask == p.whole
			s.arriveAtCluster(now, w)
		}
		switch {
		case mask == 0:
		case op.async.role == groupCommitted:
			s.groupsOf(w, op).Commit()
		case op.async.role == groupAwaited:
			s.awaitGroups(now, w)
		}
	}
	if op.kind != kindExecute && op.unit < units.LDST {
		s.passControl(now, w, op)
	}
	s.advance(now, w)
	return true
}

// passControl sends a branch or barrier through the collectors, for nothing but the room
// that it takes there.
func (s *SM) passControl(now clock.Cycle, w int, op *operation) {
	s.warps[w].outstanding++
	s.stage(now, w, op)
}

// startExecution sends an instruction of a functional unit to operand read.
func (s *SM) startExecution(now clock.Cycle, w int, op *operation) {
	p := &s.warps[w]
	if op.async.role == groupMember && !op.written.Empty() {
		s.multiplies(w, op)
	}
	if s.collectors != nil {
		s.board.ReserveUnit(w, op.written)
		p.outstanding++
		s.stage(now, w, op)
		return
	}
	s.units.Reserve(now, op.unit, s.subCore(w), &op.timing)
	if !op.written.Empty() {
		s.board.ReserveUnit(w, op.written)
		p.outstanding++
		s.plan(now+s.units.Transfer()+clock.Cycle(op.timing.Result), eventWriteBack, w, p.index)
	}
}

// account counts an issued instruction; the front end charges its slot (core.Slots).
func (s *SM) account(index, mask uint32) {
	s.lanes[index] += uint64(bits.OnesCount32(mask))
	s.issued++
}

// guardOf gives the guard mask of the head; it is taken from the stream once.
func (s *SM) guardOf(p *warp) uint32 {
	if !p.guardKnown {
		p.guard, p.guardKnown = p.stream.Guard(), true
	}
	return p.guard
}

// consult asks the offload engine.
func (s *SM) consult(now clock.Cycle, w int, op *operation, mask uint32) seam.Decision {
	p := &s.warps[w]
	token := s.tokens.Give(loadstore.InFlight{Warp: uint8(w), Instruction: p.index})
	q := &s.asked
	q.Kernel, q.SM, q.Warp, q.Instruction, q.Mask, q.Token = s.program.recorded, s.id, w, s.program.Original(p.index), mask, token
	memory := op.class.IsMemory() && mask != 0
	if q.Memory = nil; memory {
		q.Memory = s.askedAccess(w, op, mask)
	}
	decision := s.offload.AtIssue(now, q)
	if decision == seam.Here || decision == seam.Hold {
		s.tokens.Take(token)
		return decision
	}
	p.guardKnown = false
	if op.class.IsMemory() {
		a := s.takeAccess(w)
		if memory {
			a.Access = q.Memory.Access // relative to its space
			s.filter(w, &a, q.Memory.Space, mask)
		}
	}
	if memory {
		s.passAccess(now, op, q.Memory)
	}
	if decision == seam.Absorbed {
		s.tokens.Take(token)
		return decision
	}
	s.board.ReserveLoad(w, op.written)
	p.outstanding++
	p.memory++
	if decision == seam.Awaited {
		p.holdAt(holdAnswer, p.index)
	}
	return decision
}

// askedAccess is the memory instruction that warp w is about to issue. Its
// addresses are taken from the stream once.
func (s *SM) askedAccess(w int, op *operation, mask uint32) *seam.MemoryAccess {
	p := &s.warps[w]
	if !p.accessKnown {
		p.access, p.accessKnown = s.takeAccess(w), true
	}
	a := &s.askedMemory
	s.describeAccess(a, w, op, mask)
	at := p.access
	a.Space = op.space
	if a.Space == trace.SpaceGeneric {
		a.Space = resolve(&at, mask)
	}
	a.Access, a.Chunk, a.Token = at.Access, at.chunk, seam.NoToken
	return a
}

// passAccess counts a memory instruction that the offload engine has taken: its
// addresses are made here.
func (s *SM) passAccess(now clock.Cycle, op *operation, a *seam.MemoryAccess) {
	if s.collectors == nil {
		s.units.Reserve(now, op.unit, 0, &op.timing) // memory instructions of all sub-cores share a unit
	}
	if !s.entry.FiltersLanes {
		countLanes(s.set, op, a.Space, a.Mask)
	}
}

// answered lets a warp go on that waits for the offload engine's answer.
func (p *warp) answered(instruction uint32) {
	if p.hold == holdAnswer && p.heldAt == instruction {
		p.release()
	}
}

// advance moves warp w behind the instruction that it has just issued.
func (s *SM) advance(now clock.Cycle, w int) {
	p := &s.warps[w]
	if s.watch != nil {
		s.watch.issued = s.watch.issued.With(w)
	}
	if s.program.arranged != nil {
		s.issuing = s.program.mark(s.issuing, w, p.index, 1)
	}
	p.index++
	s.fetch.Take(w)
	if p.index == p.end && !s.nextVisit(now, w) {
		s.finish(w)
		return
	}
	s.fetch.Update(w)
	s.evaluate(w)
}
