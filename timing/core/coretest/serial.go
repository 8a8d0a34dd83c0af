// SPDX-License-Identifier: Apache-2.0

package coretest

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm/barrier"
	"github.com/warptape/warptape/trace"
)

// serial is one core. It implements core.Core and seam.Completions.
type serial struct {
	id       int
	machine  *arch.Machine
	set      *counters.Set
	entry    seam.Entry
	observer core.Observer
	now      *clock.Cycle
	wake     clock.Alarm[clock.Cycle]
	portWake clock.Cycle
	slots    core.Slots
	lines    []counters.Set
	program  *program
	issued   uint64

	block  core.Assignment
	warps  []warp // of the thread block; empty: there is none
	left   int    // warps that have not ended
	phase  uint8  // alternates with each barrier that opens
	since  clock.Cycle
	ended  []seam.Stream
	at     int // the warp that executes
	flight flight

	line        uint64 // address, plus one, of the instruction line that is there
	awaited     bool   // the line of the next instruction is on its way
	blockEnding bool   // the port knows that nothing is under way any more
	guard       uint32 // of the next instruction
	guardKnown  bool
	barriers    barrier.Block
}

// warp is a warp of the thread block.
type warp struct {
	stream seam.Stream
	visit  seam.Visit
	next   seam.Visit // behind it
	more   bool       // next is one
	index  uint32     // of the next instruction
	end    uint32     // behind the visit
	held   bool       // at a barrier
	waits  uint32     // lanes that wait at a barrier while the warp goes on with others
	ended  bool
}

// flight is the instruction that executes.
type flight struct {
	on      bool
	index   uint32
	until   clock.Cycle // of a lane's turn
	access  seam.MemoryAccess
	lanes   uint32 // that have yet to go to memory
	address [trace.WarpSize]uint64
	answers int  // of memory, that are awaited
	fence   bool // stores have to be performed
}

func newSerial(p core.Parts) (core.Core, error) {
	s := &serial{
		id: p.ID, machine: p.Machine, set: p.Counters, now: p.Clock, observer: p.Observer, portWake: clock.Never,
		slots: core.NewSlots(p.ID, p.Counters, p.Watcher),
	}
	if p.Offload != nil {
		return nil, fmt.Errorf("%s: serial cores do not offload", p.Machine.Name)
	}
	var err error
	if s.entry, err = p.Memory.Port(p.ID, s); err != nil {
		return nil, fmt.Errorf("%s: core %d: %w", p.Machine.Name, p.ID, err)
	}
	return s, nil
}

func (s *serial) ID() int                                { return s.id }
func (s *serial) Counters() *counters.Set                { return s.set }
func (s *serial) Entry() seam.Entry                      { return s.entry }
func (s *serial) DrivenBy(wake clock.Alarm[clock.Cycle]) { s.wake = wake }
func (s *serial) Driven() bool                           { return s.wake.IsSet() }
func (s *serial) TimedBy(now *clock.Cycle)               { s.now = now }
func (s *serial) Issued() uint64                         { return s.issued }
func (s *serial) Watched(clock.Cycle)                    {} // its watcher hears of issue slots alone
func (s *serial) Fits(n *seam.Footprint) bool            { return len(s.warps) == 0 }

// AdvancePort implements core.Core.
func (s *serial) AdvancePort(now clock.Cycle) clock.Cycle {
	if s.portWake <= now {
		s.portWake = s.entry.Cycle(now)
	}
	return s.portWake
}

// Begin implements core.Core.
func (s *serial) Begin(p core.Program, _ seam.Division) {
	s.program = p.(*program)
	s.slots.Load(p.Instructions())
	s.line = 0
}

// CountByInstruction implements core.Core.
func (s *serial) CountByInstruction(lines []counters.Set) {
	s.lines = lines
	if l := s.entry.ByInstruction; l != nil {
		l.CountByInstruction(lines)
	}
}

// Collect implements core.Core.
func (s *serial) Collect(profile []uint64) { s.slots.Collect(nil, profile) }

// End implements core.Core.
func (s *serial) End(now clock.Cycle, profile []uint64) {
	s.Collect(profile)
	s.entry.KernelEnd(now)
}

// Resident implements core.Core.
func (s *serial) Resident() int {
	if len(s.warps) > 0 {
		return 1
	}
	return 0
}

// CountResidency implements core.Core.
func (s *serial) CountResidency(now clock.Cycle) {
	if len(s.warps) > 0 {
		s.set[counters.ResidentWarpCycles] += uint64(now-s.since) * uint64(s.left)
		s.set[counters.ActiveSMCycles] += uint64(now - s.since)
	}
	s.since = now
}

// Place implements core.Core.
func (s *serial) Place(now clock.Cycle, a core.Assignment, d seam.Divergence) {
	s.CountResidency(now)
	s.set[counters.BlocksDispatched]++
	s.block, s.left, s.at, s.phase, s.blockEnding = a, a.Need.Warps, 0, 0, false
	s.barriers.Begin(a.Need.Warps)
	for w := range a.Need.Warps {
		s.warps = append(s.warps, warp{stream: d.Open(s.program.kernel, a.Chunk, a.Block, w)})
		p := &s.warps[w]
		p.more = p.stream.Next(&p.next)
		s.enter(w)
	}
	s.lower()
}

// CloseStreams implements core.Core.
func (s *serial) CloseStreams() {
	for _, stream := range s.ended {
		stream.Close()
	}
	s.ended = s.ended[:0]
}

// Busy implements core.Core.
func (s *serial) Busy() bool { return len(s.warps) > 0 || s.flight.on || s.awaited }

// Describe implements core.Core.
func (s *serial) Describe() []string {
	var lines []string
	for w := range s.warps {
		p := &s.warps[w]
		if p.ended {
			continue
		}
		what := "waits for its turn"
		switch {
		case p.held:
			if b, ok := s.barriers.State(w); ok {
				what = fmt.Sprintf("waits at a barrier: %d of %d warps have arrived", b.Arrived, b.Expected)
			}
		case w == s.at && s.flight.on:
			what = fmt.Sprintf("executes, and waits for %d answers of memory", s.flight.answers)
		}
		in := &s.program.kernel.Instructions[min(p.index, p.end-1)]
		lines = append(lines, fmt.Sprintf("core %d warp %d (thread block %d): %s at %s:%d %s", s.id, w, s.block.Block, in.Opcode, s.program.kernel.File, in.Line, what))
	}
	return lines
}

// lower makes the machine call the driver in the present cycle.
func (s *serial) lower() { s.wake.Lower(*s.now) }

// Wake implements core.Core and seam.Completions.
func (s *serial) Wake() {
	s.portWake = min(s.portWake, *s.now)
	s.lower()
}

// Complete implements seam.Completions.
func (s *serial) Complete(now clock.Cycle, _ uint32) {
	s.Wake()
	s.flight.answers--
}

// Fetched implements seam.Completions.
func (s *serial) Fetched(now clock.Cycle, address uint64) {
	s.Wake()
	s.awaited, s.line = false, address+1
}

// WriteDone implements seam.Completions.
func (s *serial) WriteDone(now clock.Cycle, _ int) { s.Wake() }
