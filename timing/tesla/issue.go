// SPDX-License-Identifier: Apache-2.0

package tesla

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace"
)

// writeBack is how many cycles after its issue, plus its rows, a warp is updated (3.1).
// barrierWake is how much later than after an update the warps at a barrier are ready when
// the last one comes (3.6).
const (
	writeBack   = 3
	barrierWake = 2
)

// issue lets a warp enter the pipeline.
func (p *multiprocessor) issue(now clock.Cycle, slot int) {
	w := &p.warps[slot]
	index, s := w.index, &p.program.steps[w.index]
	p.watch.issued(now, p, slot)
	p.count(index, firstCounter+countRow, uint64(p.nr))
	p.set[counters.FetchAccess]++
	update := now + writeBack + p.nr
	w.ready = update + 1
	if w.replay {
		p.slots.Lose(now, 0, 0, 1, core.Blame{Instruction: index, Cause: counters.CauseLSU})
		p.last = core.Blame{Instruction: index, Cause: counters.CauseLSU}
		p.count(index, firstCounter+countReplay, 1)
	} else {
		p.slots.Use(now, 0, 0, index)
		p.last = core.Blame{Instruction: index, Cause: counters.CauseUnit}
		p.begin(now, w, s)
	}
	p.countPass(w, s)
	if p.fault != nil || s.shared && p.access(now, w, s) {
		return
	}
	p.advance(now, w, s, update)
}

// begin does what an instruction does when it enters the pipeline for the first time.
func (p *multiprocessor) begin(now clock.Cycle, w *warp, s *step) {
	if s.ofSlot && w.robbed {
		p.fail(now, w, "another thread block has taken the block slot %d, and with it what the instruction reads; use fewer thread blocks", w.of.place)
	}
	mask := w.mask
	if s.guarded {
		w.takers = w.path.guard(w.guards)
		w.guards++
		mask = w.takers
	}
	p.countIssue(w.index, s, mask)
	if !s.shared && !s.constant {
		return
	}
	w.path.addresses(w.accesses)
	w.accesses++
	if s.constant {
		p.count(w.index, counters.ConstantRead, uint64(p.rowsWith(w.mask)))
		p.checkConstant(now, w)
		return
	}
	for m := w.mask; m != 0; m &= m - 1 {
		w.path.address[bits.TrailingZeros64(uint64(m))] &= 1<<p.SharedAddressBits - 1
	}
}

// checkConstant ends a replay in which lanes of a row ask for different constants.
// All get that of the lowest. The recording has looked at the lanes of one warp.
func (p *multiprocessor) checkConstant(now clock.Cycle, w *warp) {
	there := p.program.kernel.Tesla.RecordedIn.WarpWidth
	if p.Processors <= there {
		return
	}
	for row := range int(p.nr) {
		of := w.mask & p.lanesOf(row)
		for first := bits.TrailingZeros64(uint64(of)); of != 0; of &= of - 1 {
			if lane := bits.TrailingZeros64(uint64(of)); w.path.address[lane] != w.path.address[first] {
				p.fail(now, w, "lanes %d and %d of a row of %d ask for different constants, and the lowest lane decides for all; it was recorded on warps of %d: record it on this machine", first, lane, p.Processors, there)
				return
			}
		}
	}
}

// wordBytes is the size of a word.
const wordBytes = 4

// rowsWith is the number of rows that have an enabled lane.
func (p *multiprocessor) rowsWith(mask lanes) (n int) {
	for row := range int(p.nr) {
		if mask&p.lanesOf(row) != 0 {
			n++
		}
	}
	return n
}

func (p *multiprocessor) lanesOf(row int) lanes {
	return below(p.Processors) << (row * p.Processors)
}

// advance is the update of a warp whose instruction is done.
func (p *multiprocessor) advance(now clock.Cycle, w *warp, s *step, update clock.Cycle) {
	w.replay = false
	switch {
	case s.class == trace.ClassExit:
		p.exit(now, w, update)
		return
	case s.synchronous:
		p.push(now, w, s.target)
	case s.class == trace.ClassBarrier:
		p.arrive(now, w, update)
	}
	if w.index+1 < w.end {
		w.index++
		w.serves = w.mask
		return
	}
	p.leaveVisit(now, w, s)
}

// leaveVisit takes a warp to its next visit. The threads say where they go.
func (p *multiprocessor) leaveVisit(now clock.Cycle, w *warp, s *step) {
	w.path.end(p.program)
	switch {
	case s.guarded:
		p.branch(now, w, s, w.takers)
	case s.branches:
		p.branch(now, w, s, w.path.going(s.target, false)&w.mask)
	default:
		w.block = s.behind
	}
	if p.fault != nil {
		return
	}
	if p.meet(now, w); p.fault == nil && !p.enter(w) {
		p.fail(now, w, "behind it, the recorded path of a thread goes elsewhere or ends without EXIT: the EXIT of other threads has ended it where it was recorded, on warps of %d, or the trace is altered", p.program.kernel.Tesla.RecordedIn.WarpWidth)
	}
}

// exit ends a warp, all its lanes (3.8).
func (p *multiprocessor) exit(now clock.Cycle, w *warp, update clock.Cycle) {
	w.path.end(p.program)
	if more := w.path.going(0, true); more != 0 {
		p.fail(now, w, "ends the whole warp of %d, and its lanes %x go on where it was recorded, on warps of %d; branch so that all threads come to one EXIT", p.WarpWidth, more, p.program.kernel.Tesla.RecordedIn.WarpWidth)
	}
	w.ends, w.ready = true, update
}

// arrive is BAR (3.6). Thread blocks do not disturb each other, unless they share a slot.
func (p *multiprocessor) arrive(now clock.Cycle, w *warp, update clock.Cycle) {
	if w.robbed {
		p.fail(now, w, "another thread block has taken the block slot %d, and the barrier would be that of both; use fewer thread blocks", w.of.place)
	}
	for _, other := range p.blocks {
		if other != w.of && other.place == w.of.place && p.started(other) {
			p.fail(now, w, "thread block %d has the same block slot, %d, and the barrier would be that of both; use fewer thread blocks", other.Block, other.place)
		}
	}
	if w.mask != w.all && p.WarpWidth != p.program.kernel.Tesla.RecordedIn.WarpWidth {
		p.fail(now, w, "lanes %x come to the barrier, and others of the warp of %d wait for them to meet; it was recorded on warps of %d, which come at other times: record it on this machine", w.mask, p.WarpWidth, p.program.kernel.Tesla.RecordedIn.WarpWidth)
	}
	w.asleep = true
	w.of.arrived++
	if w.of.arrived < w.of.Need.Warps {
		return
	}
	w.of.arrived, w.of.opens = 0, update+barrierWake
	for slot := range p.warps {
		if at := &p.warps[slot]; at.valid && at.of == w.of {
			at.asleep, at.ready = false, update+barrierWake
		}
	}
}

// started reports whether a block has a warp.
func (p *multiprocessor) started(b *block) bool {
	for slot := range p.warps {
		if w := &p.warps[slot]; w.valid && w.of == b {
			return true
		}
	}
	return false
}

// count counts for an instruction.
func (p *multiprocessor) count(index uint32, id counters.ID, n uint64) {
	p.set[id] += n
	if p.lines != nil {
		p.lines[index][id] += n
	}
}

// countPass counts the registers of a way through the pipeline. Loads write those of the
// lanes that their banks serve.
func (p *multiprocessor) countPass(w *warp, s *step) {
	of := w.serves.count()
	p.count(w.index, counters.RegisterLaneRead, uint64(s.reads)*of)
	if !s.shared {
		p.count(w.index, counters.RegisterLaneWrite, uint64(s.writes)*of)
	}
}

// countIssue counts an instruction that issues.
func (p *multiprocessor) countIssue(index uint32, s *step, mask lanes) {
	p.issued++
	countIn(p.set, s, mask)
	if p.lines != nil {
		countIn(&p.lines[index], s, mask)
	}
}

func countIn(set *counters.Set, s *step, mask lanes) {
	lanes := mask.count()
	set[counters.IssuedWarp]++
	set[counters.IssuedThread] += lanes
	set[counters.LaneOps(s.class)] += lanes
	set[counters.FetchInstruction]++
	set[counters.RegisterRead] += uint64(s.reads)
	set[counters.RegisterWrite] += uint64(s.writes)
	switch {
	case s.shared:
		set[counters.UnitLDST]++
		set[counters.SharedAccess]++
		if s.stores {
			set[counters.SharedLaneWrite] += lanes
		} else {
			set[counters.SharedLaneRead] += lanes
		}
	case s.constant:
		set[counters.UnitLDST]++
	case s.branches || s.synchronous || s.class == trace.ClassBarrier || s.class == trace.ClassExit || s.class == trace.ClassNop:
		set[counters.UnitControl]++
	default:
		set[counters.UnitSP]++
	}
}
