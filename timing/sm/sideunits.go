// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
)

// SideUnits is the hook of a front end that executes some instructions on units of its
// own, next to the SM's. It looks at what could issue but for a unit. It issues without
// the SM's units, their operand collectors and the register banks.
type SideUnits struct{ sm *SM }

// sideIssues counts, by instruction, those issued to side units, and their lanes.
type sideIssues struct{ issued, lanes []uint64 }

// SideUnits takes the hook, before the first launch.
func (s *SM) SideUnits() SideUnits {
	s.sideIssues = new(sideIssues)
	return SideUnits{s}
}

func (a *sideIssues) begin(instructions int) {
	a.issued, a.lanes = resized(a.issued, instructions), resized(a.lanes, instructions)
}

// Unblocked are the warps whose next instruction lacks nothing but, perhaps, a unit
// or an operand collector.
func (u SideUnits) Unblocked() warpset.Set { return u.sm.waiting.Ready() }

// Peek is the next instruction of an unblocked warp, and the lanes that take part in
// it, its guard considered.
func (u SideUnits) Peek(w int) (instruction, lanes uint32) {
	p := &u.sm.warps[w]
	lanes = p.mask
	if u.sm.program.code[p.index].guarded {
		lanes = u.sm.guardOf(p)
	}
	return p.index, lanes
}

// Origin says what the warp in a slot is.
type Origin struct {
	// Arrival numbers the warps of an SM in the order in which they came.
	Arrival uint64
	Kernel  *trace.Kernel
	Launch  *trace.Launch
	// Warp is its number among the hardware warps of its thread block.
	Warp int
}

// Origin tells what the warp in slot w is; there must be one.
func (u SideUnits) Origin(w int) Origin {
	b := u.sm.residents.In(u.sm.warps[w].block)
	return Origin{Arrival: u.sm.ages[w], Kernel: u.sm.program.kernel, Launch: b.Launch, Warp: b.Slots().Before(w).Count()}
}

// IssueToSideUnit issues the next instruction of an unblocked warp, one of arithmetic,
// to a side unit. It takes no unit, no operand collector and no register bank, reads
// its operands in read cycles, and then has the latency of its class. The counters of
// units, registers and operations of lanes do not count it.
func (u SideUnits) IssueToSideUnit(now clock.Cycle, w int, read clock.Cycle) {
	p := &u.sm.warps[w]
	op := &u.sm.program.code[p.index]
	_, lanes := u.Peek(w)
	p.guardKnown = false
	u.sm.account(p.index, lanes)
	u.sm.sideIssues.issued[p.index]++
	u.sm.sideIssues.lanes[p.index] += uint64(bits.OnesCount32(lanes))
	if !op.written.Empty() {
		u.sm.board.ReserveUnit(w, op.written)
		p.outstanding++
		u.sm.plan(now+read+clock.Cycle(op.timing.Result-op.timing.Start), eventSideUnit, w, p.index)
	}
	u.sm.advance(now, w)
}

// discount takes what was issued to side units from what count has counted.
func (op *operation) discount(set *counters.Set, issued, lanes uint64) {
	set[op.unit.Counter()] -= issued
	set[counters.RegisterRead] -= issued * uint64(op.reads)
	set[counters.RegisterWrite] -= issued * uint64(op.writes)
	set[counters.RegisterBankConflict] -= issued * uint64(op.conflicts)
	set[counters.LaneOps(op.class)] -= lanes
	if op.function != trace.NotSpecial {
		set[counters.SpecialOps(op.function)] -= lanes
	}
	set[counters.RegisterLaneRead] -= lanes * uint64(op.reads)
	set[counters.RegisterLaneWrite] -= lanes * uint64(op.writes)
}
