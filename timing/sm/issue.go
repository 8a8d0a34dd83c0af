package sm

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

func lowest(set uint64) int { return bits.TrailingZeros64(set) }

// Candidates gives the warps whose next instruction can issue in this cycle.
func (s *SM) Candidates(now clock.Cycle) uint64 {
	l := &s.lists.members
	set := l[listReady+list(UnitControl)]
	if s.lists.ready() == set {
		return set
	}
	if c := s.collectors; c != nil {
		for u := UnitSP; u < UnitControl; u++ {
			if waiting := l[listReady+list(u)]; waiting != 0 && !c.full(u) {
				set |= waiting
			}
		}
		return set
	}
	var onUnits uint64
	for u := UnitSP; u < UnitLDST; u++ {
		if s.units.earliest[u] <= now {
			onUnits |= l[listReady+list(u)]
		}
	}
	if s.units.earliest[UnitLDST] <= now && !s.queue.full() {
		onUnits |= l[listReady+list(UnitLDST)]
	}
	if onUnits != 0 && s.units.collectorAt > now {
		onUnits = 0
	}
	return set | onUnits
}

// NextCandidate is the next cycle after now in which something changes for the
// warps that lack only a unit or an operand collector, clock.Never when there are
// none or it depends on the port.
func (s *SM) NextCandidate(now clock.Cycle) clock.Cycle {
	if s.collectors != nil {
		// A full latch empties in a cycle that NextEvent names.
		return s.nextStaged(now)
	}
	next := clock.Never
	for u := UnitSP; u < UnitControl; u++ {
		if s.lists.members[listReady+list(u)] == 0 || u == UnitLDST && s.queue.full() {
			continue
		}
		if at := s.units.earliest[u]; at > now {
			next = min(next, at)
		} else {
			next = min(next, s.units.collectorAt)
		}
	}
	if s.lists.members[listReady+list(UnitControl)] != 0 || next <= now {
		next = now + 1
	}
	return next
}

// nextStaged is NextCandidate of a machine with collectors.
func (s *SM) nextStaged(now clock.Cycle) clock.Cycle {
	if s.Candidates(now) != 0 {
		return now + 1
	}
	return clock.Never
}

// UnitOf is the kind of unit that warp w's next instruction goes to; the warp
// must be a candidate.
func (s *SM) UnitOf(w int) Unit { return s.program.code[s.warps[w].index].unit }

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
		if s.collectors != nil {
			s.stageExecution(now, w, op)
			break
		}
		s.units.reserve(now, op)
		if op.written.from != op.written.to {
			s.pend(s.compute, w, op.written)
			p.outstanding++
			s.events.add(now+s.units.transfer+clock.Cycle(op.resultCycles), eventWriteBack, w, p.index)
		}
	case kindLoad, kindStore:
		if s.collectors == nil {
			s.units.reserve(now, op)
		}
		s.startAccess(now, w, op, mask)
	case kindBulk:
		if s.collectors == nil {
			s.units.reserve(now, op)
		}
		s.startCopy(now, w, op, mask)
	case kindBarrier:
		if arrives(p.stream, op, mask) {
			s.arrive(now, w, op)
		}
	case kindFence:
		if mask != 0 {
			s.startFence(w)
		}
	}
	s.advance(now, w)
	return true
}

// stageExecution sends an instruction of a functional unit to operand read.
func (s *SM) stageExecution(now clock.Cycle, w int, op *operation) {
	p := &s.warps[w]
	s.pend(s.compute, w, op.written)
	p.outstanding++
	s.stage(now, w, p.index, op)
}

// account counts an issued instruction.
func (s *SM) account(index, mask uint32) {
	s.profile[int(index)*counters.CauseCount+int(counters.CauseIssued)]++
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
	token := s.tokens.give(inFlight{warp: uint8(w), instruction: p.index})
	q := &s.asked
	q.Kernel, q.SM, q.Warp, q.Instruction, q.Mask, q.Token = s.program.recorded, s.id, w, s.program.Original(p.index), mask, token
	memory := op.class.IsMemory() && mask != 0
	if q.Memory = nil; memory {
		q.Memory = s.askedAccess(w, op, mask)
	}
	decision := s.offload.AtIssue(now, q)
	if decision == seam.Here || decision == seam.Hold {
		s.tokens.take(token)
		return decision
	}
	p.guardKnown = false
	if op.class.IsMemory() {
		s.takeAccess(w)
	}
	if memory {
		s.passAccess(now, op, q.Memory)
	}
	if decision == seam.Absorbed {
		s.tokens.take(token)
		return decision
	}
	s.pend(s.memory, w, op.written)
	p.outstanding++
	p.memory++
	if decision == seam.Awaited {
		p.hold, p.holdFor, p.heldAt = holdAnswer, listMemory, p.index
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
	a.Space, a.Access, a.Token = op.space, p.access, seam.NoToken
	if a.Space == trace.SpaceGeneric {
		a.Space = resolve(a.Chunk, &a.Access, mask)
	}
	return a
}

// passAccess counts a memory instruction that the offload engine has taken: its
// addresses are made here.
func (s *SM) passAccess(now clock.Cycle, op *operation, a *seam.MemoryAccess) {
	if s.collectors == nil {
		s.units.reserve(now, op)
	}
	if !s.entry.FiltersLanes {
		countLanes(s.set, op, a.Space, a.Mask)
	}
}

// answered lets a warp go on that waits for the offload engine's answer.
func (p *warp) answered(instruction uint32) {
	if p.hold == holdAnswer && p.heldAt == instruction {
		p.hold = holdNone
	}
}

// advance moves warp w behind the instruction that it has just issued.
func (s *SM) advance(now clock.Cycle, w int) {
	p := &s.warps[w]
	if s.watch != nil {
		s.watch.issued |= 1 << w
	}
	if s.program.arranged != nil {
		s.program.mark(&s.issuing, w, p.index, 1)
	}
	p.index++
	if s.unfetched>>w&1 == 0 {
		p.decoded--
		p.buffered--
	}
	if p.index == p.end && !s.nextVisit(now, w) {
		s.finish(w)
		return
	}
	s.updateFetch(w)
	s.evaluate(w)
}
