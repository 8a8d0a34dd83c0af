// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/mbarrier"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm/barrier"
	"github.com/warptape/warptape/timing/sm/fetch"
	"github.com/warptape/warptape/timing/sm/loadstore"
	"github.com/warptape/warptape/timing/sm/operand"
	"github.com/warptape/warptape/timing/sm/residency"
	"github.com/warptape/warptape/timing/sm/scoreboard"
	"github.com/warptape/warptape/timing/sm/switching"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/timing/sm/waiting"
	"github.com/warptape/warptape/timing/sm/wheel"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
)

// maxConflicts bounds the bank conflicts of one operand read, maxLatency the
// cycles of one execution: the wheel spans their sum.
const (
	maxConflicts = 255
	maxLatency   = 1 << 16
)

// SM is the back end of one streaming multiprocessor.
type SM struct {
	id            int
	machine       *arch.Machine
	port          seam.Port // of entry
	entry         seam.Entry
	set           *counters.Set
	clock         *clock.Cycle
	wake          clock.Alarm[clock.Cycle]
	ended         []seam.Stream // of warps that have issued everything, to be closed
	observer      core.Observer
	offload       seam.Offload
	watch         *watch
	byInstruction []counters.Set // nil unless asked for

	program    *Program
	slots      core.Slots
	lanes      []uint64    // by instruction: lanes of those issued that took part
	sideIssues *sideIssues // nil: everything executes on the units
	issued     uint64      // warp instructions issued, ever

	// The stages; each owns its state (see the package documentation).
	warps      []warp // the paths of warps, and what each waits for
	waiting    waiting.Lists
	residents  residency.Blocks
	fetch      fetch.Buffers
	l0         *fetch.L0 // nil: the sub-cores have no instruction caches
	board      scoreboard.Board
	units      units.Units
	collectors *operand.Collectors // nil: operands are read in a fixed time
	subCores   []warpset.Set       // their warp slots, where collectors are divided among several
	queue      loadstore.Queue
	tokens     loadstore.Tokens
	copies     []loadstore.Copies // by slot of thread block
	groups     []groups           // of asynchronous copies, by warp
	barriers   []barrier.Block    // likewise
	mbarriers  []mbarrier.Table   // likewise
	events     wheel.Wheel
	inbox      inbox
	// atCluster are the slots of thread blocks all of whose warps wait at their cluster's
	// barrier. From the cycle sends on, an access can leave to another SM of a cluster.
	atCluster   uint64
	sends       clock.Cycle
	remoteLanes [trace.WarpSize]uint64 // scratch

	// ages numbers the warps by arrival, by slot.
	ages     Ages
	arrivals uint64
	// issuing holds the warps that have begun to issue a run (Arrangement): they go before
	// others.
	issuing warpset.Set
	// misses is nil where no switch depends on it.
	misses *switching.Filter
	// ahead holds, per warp, the addresses of its visit that the stream has given.
	ahead       [][]laneAddresses
	asked       seam.Issuing      // scratch
	askedMemory seam.MemoryAccess // scratch
	portWake    clock.Cycle

	// companion hears of what a front end has to know that issues here and elsewhere,
	// nil without one.
	companion Companion
	assistant Assistant
	// assistHeld are the warps that the assistant holds for something to be computed.
	assistHeld warpset.Set
	// Slots of thread blocks that have ended: kept those that the companion keeps,
	// assisted those that the assistant does, which lets them go first.
	kept, assisted uint64
}

// New builds an SM; it asks Memory for its port.
func New(p core.Parts) (*SM, error) {
	m := &p.Machine.SM
	if m.MaxWarps < 1 || m.MaxWarps > warpset.Max {
		return nil, fmt.Errorf("%s: sm.max_warps is %d; the model takes 1 to %d", p.Machine.Name, m.MaxWarps, warpset.Max)
	}
	if m.MaxBlocks < 1 || m.MaxBlocks > residency.MaxBlocks {
		return nil, fmt.Errorf("%s: sm.max_blocks is %d; the model takes 1 to %d", p.Machine.Name, m.MaxBlocks, residency.MaxBlocks)
	}
	longest := units.Longest(m) + m.WriteBackCycles
	if longest+m.OperandReadCycles+m.DecodeCycles > maxLatency {
		return nil, fmt.Errorf("%s: a latency of %d cycles is beyond the model's %d", p.Machine.Name, longest, maxLatency)
	}
	l0 := fetch.NewL0(p.Machine)
	s := &SM{
		id: p.ID, machine: p.Machine, set: p.Counters, clock: p.Clock, observer: p.Observer, offload: p.Offload,
		watch: newWatch(p.ID, p.Watcher), slots: core.NewSlots(p.ID, p.Counters, p.Watcher),
		warps: make([]warp, m.MaxWarps), waiting: waiting.New(), residents: residency.New(p.Machine, p.Counters), fetch: fetch.New(p.Machine, m.MaxWarps),
		events: wheel.New(longest + m.OperandReadCycles + m.DecodeCycles + maxConflicts + units.MaxTransfer + l0.Longest(m.MaxWarps) + 2),
		units:  units.New(m, longest+2), queue: loadstore.NewQueue(m, 0), tokens: loadstore.NewTokens(),
		portWake: clock.Never, l0: l0,
	}
	if switching.On(m.WarpSwitch)&switching.Miss != 0 {
		s.misses = new(switching.Filter)
	}
	s.groups = make([]groups, len(s.warps))
	s.collectors = operand.New(m, &s.board, &s.units, &s.set[counters.RegisterBankConflict])
	if n := m.SubCoreCount(); n > 1 {
		s.subCores = make([]warpset.Set, n)
		for w := range warpset.Max {
			s.subCores[w%n].Add(w)
		}
	}
	s.roomForBlocks()
	entry, err := p.Memory.Port(p.ID, s)
	if err != nil {
		return nil, fmt.Errorf("%s: SM %d: %w", p.Machine.Name, p.ID, err)
	}
	s.entry, s.port = entry, entry.Port
	return s, nil
}

// ID is the SM's number.
func (s *SM) ID() int { return s.id }

// Counters are the SM's own.
func (s *SM) Counters() *counters.Set { return s.set }

// Entry is the SM's way into the memory path.
func (s *SM) Entry() seam.Entry { return s.entry }

// DrivenBy gives the alarm of the SM's driver, which events lower.
func (s *SM) DrivenBy(wake clock.Alarm[clock.Cycle]) { s.wake = wake }

// TimedBy names the place where the present core cycle is kept.
func (s *SM) TimedBy(now *clock.Cycle) { s.clock = now }

// CloseStreams closes the streams of the warps that have ended. Streams of several
// SMs may share memory, so it is not for an SM that runs in parallel with others.
func (s *SM) CloseStreams() {
	for i, stream := range s.ended {
		stream.Close()
		s.ended[i] = nil
	}
	s.ended = s.ended[:0]
}

// Driven reports whether the SM has a driver.
func (s *SM) Driven() bool { return s.wake.IsSet() }

// Begin implements core.Core: it readies an SM without warps for a launch of a
// *Program.
func (s *SM) Begin(program core.Program, d seam.Division) {
	p := program.(*Program)
	s.program = p
	s.slots.Load(p.Instructions())
	s.issuing = warpset.Set{}
	s.sends = 0
	s.inbox.Clear()
	s.fetch.Begin(p.Base)
	s.port.KernelBegin(seam.KernelStart{Code: p.Base, Division: d})
	s.units.Begin(&s.machine.SM, p.mostConflicts)
	s.board.Begin(len(s.warps), p.words, p.sets)
	s.lanes = resized(s.lanes, p.Instructions())
	if s.sideIssues != nil {
		s.sideIssues.begin(p.Instructions())
	}
}

// resized gives a slice of n zeros in the memory of a where it suffices.
func resized(a []uint64, n int) []uint64 {
	if cap(a) < n {
		return make([]uint64, n)
	}
	a = a[:n]
	clear(a)
	return a
}

// End closes a launch on the SM: it collects the counts and tells the memory
// path.
func (s *SM) End(now clock.Cycle, profile []uint64) {
	s.Collect(profile)
	s.port.KernelEnd(now)
}

// Collect adds what has been counted by instruction since the launch began, or
// since the last call, to the SM's counters and to profile (shaped like SM's:
// instruction by cause).
func (s *SM) Collect(profile []uint64) {
	for i := range s.program.code {
		op := &s.program.code[i]
		issued := s.slots.Used(i)
		in := s.program.Original(uint32(i))
		op.count(s.set, issued, s.lanes[i])
		if s.byInstruction != nil {
			op.count(&s.byInstruction[in], issued, s.lanes[i])
		}
		if a := s.sideIssues; a != nil {
			op.discount(s.set, a.issued[i], a.lanes[i])
			if s.byInstruction != nil {
				op.discount(&s.byInstruction[in], a.issued[i], a.lanes[i])
			}
		}
	}
	s.slots.Collect(s.program.originals(), profile)
	clear(s.lanes)
	if s.sideIssues != nil {
		s.sideIssues.begin(len(s.program.code))
	}
}

// Slots is the account of the SM's issue slots, which the front end that drives it keeps.
func (s *SM) Slots() *core.Slots { return &s.slots }

// Issued is the number of warp instructions that the SM has ever issued.
func (s *SM) Issued() uint64 { return s.issued }

// Busy reports whether anything is under way on the SM.
func (s *SM) Busy() bool {
	return s.residents.Resident() > 0 || s.queue.Count() > 0 || s.collectors != nil && s.collectors.Busy() || s.tokens.Live() > 0 || s.events.Count() > 0 || s.fetch.Busy()
}

// AdvancePort runs the memory port alone, on an SM without warps, when it has
// work in the cycle now; it gives the next cycle in which it has.
func (s *SM) AdvancePort(now clock.Cycle) clock.Cycle {
	if s.portWake <= now {
		s.portWake = s.port.Cycle(now)
	}
	return s.portWake
}
