// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"fmt"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/divergence"
	"github.com/warptape/warptape/timing/pool"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm/barrier"
	"github.com/warptape/warptape/timing/sm/residency"
	"github.com/warptape/warptape/timing/sm/switching"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/timing/sm/wheel"
	"github.com/warptape/warptape/trace"
)

// laneCore is an SM of lanes with their own fetch. It implements core.Core.
type laneCore struct {
	*Section
	id       int
	apart    bool // eesi-m
	paired   bool // sbi
	strict   bool // turns are strict: the next warp set, or thread of a lane, alone
	entry    seam.Entry
	port     seam.Port // of entry
	set      *counters.Set
	lines    []counters.Set // by instruction; nil unless asked for
	observer core.Observer
	now      *clock.Cycle
	wake     clock.Alarm[clock.Cycle]
	slots    core.LaneSlots
	doubt    uint32 // lanes that may lose their slots to something else than before
	watch    *watch

	program *program
	tally   []tally // by instruction, since they were last collected
	issued  uint64

	residents residency.Blocks
	warps     []warpSet
	live      uint64           // warp sets with instructions left
	rows      [maxWarps]uint32 // by warp set: lanes whose threads have some left, side by side
	used      laneCounts       // by lane: the number of these in which its thread has some left
	taken     uint32           // lanes where that is not zero
	levels    levels
	lanes     [Lanes]lane
	held      held
	board     board
	busy      busy
	fetching  fetching
	asked     []request // of lines that lanes lack in a cycle
	choice    choice    // of lanes that fetch each for themselves
	meetings  []meeting // by slot of thread block
	order     []barrier.Block
	events    wheel.Wheel
	portWake  clock.Cycle

	flights  pool.Pool[flight]
	queue    []queued
	onWay    pool.Pool[seam.MemoryAccess] // those of queue
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
	tiny tinyCache
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
	section, err := sectionOf(p.Machine)
	if err != nil {
		return nil, err
	}
	if p.Offload != nil {
		return nil, fmt.Errorf("%s: lanes that issue by themselves do not offload; leave the mechanism out", p.Machine.Name)
	}
	m := &p.Machine.SM
	n := m.MaxWarps
	s := &laneCore{
		Section: section, id: p.ID, apart: p.Machine.GPU.Divergence == Apart, paired: p.Machine.GPU.Divergence == Interleaved, strict: m.Scheduler == Strict, set: p.Counters, observer: p.Observer, now: p.Clock,
		slots: core.NewLaneSlots(p.ID, p.Counters, p.Watcher), watch: newWatch(p.ID, n, p.Watcher), residents: residency.New(p.Machine, p.Counters),
		warps: make([]warpSet, n), fetching: newFetching(p.Machine, section), portWake: clock.Never, on: switching.On(m.WarpSwitch),
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
		s.lanes[l].tiny = newTinyCache(section)
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
	s.board.begin(len(s.warps), p.registers)
	s.busy.begin()
	s.fetching.base = p.base
	s.turn.begin()
	s.fetching.last = len(s.warps) - 1
	s.fetching.circle.begin()
	s.levels.begin(s.UpperRegisters, mostContents)
	for l := range s.lanes {
		s.lanes[l].tiny.clear()
	}
	s.held.begin(&s.lanes[0].tiny, p.base, uint64(len(p.code)*s.fetching.bytes))
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
	s.collectRegisters()
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
		s.arrived(now, address, ^uint32(0))
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
	s.board.release(f.warp, op.pending, f.mask, f.load)
	s.doubt |= f.mask
	if f.load {
		s.warps[f.warp].memory.take(f.mask)
	}
	s.changed(f.warp, f.mask, op.pendingSet)
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
	b := s.blame(w, l)
	at := b.Instruction
	in := &s.program.kernel.Instructions[at]
	return fmt.Sprintf("%s:%d: %s: %v", s.program.kernel.File, in.Line, in.Opcode, b.Cause)
}

var (
	_ core.Core        = (*laneCore)(nil)
	_ seam.Completions = (*laneCore)(nil)
)
