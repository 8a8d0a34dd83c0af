package sm

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace"
)

// What a front end needs that executes some instructions beside the SM's units.

// asides counts, by instruction, those issued beside the units, and their lanes.
type asides struct{ issued, lanes []uint64 }

// BesideUnits prepares the SM for IssueAside, before its first launch.
func (s *SM) BesideUnits() { s.asides = new(asides) }

func (a *asides) begin(instructions int) {
	a.issued, a.lanes = resized(a.issued, instructions), resized(a.lanes, instructions)
}

// Unblocked are the warps whose next instruction lacks nothing but, perhaps, a unit
// or an operand collector.
func (s *SM) Unblocked() uint64 { return uint64(s.waiting.Ready()) }

// Peek is the next instruction of an unblocked warp, and the lanes that take part in
// it, its guard considered.
func (s *SM) Peek(w int) (instruction, lanes uint32) {
	p := &s.warps[w]
	lanes = p.mask
	if s.program.code[p.index].guarded {
		lanes = s.guardOf(p)
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
func (s *SM) Origin(w int) Origin {
	b := s.residents.In(s.warps[w].block)
	return Origin{Arrival: s.ages[w], Kernel: s.program.kernel, Launch: b.Launch, Warp: b.Slots().Before(w).Count()}
}

// IssueAside issues the next instruction of an unblocked warp, one of arithmetic,
// beside the units: it takes none, no operand collector and no register bank, reads
// its operands in read cycles, and then has the latency of its class. The counters of
// units, registers and operations of lanes do not count it.
func (s *SM) IssueAside(now clock.Cycle, w int, read clock.Cycle) {
	p := &s.warps[w]
	op := &s.program.code[p.index]
	_, lanes := s.Peek(w)
	p.guardKnown = false
	s.account(p.index, lanes)
	s.asides.issued[p.index]++
	s.asides.lanes[p.index] += uint64(bits.OnesCount32(lanes))
	if !op.written.Empty() {
		s.board.ReserveUnit(w, op.written)
		p.outstanding++
		s.plan(now+read+clock.Cycle(op.timing.Result-op.timing.Start), eventAside, w, p.index)
	}
	s.advance(now, w)
}

// discount takes what was issued beside the units from what count has counted.
func (op *operation) discount(set *counters.Set, issued, lanes uint64) {
	set[op.unit.Counter()] -= issued
	set[counters.RegisterRead] -= issued * uint64(op.reads)
	set[counters.RegisterWrite] -= issued * uint64(op.writes)
	set[counters.RegisterBankConflict] -= issued * uint64(op.conflicts)
	set[counters.LaneOps(op.class)] -= lanes
	set[counters.RegisterLaneRead] -= lanes * uint64(op.reads)
	set[counters.RegisterLaneWrite] -= lanes * uint64(op.writes)
}
