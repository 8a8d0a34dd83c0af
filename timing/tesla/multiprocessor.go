// SPDX-License-Identifier: Apache-2.0

package tesla

import (
	"fmt"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
)

// multiprocessor is one core. It implements core.Core.
type multiprocessor struct {
	*Section
	id       int
	nr       clock.Cycle // rows of a warp
	set      *counters.Set
	lines    []counters.Set
	observer core.Observer
	now      *clock.Cycle
	wake     clock.Alarm[clock.Cycle]
	slots    core.Slots
	watch    *watch
	program  *program
	issued   uint64
	fault    error

	init initialiser
	// The counters of slots and registers only count up (3.7).
	nextWarp, nextBlock, nextBase int

	warps  []warp
	blocks []*block // that have not ended
	spare  []*block
	live   int // warps

	gone    uint64      // warps that have had their turn (3.3)
	rowsEnd clock.Cycle // the first cycle after the rows of the last issue (3.2)
	last    core.Blame  // of the last issue's rows
	since   clock.Cycle // residency is counted up to
}

// block is a thread block.
type block struct {
	core.Assignment
	place   int         // block slot
	left    int         // warps that have not ended
	arrived int         // at the barrier
	opens   clock.Cycle // the first cycle after the last barrier
}

// warp is a warp slot.
type warp struct {
	valid  bool
	asleep bool // at a barrier
	ends   bool // its last instruction is in the pipeline
	robbed bool // another block has taken the block slot
	of     *block
	number int
	base   int // of the registers
	span   int
	path   *path
	stack  []entry
	block  uint32 // of the visit
	mask   lanes  // of the visit
	all    lanes
	index  uint32      // of the next instruction
	end    uint32      // behind the visit
	ready  clock.Cycle // the first in which it may be issued; when it ends: that of its update

	guards, accesses int   // of the visit that have been
	takers           lanes // of a branch to the next instruction

	replay bool  // the instruction at index goes on
	serves lanes // that it goes on for
}

func newMultiprocessor(p core.Parts) (core.Core, error) {
	s, err := sectionOf(p.Machine)
	if err != nil {
		return nil, err
	}
	if p.Offload != nil {
		return nil, fmt.Errorf("%s: multiprocessors of the Tesla-like machine do not offload", p.Machine.Name)
	}
	core := &multiprocessor{
		Section: s, id: p.ID, nr: clock.Cycle(s.rows()), set: p.Counters, now: p.Clock, observer: p.Observer, last: core.NoWarp,
		slots: core.NewSlots(p.ID, p.Counters, p.Watcher), watch: newWatch(p.ID, s.WarpSlots, p.Watcher), warps: make([]warp, s.WarpSlots),
	}
	for slot := range core.warps {
		core.warps[slot].path = new(path)
	}
	return core, nil
}

func (p *multiprocessor) ID() int                                 { return p.id }
func (p *multiprocessor) Counters() *counters.Set                 { return p.set }
func (p *multiprocessor) Entry() seam.Entry                       { return seam.Entry{} }
func (p *multiprocessor) DrivenBy(wake clock.Alarm[clock.Cycle])  { p.wake = wake }
func (p *multiprocessor) Driven() bool                            { return p.wake.IsSet() }
func (p *multiprocessor) TimedBy(now *clock.Cycle)                { p.now = now }
func (p *multiprocessor) Issued() uint64                          { return p.issued }
func (p *multiprocessor) AdvancePort(clock.Cycle) clock.Cycle     { return clock.Never }
func (p *multiprocessor) CountByInstruction(lines []counters.Set) { p.lines = lines }
func (p *multiprocessor) Collect(profile []uint64)                { p.slots.Collect(nil, profile) }
func (p *multiprocessor) End(_ clock.Cycle, profile []uint64)     { p.Collect(profile) }
func (p *multiprocessor) Resident() int                           { return len(p.blocks) }
func (p *multiprocessor) Busy() bool                              { return len(p.blocks) > 0 || p.init.busy }
func (p *multiprocessor) Wake()                                   { p.wake.Lower(*p.now) }

// Fits implements core.Core: the machine looks at nothing else (3.7).
func (p *multiprocessor) Fits(*seam.Footprint) bool { return !p.init.busy }

// Begin implements core.Core: the machine is as after a reset.
func (p *multiprocessor) Begin(c core.Program, _ seam.Division) {
	p.program = c.(*program)
	p.slots.Load(p.program.Instructions())
	p.nextWarp, p.nextBlock, p.nextBase, p.gone, p.rowsEnd, p.last, p.fault = 0, 0, 0, 0, 0, core.NoWarp, nil
	for slot := range p.warps {
		p.warps[slot].valid = false
	}
}

// CountResidency implements core.Core.
func (p *multiprocessor) CountResidency(now clock.Cycle) {
	if len(p.blocks) > 0 {
		p.set[counters.ResidentWarpCycles] += uint64(now-p.since) * uint64(p.live)
		p.set[counters.ActiveSMCycles] += uint64(now - p.since)
	}
	if p.init.busy {
		p.set[firstCounter+countInitCycle] += uint64(now - p.since)
	}
	p.since = now
}

// CloseStreams implements core.Core: there are none.
func (p *multiprocessor) CloseStreams() {}

// fail ends the replay.
func (p *multiprocessor) fail(now clock.Cycle, w *warp, format string, arguments ...any) {
	if p.fault == nil {
		p.fault = fmt.Errorf("%s: thread block %d, warp %d (multiprocessor %d, cycle %d of the machine): %s",
			p.program.place(min(w.index, uint32(len(p.program.steps)-1))), w.of.Block, w.number, p.id, now, fmt.Sprintf(format, arguments...))
	}
}

// Describe implements core.Core.
func (p *multiprocessor) Describe() []string {
	var list []string
	for slot := range p.warps {
		w := &p.warps[slot]
		if !w.valid {
			continue
		}
		what := fmt.Sprintf("is ready in cycle %d", w.ready)
		if w.asleep {
			what = fmt.Sprintf("waits at a barrier: %d of %d warps have arrived", w.of.arrived, w.of.Need.Warps)
		}
		list = append(list, fmt.Sprintf("multiprocessor %d, warp slot %d (thread block %d): %s %s", p.id, slot, w.of.Block, p.program.place(min(w.index, uint32(len(p.program.steps)-1))), what))
	}
	return list
}

var _ core.Core = (*multiprocessor)(nil)
