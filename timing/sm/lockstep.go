package sm

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm/loadstore"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/timing/sm/waiting"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
)

// What a front end needs that issues the same instructions to several SMs.

// Companion hears of what goes on in an SM that it keeps in step with others.
type Companion interface {
	// Loaded tells that the registers of a load have been written. True keeps them
	// pending until FinishLoad.
	Loaded(now clock.Cycle, sm, w int, instruction uint32) bool
	// Ended tells that nothing of a thread block is left. True keeps what it
	// occupies until Leave.
	Ended(now clock.Cycle, sm, slot int) bool
}

// ID is the SM's number.
func (s *SM) ID() int { return s.id }

// Counters are the SM's own.
func (s *SM) Counters() *counters.Set { return s.set }

// Accompany names the companion, nil for none. Without one nothing is held back.
func (s *SM) Accompany(c Companion) {
	s.companion = c
	if c != nil {
		return
	}
	for s.kept != 0 {
		s.Leave(*s.clock, bits.TrailingZeros64(s.kept))
	}
}

// Ended holds the slots of thread blocks that have ended and were kept.
func (s *SM) Ended() uint64 { return s.kept }

// Leave lets a thread block go that was kept.
func (s *SM) Leave(now clock.Cycle, slot int) {
	s.kept &^= 1 << slot
	s.leave(now, slot)
}

// SetRemote says whether another SM's front end issues to the SM: then nothing
// is fetched for it, and its warps wait for no instructions. What is in the
// instruction buffers is lost; no fetch may be under way.
func (s *SM) SetRemote(on bool) {
	if on {
		s.Follow(^uint64(0))
	} else {
		s.Follow(0)
	}
}

// Follow sets the slots of warps for which nothing is fetched. What is in the
// instruction buffers of those that are changed is lost; no fetch for them may be
// under way.
func (s *SM) Follow(slots uint64) {
	changed := s.fetch.Follow(warpset.Set(slots)).And(s.residents.Present())
	for ; !changed.Empty(); changed = changed.Rest() {
		w := changed.Lowest()
		s.fetch.Restart(w, s.warps[w].index)
		s.evaluate(w)
	}
}

// FetchQuiet reports whether no fetch is under way.
func (s *SM) FetchQuiet() bool { return s.fetch.Quiet(s.residents.Present()) }

// DropInstructions empties the SM's instruction cache, which has lost its supply.
func (s *SM) DropInstructions() { s.port.DropInstructions() }

// SetTransfer sets the cycles that instructions take from issue to operand read.
// Nothing may be under way between them.
func (s *SM) SetTransfer(cycles clock.Cycle) {
	if s.units.Transfer() == cycles {
		return
	}
	s.units.SetTransfer(cycles)
	s.queue = loadstore.NewQueue(&s.machine.SM, int(cycles))
	if s.collectors != nil {
		s.collectors.SetTransfer(int(cycles))
	}
}

// AwaitUnits are the slots of warps whose next instruction waits for the result of a
// unit, not of a memory access.
func (s *SM) AwaitUnits() uint64 { return uint64(s.waiting.On(waiting.Unit)) }

// Settled reports, once, whether no warp has changed since the last call and none
// lacks only a unit.
func (s *SM) Settled() bool { return s.waiting.Settled(false) }

// NextUnit is the next cycle after now in which a unit or an operand collector is
// free that some warp lacks; clock.Never when none will be by itself.
func (s *SM) NextUnit(now clock.Cycle) clock.Cycle {
	next := clock.Never
	if s.collectors != nil {
		return next
	}
	for k := units.SP; k < units.Control; k++ {
		if s.waiting.On(waiting.For(k)).Empty() {
			continue
		}
		for _, at := range [...]clock.Cycle{s.units.Earliest(k), s.units.CollectorAt()} {
			if at > now {
				next = min(next, at)
			}
		}
	}
	return next
}

// UnitIdle reports whether a unit of kind k starts nothing in the given cycle, for
// which everything that issues has issued.
func (s *SM) UnitIdle(k units.Kind, cycle clock.Cycle) bool {
	return s.units.Idle(k, cycle, s.collectors != nil)
}

// Arrivals is how many warps have ever been placed on the SM.
func (s *SM) Arrivals() uint64 { return s.arrivals }

// Lanes are the lanes of the visit in which warp w is.
func (s *SM) Lanes(w int) uint32 { return s.warps[w].mask }

// Quiet reports whether no result and no access of any warp is outstanding.
func (s *SM) Quiet() bool {
	for rest := s.residents.Present(); !rest.Empty(); rest = rest.Rest() {
		if s.warps[rest.Lowest()].outstanding > 0 {
			return false
		}
	}
	return true
}

// IsBranch reports whether an instruction can change the path.
func (s *SM) IsBranch(instruction uint32) bool {
	return s.program.code[instruction].class == trace.ClassBranch
}

// BranchCycles pass from the issue of an instruction until its path is known.
func (s *SM) BranchCycles(instruction uint32) clock.Cycle {
	return clock.Cycle(s.program.code[instruction].timing.Result)
}

// Next is the instruction that warp w issues next; false when there is none.
func (s *SM) Next(w int) (instruction uint32, ok bool) {
	p := &s.warps[w]
	return p.index, !p.finished && s.residents.Present().Has(w)
}
