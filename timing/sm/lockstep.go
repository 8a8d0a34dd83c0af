// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/sm/loadstore"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
)

// Lockstep is the hook of a front end that issues the same instructions to several SMs, in
// the same cycles. It knows what has to be the same, holds back what the others have not
// reached, and drives SMs that have their own front ends off.
type Lockstep struct{ sm *SM }

// Lockstep gives the hook.
func (s *SM) Lockstep() Lockstep { return Lockstep{s} }

// Companion hears of what goes on in an SM that it keeps in step with others.
type Companion interface {
	// Loaded tells that the registers of a load have been written. True keeps them
	// pending until FinishLoad.
	Loaded(now clock.Cycle, sm, w int, instruction uint32) bool
	// Ended tells that nothing of a thread block is left. True keeps what it
	// occupies until Leave.
	Ended(now clock.Cycle, sm, slot int) bool
}

// Accompany names the companion, nil for none. Without one nothing is held back.
func (l Lockstep) Accompany(c Companion) {
	l.sm.companion = c
	if c != nil {
		return
	}
	for l.sm.kept != 0 {
		l.Leave(*l.sm.clock, bits.TrailingZeros64(l.sm.kept))
	}
}

// Ended holds the slots of thread blocks that have ended and were kept.
func (l Lockstep) Ended() uint64 { return l.sm.kept }

// Leave lets a thread block go that was kept.
func (l Lockstep) Leave(now clock.Cycle, slot int) {
	l.sm.kept &^= 1 << slot
	l.sm.leave(now, slot)
}

// TakeSlotsOf has the next thread block lie in the slots in which the last one of another
// SM does.
func (l Lockstep) TakeSlotsOf(o *SM) { l.sm.residents.TakeSlotsOf(&o.residents) }

// FinishLoad clears the scoreboard of a load that the companion has kept pending.
func (l Lockstep) FinishLoad(w int, instruction uint32) { l.sm.finishLoad(w, instruction) }

// SetRemote says whether another SM's front end issues to the SM: then nothing
// is fetched for it, and its warps wait for no instructions. What is in the
// instruction buffers is lost; no fetch may be under way.
func (l Lockstep) SetRemote(on bool) {
	if on {
		l.sm.Follow(warpset.All())
	} else {
		l.sm.Follow(warpset.Set{})
	}
}

// FetchQuiet reports whether no fetch is under way.
func (l Lockstep) FetchQuiet() bool { return l.sm.fetch.Quiet(l.sm.residents.Present()) }

// DropInstructions empties the SM's instruction caches, which have lost their supply.
func (l Lockstep) DropInstructions() {
	if l.sm.l0 != nil {
		l.sm.l0.Clear()
	}
	l.sm.port.DropInstructions()
}

// SetTransfer sets the cycles that instructions take from issue to operand read.
// Nothing may be under way between them.
func (l Lockstep) SetTransfer(cycles clock.Cycle) {
	if l.sm.units.Transfer() == cycles {
		return
	}
	l.sm.units.SetTransfer(cycles)
	l.sm.queue = loadstore.NewQueue(&l.sm.machine.SM, int(cycles))
	if l.sm.collectors != nil {
		l.sm.collectors.SetTransfer(int(cycles))
	}
}

// Arrivals is how many warps have ever been placed on the SM.
func (l Lockstep) Arrivals() uint64 { return l.sm.arrivals }

// Quiet reports whether no result and no access of any warp is outstanding.
func (l Lockstep) Quiet() bool {
	for rest := l.sm.residents.Present(); !rest.Empty(); rest = rest.Rest() {
		if l.sm.warps[rest.Lowest()].outstanding > 0 {
			return false
		}
	}
	return true
}

// IsBranch reports whether an instruction can change the path.
func (l Lockstep) IsBranch(instruction uint32) bool {
	return l.sm.program.code[instruction].class == trace.ClassBranch
}

// BranchCycles pass from the issue of an instruction until its path is known.
func (l Lockstep) BranchCycles(instruction uint32) clock.Cycle {
	return clock.Cycle(l.sm.program.code[instruction].timing.Result)
}
