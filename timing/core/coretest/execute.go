// SPDX-License-Identifier: Apache-2.0

package coretest

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm/barrier"
	"github.com/warptape/warptape/trace"
)

// frontEnd drives one core; it implements seam.FrontEnd.
type frontEnd struct{ s *serial }

// Begin implements seam.FrontEnd.
func (f frontEnd) Begin(now clock.Cycle) { f.s.slots.Begin(now, 1, 1) }

// Settle implements seam.FrontEnd.
func (f frontEnd) Settle(now clock.Cycle) { f.s.slots.Settle(now) }

// Cycle implements seam.FrontEnd.
func (f frontEnd) Cycle(now clock.Cycle) clock.Cycle {
	s := f.s
	s.AdvancePort(now)
	s.slots.Awake(now)
	next := s.step(now)
	return max(min(next, s.portWake), now+1)
}

// step uses the slot of a cycle, and gives the next cycle in which there is something to
// do without an event.
func (s *serial) step(now clock.Cycle) clock.Cycle {
	if s.flight.on {
		if next, b := s.flies(now); next > now {
			s.slots.Stall(now, 0, 0, 1, b)
			return next
		}
		s.land(now)
	}
	w, ok := s.turn(now)
	if !ok {
		s.slots.Stall(now, 0, 0, 1, core.NoWarp)
		return clock.Never
	}
	in := &s.program.kernel.Instructions[w.index]
	if !s.fetch(now, w.index) {
		s.slots.Stall(now, 0, 0, 1, core.Blame{Instruction: w.index, Cause: counters.CauseFetch})
		return clock.Never
	}
	mask := w.visit.Mask
	if in.Guarded() {
		if !s.guardKnown {
			s.guard, s.guardKnown = w.stream.Guard(), true
		}
		mask = s.guard
	}
	if in.Class.IsMemory() && mask != 0 && !s.entry.Ready(now) {
		s.slots.Stall(now, 0, 0, 1, core.Blame{Instruction: w.index, Cause: counters.CauseLSU})
		return now + 1
	}
	s.guardKnown = false
	s.slots.Use(now, 0, 0, w.index)
	s.count(w.index, in, mask)
	s.begin(now, w, in, mask)
	return now + 1
}

// fetch reports whether the line of an instruction is there, and asks for it.
func (s *serial) fetch(now clock.Cycle, index uint32) bool {
	if s.awaited {
		return false
	}
	size := uint64(max(s.machine.Instruction.LineBytes, s.machine.SM.InstructionBytes))
	line := (s.program.base + uint64(index)*uint64(s.machine.SM.InstructionBytes)) / size * size
	if s.line == line+1 {
		return true
	}
	s.set[counters.FetchAccess]++
	if s.entry.FetchLine(now, line) {
		s.line = line + 1
		return true
	}
	s.set[counters.FetchMiss]++
	s.portWake = min(s.portWake, now+1)
	s.awaited = true
	return false
}

// count counts an instruction that issues.
func (s *serial) count(index uint32, in *trace.Instruction, mask uint32) {
	s.issued++
	s.set[counters.FetchInstruction]++
	countIn(s.set, in, mask)
	if s.lines != nil {
		countIn(&s.lines[index], in, mask)
	}
}

func countIn(set *counters.Set, in *trace.Instruction, mask uint32) {
	lanes := uint64(bits.OnesCount32(mask))
	set[counters.IssuedWarp]++
	set[counters.IssuedThread] += lanes
	set[counters.LaneOps(in.Class)] += lanes
	if f := in.SpecialFunction(); f != trace.NotSpecial {
		set[counters.SpecialOps(f)] += lanes
	}
	switch {
	case in.Class.IsMemory():
		set[counters.UnitLDST]++
	case in.Class.EndsSegment() || in.Class == trace.ClassFence || in.Class == trace.ClassNop:
		set[counters.UnitControl]++
	default:
		set[counters.UnitSP]++
	}
}

// begin executes the first lane of an instruction.
func (s *serial) begin(now clock.Cycle, w *warp, in *trace.Instruction, mask uint32) {
	f := &s.flight
	*f = flight{on: true, index: w.index, until: now + max(clock.Cycle(bits.OnesCount32(mask)), 1), fence: in.Class == trace.ClassFence && mask != 0}
	w.index++
	switch {
	case in.Class.IsMemory():
		access, chunk := w.stream.Access()
		if mask == 0 {
			return
		}
		if chunk == nil {
			chunk = s.block.Chunk
		}
		chunk.Addresses(access, mask, &f.address)
		f.lanes = mask
		f.access = seam.MemoryAccess{
			Class: in.Class, LaneBytes: in.LaneBytes, Chunk: s.block.Chunk, WarpSlot: s.at, ThreadBase: s.at * trace.WarpSize,
			LocalBytes: s.program.kernel.LocalBytes, Instruction: f.index, Phase: s.phase, Space: in.Space,
		}
		s.lane(now)
	case f.fence:
		s.entry.Fence(now, s.at)
		s.portWake = min(s.portWake, now+1)
	case in.Class == trace.ClassBarrier:
		s.arrive(w, mask)
	}
}

// arrive brings a warp to the barrier for all threads. It waits when it goes on with lanes
// that have come, and otherwise goes on with others while these wait (PTX ISA 9.7.13.1).
func (s *serial) arrive(w *warp, mask uint32) {
	lanes := w.stream.Arrives(mask, true)
	switch {
	case lanes == 0:
	case w.waits == 0 && w.resumes(lanes):
		s.barriers.Wait(barrier.Visit{}, s.at)
		w.held = true
	default:
		w.waits |= lanes
		s.barriers.Part(barrier.Visit{}, s.at, lanes, s.flight.index)
	}
}

// resumes reports whether a warp goes on with some of the lanes, or not at all.
func (w *warp) resumes(lanes uint32) bool {
	if !w.more {
		return true
	}
	lanes, _ = w.stream.Resumes(lanes)
	return lanes != 0
}

// meet holds a warp at the end of a visit when it goes on with lanes that wait: then it
// has come to the barrier with all.
func (s *serial) meet(w *warp) {
	if w.waits == 0 || !w.resumes(w.waits) {
		return
	}
	_, waiting, _ := s.barriers.Meet(s.at, w.waits)
	w.waits &^= waiting
	w.held = true
}

// lane hands the access of one lane to the port, which is ready.
func (s *serial) lane(now clock.Cycle) {
	f := &s.flight
	l := bits.TrailingZeros32(f.lanes)
	f.lanes &= f.lanes - 1
	a := f.access
	address := f.address[l]
	if a.Space == trace.SpaceGeneric {
		a.Space, address = trace.ResolveGeneric(address)
	}
	a.Mask, a.Token, a.Access = 1<<l, seam.NoToken, trace.Access{Base: address, Lanes: -1}
	if a.Class != trace.ClassStore {
		a.Token = uint32(l)
		f.answers++
	}
	s.entry.Issue(now, &a)
	s.portWake = min(s.portWake, now+1)
}

// flies reports what the instruction that executes waits for, and until when: now, when
// it has ended.
func (s *serial) flies(now clock.Cycle) (clock.Cycle, core.Blame) {
	f := &s.flight
	switch {
	case f.lanes != 0:
		cause := counters.CauseLSU
		if s.entry.Ready(now) {
			s.lane(now)
			cause = counters.CauseUnit
		}
		return now + 1, core.Blame{Instruction: f.index, Cause: cause}
	case now < f.until:
		return f.until, core.Blame{Instruction: f.index, Cause: counters.CauseUnit}
	case f.answers > 0:
		return clock.Never, core.Blame{Instruction: f.index, Cause: counters.CauseMemory}
	case f.fence && s.entry.PendingWrites(s.at) > 0:
		return clock.Never, core.Blame{Instruction: f.index, Cause: counters.CauseFence}
	}
	return now, core.Blame{}
}

// land ends the instruction that executes.
func (s *serial) land(now clock.Cycle) {
	s.flight.on = false
	w := &s.warps[s.at]
	if w.index == w.end {
		s.meet(w)
		s.enter(s.at)
	}
	s.openBarrier(now)
}

// enter begins the next visit of a warp, or ends it.
func (s *serial) enter(w int) {
	p := &s.warps[w]
	if !p.more {
		p.ended, p.held = true, false
		s.barriers.Leave(w)
		s.ended = append(s.ended, p.stream)
		p.stream = nil
		return
	}
	p.visit = p.next
	p.more = p.stream.Next(&p.next)
	b := &s.program.kernel.Blocks[p.visit.BasicBlock]
	p.index, p.end = b.First, b.First+b.Count
}

// openBarrier lets the warps go on when all that have not ended wait.
func (s *serial) openBarrier(now clock.Cycle) {
	waited, ok := s.barriers.Open(0)
	if !ok {
		return
	}
	for ; !waited.Empty(); waited = waited.Rest() {
		s.warps[waited.Lowest()].held = false
	}
	s.phase ^= 1
	s.entry.Barrier(now, 0)
	s.portWake = min(s.portWake, now+1)
}

// turn gives the warp that executes next: the present one while it can, then the next
// in order; false when there is none. A thread block whose warps have all ended leaves.
func (s *serial) turn(now clock.Cycle) (*warp, bool) {
	for range s.warps {
		if p := &s.warps[s.at]; !p.ended && !p.held {
			return p, true
		}
		s.at = (s.at + 1) % len(s.warps)
	}
	s.leave(now)
	return nil, false
}

// leave ends warps whose stores are performed, and with the last one the thread block.
func (s *serial) leave(now clock.Cycle) {
	waiting := 0
	for w := range s.warps {
		if s.entry.PendingWrites(w) > 0 {
			waiting++
		}
	}
	if len(s.warps) == 0 || waiting > 0 {
		return
	}
	if !s.blockEnding {
		s.blockEnding = true
		s.entry.BlockEnd(now, 0, len(s.warps)-1)
		s.portWake = min(s.portWake, now+1)
		if s.entry.PendingWrites(len(s.warps)-1) > 0 {
			return
		}
	}
	s.CountResidency(now)
	s.warps = s.warps[:0]
	s.set[counters.BlocksRetired]++
	s.block.Chunk = nil
	s.observer.BlockRetired(now, s.id, s.block.Block, s.block.ChunkIndex)
}
