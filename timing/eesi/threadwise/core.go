// SPDX-License-Identifier: Apache-2.0

package threadwise

import (
	"fmt"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/divergence"
	"github.com/warptape/warptape/timing/eesi"
	"github.com/warptape/warptape/timing/pool"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm/barrier"
	"github.com/warptape/warptape/timing/sm/residency"
	"github.com/warptape/warptape/timing/sm/scoreboard"
	"github.com/warptape/warptape/timing/sm/switching"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/timing/sm/wheel"
	"github.com/warptape/warptape/trace"
)

// Watched implements core.Core: the twin has no watcher.
func (s *laneCore) Watched(clock.Cycle) {}

// laneCore is an SM of lanes with their own fetch. It implements core.Core.
type laneCore struct {
	*eesi.Section
	id       int
	apart    bool // eesi-m
	strict   bool // turns are strict
	paired   bool // sbi
	entry    seam.Entry
	port     seam.Port // of entry
	set      *counters.Set
	lines    []counters.Set // by instruction; nil unless asked for
	observer core.Observer
	now      *clock.Cycle
	wake     clock.Alarm[clock.Cycle]
	slots    core.Slots

	program *program
	tally   []tally // by instruction, since they were last collected
	issued  uint64

	residents residency.Blocks
	warps     []warpSet
	threads   []thread // of warp set w and lane l: w*Lanes+l
	lanes     [Lanes]lane
	board     scoreboard.Board
	meetings  []meeting // by slot of thread block
	order     []barrier.Block
	events    wheel.Wheel
	portWake  clock.Cycle

	flights  pool.Pool[flight]
	queue    []queued
	gather   divergence.Gatherer
	requests requests
	turn     turn
	issue    issue

	on     switching.Trigger
	misses *switching.Filter // nil where no trigger depends on it
	ages   uint64            // warp sets that have come
}

// tally is how often an instruction has issued, and with how many threads that took part.
type tally struct{ issues, threads uint64 }

// lane is what a lane has of its own.
type lane struct {
	fetch  buffers
	tiny   tinyCache
	last   int    // the warp slot that was fetched for last
	queued int    // memory instructions on their way to the memory path
	live   uint64 // warp slots of its threads with instructions left
	// free is, by kind of unit, the cycle from which the next execution can start.
	free [units.Kinds]clock.Cycle
}

// flight is an instruction that lanes have issued together and whose results have yet to
// come.
type flight struct {
	warp        int
	instruction uint32
	mask        uint32
	load        bool
}

// The kinds of event; Detail is a flight.
const (
	eventResult uint8 = iota
	eventResume       // lanes leave a barrier or a fence
	eventLine         // Detail is a request: its line has come
	eventBranch       // fetch goes on behind a branch
)

func newLaneCore(p core.Parts) (core.Core, error) {
	section, ok := p.Machine.Section(eesi.Key).(*eesi.Section)
	if !ok {
		return nil, fmt.Errorf("%s: no section %s", p.Machine.Name, eesi.Key)
	}
	var err error
	if p.Offload != nil {
		return nil, fmt.Errorf("%s: lanes that issue by themselves do not offload; leave the mechanism out", p.Machine.Name)
	}
	m := &p.Machine.SM
	n := m.MaxWarps
	s := &laneCore{
		Section: section, id: p.ID, apart: p.Machine.GPU.Divergence == Apart, strict: p.Machine.SM.Scheduler == eesi.Strict, paired: p.Machine.GPU.Divergence == Interleaved, set: p.Counters, observer: p.Observer, now: p.Clock,
		slots: core.NewSlots(p.ID, p.Counters, p.Watcher), residents: residency.New(p.Machine, p.Counters),
		warps: make([]warpSet, n), threads: make([]thread, n*Lanes), portWake: clock.Never, on: switching.On(m.WarpSwitch),
		events: wheel.New(units.Longest(m) + section.ReadCycles + p.Machine.Instruction.LatencyCycles + 2),
	}
	if s.on&switching.Miss != 0 {
		s.misses = new(switching.Filter)
	}
	s.requests.alone = section.RequestsAlone
	s.requests.latency = clock.Cycle(max(p.Machine.Instruction.LatencyCycles, 1))
	s.requests.decode = clock.Cycle(max(m.DecodeCycles, 1))
	s.meetings, s.order = make([]meeting, s.residents.Slots()), make([]barrier.Block, s.residents.Slots())
	for l := range s.lanes {
		s.lanes[l].fetch = newBuffers(p.Machine, section)
		s.lanes[l].tiny = newTinyCache(section)
		s.lanes[l].last = n - 1
	}
	s.turn.begin()
	if s.entry, err = p.Memory.Port(p.ID, s); err != nil {
		return nil, fmt.Errorf("%s: SM %d: %w", p.Machine.Name, p.ID, err)
	}
	if s.entry.ByLanes != nil && !s.paired {
		s.entry.ByLanes()
	}
	s.port = s.entry.Port
	return s, nil
}

func (s *laneCore) ID() int                                { return s.id }
func (s *laneCore) Counters() *counters.Set                { return s.set }
func (s *laneCore) Entry() seam.Entry                      { return s.entry }
func (s *laneCore) DrivenBy(wake clock.Alarm[clock.Cycle]) { s.wake = wake }
func (s *laneCore) Driven() bool                           { return s.wake.IsSet() }
func (s *laneCore) TimedBy(now *clock.Cycle)               { s.now = now }
func (s *laneCore) Issued() uint64                         { return s.issued }
func (s *laneCore) Fits(need *seam.Footprint) bool         { return s.residents.Fits(need) }
func (s *laneCore) Resident() int                          { return s.residents.Resident() }
func (s *laneCore) CountResidency(now clock.Cycle)         { s.residents.Count(now) }
func (s *laneCore) CloseStreams()                          {} // paths are views into chunks

// CountByInstruction implements core.Core.
func (s *laneCore) CountByInstruction(lines []counters.Set) {
	s.lines = lines
	if p := s.entry.ByInstruction; p != nil {
		p.CountByInstruction(lines)
	}
}

// Begin implements core.Core. Tiny instruction caches are empty: the code is another.
func (s *laneCore) Begin(c core.Program, d seam.Division) {
	p := c.(*program)
	s.program = p
	s.port.KernelBegin(seam.KernelStart{Code: p.base, Division: d})
	s.slots.Load(p.Instructions())
	if cap(s.tally) < p.Instructions() {
		s.tally = make([]tally, p.Instructions())
	}
	s.tally = s.tally[:p.Instructions()]
	clear(s.tally)
	s.board.Begin(len(s.threads), p.words, p.sets)
	s.turn.begin()
	for l := range s.lanes {
		x := &s.lanes[l]
		x.fetch.Begin(p.base)
		x.tiny.clear()
		x.last = len(s.warps) - 1
	}
}

// End implements core.Core.
func (s *laneCore) End(now clock.Cycle, profile []uint64) {
	s.Collect(profile)
	s.port.KernelEnd(now)
}

// Collect implements core.Core.
func (s *laneCore) Collect(profile []uint64) {
	for i := range s.program.code {
		if n := s.tally[i]; n.issues > 0 {
			op := &s.program.code[i]
			op.tell(s.set, n)
			if s.lines != nil {
				op.tell(&s.lines[i], n)
			}
		}
	}
	clear(s.tally)
	s.slots.Collect(nil, profile)
}

// tell counts issues of an instruction. Registers are counted where they are read.
func (op *operation) tell(set *counters.Set, n tally) {
	set[counters.IssuedWarp] += n.issues
	set[op.unit.Counter()] += n.issues
	set[counters.IssuedThread] += n.threads
	set[counters.LaneOps(op.class)] += n.threads
	if op.function != trace.NotSpecial {
		set[counters.SpecialOps(op.function)] += n.threads
	}
	set[counters.RegisterRead] += n.issues * uint64(len(op.reads))
	set[counters.RegisterWrite] += n.issues * uint64(len(op.writes))
}

// Busy implements core.Core.
func (s *laneCore) Busy() bool {
	return s.residents.Resident() > 0 || len(s.queue) > 0 || s.flights.Used() > 0 || s.events.Count() > 0 || s.requests.live.Used() > 0
}

// AdvancePort implements core.Core.
func (s *laneCore) AdvancePort(now clock.Cycle) clock.Cycle {
	if s.portWake <= now {
		s.portWake = s.port.Cycle(now)
	}
	return s.portWake
}

// Wake implements seam.Completions and core.Core.
func (s *laneCore) Wake() {
	s.portWake = min(s.portWake, *s.now)
	s.wake.Lower(*s.now)
}

// Complete implements seam.Completions.
func (s *laneCore) Complete(now clock.Cycle, token uint32) {
	s.Wake()
	s.landed(now, int32(token))
}

// WriteDone implements seam.Completions.
func (s *laneCore) WriteDone(now clock.Cycle, w int) {
	s.Wake()
	s.checkFence(now, w)
	s.tryRetire(now, w)
}

// Fetched implements seam.Completions.
func (s *laneCore) Fetched(now clock.Cycle, address uint64) {
	s.Wake()
	if s.paired {
		s.fetchedTogether(now, address)
		return
	}
	s.lineFound(now, address)
}

// happen is an event of the cycle now.
func (s *laneCore) happen(now clock.Cycle, e wheel.Event) {
	switch e.Kind {
	case eventResult:
		s.landed(now, int32(e.Detail))
	case eventResume:
		s.resumed(now, int32(e.Detail))
	case eventLine:
		s.lineCame(now, int32(e.Detail))
	case eventBranch:
		s.resolved(int32(e.Detail))
	}
}

// landed ends an instruction whose registers are written.
func (s *laneCore) landed(now clock.Cycle, i int32) {
	f := s.flights.Items[i]
	s.flights.Release(i)
	op := &s.program.code[f.instruction]
	for rest := f.mask; rest != 0; rest &= rest - 1 {
		at := f.warp*Lanes + lowest(rest)
		t := &s.threads[at]
		if f.load {
			s.board.ReleaseLoad(at, op.written)
			t.memory--
		} else {
			s.board.ReleaseUnit(at, op.written)
		}
		s.evaluate(f.warp, lowest(rest))
	}
	s.ended(now, f.warp)
}

// ended is something of a warp set that is not under way any more.
func (s *laneCore) ended(now clock.Cycle, w int) {
	s.warps[w].outstanding--
	s.checkFence(now, w)
	s.tryRetire(now, w)
}

// fly gives a flight.
func (s *laneCore) fly(f flight) uint32 {
	i := s.flights.Take()
	s.flights.Items[i] = f
	s.warps[f.warp].outstanding++
	return uint32(i)
}

// Describe implements core.Core.
func (s *laneCore) Describe() []string {
	var list []string
	for w := range s.warps {
		p := &s.warps[w]
		if !s.residents.Present().Has(w) {
			continue
		}
		for lanes := p.live; lanes != 0; {
			l := lowest(lanes)
			what, same := s.waits(w, l), uint32(0)
			for rest := lanes; rest != 0; rest &= rest - 1 {
				if s.waits(w, lowest(rest)) == what {
					same |= rest & -rest
				}
			}
			lanes &^= same
			list = append(list, fmt.Sprintf("SM %d, warp set %d (thread block %d), lanes %08x: %s", s.id, w, s.residents.In(p.block).Block, same, what))
		}
		if p.live == 0 {
			list = append(list, fmt.Sprintf("SM %d, warp set %d (thread block %d) has ended, with %d instructions under way", s.id, w, s.residents.In(p.block).Block, p.outstanding))
		}
	}
	return list
}

// waits says what a thread waits for.
func (s *laneCore) waits(w, l int) string {
	t := &s.threads[w*Lanes+l]
	at := t.index
	if t.state != runs {
		at = t.heldAt
	}
	in := &s.program.kernel.Instructions[at]
	return fmt.Sprintf("%s:%d: %s: %v", s.program.kernel.File, in.Line, in.Opcode, s.blame(w, l).Cause)
}

var (
	_ core.Core        = (*laneCore)(nil)
	_ seam.Completions = (*laneCore)(nil)
)
