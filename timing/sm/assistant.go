// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"fmt"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm/waiting"
	"github.com/warptape/warptape/timing/warpset"
)

// Assistant is what a mechanism adds to the rules of an SM's scoreboard, and hears of
// its warps. Instructions are those of the rewritten kernel; only those that
// core.Rewriting.Assisted marks are asked and told of.
type Assistant interface {
	// Placed tells that the warps of a thread block have been placed (see Resident
	// and Assigned).
	Placed(now clock.Cycle, slot int)
	// Holds says whether warp w may not issue an instruction that has its registers,
	// until Recheck.
	Holds(w int, instruction uint32) Hold
	// Issued tells that warp w issues an instruction; mask has the lanes that take part.
	Issued(now clock.Cycle, w int, instruction, mask uint32)
	// Loaded tells that the registers of a load have been written.
	Loaded(now clock.Cycle, w int, instruction uint32)
	// Opened tells that a barrier of a thread block opens.
	Opened(now clock.Cycle, slot int)
	// Ended tells that nothing of a thread block is left. True keeps what it occupies
	// until Release.
	Ended(now clock.Cycle, slot int) bool
	// ExtraEnded tells that the warp of StartExtra has ended.
	ExtraEnded(now clock.Cycle)
}

// Hold says why an assistant holds a warp.
type Hold uint8

// The reasons: something is yet to be computed, or to come from memory.
const (
	HoldNothing Hold = iota
	HoldCompute
	HoldMemory
)

// Assistance is the hook of an assistant: a warp of its own, thread blocks that stay for
// it, and warps that are looked at again.
type Assistance struct{ sm *SM }

// Assist names the assistant and makes room for a warp of its own beyond the slots of
// the SM's warps. It is called when the machine is built.
func (s *SM) Assist(a Assistant) (Assistance, error) {
	n := len(s.warps)
	if n >= warpset.Max {
		return Assistance{}, fmt.Errorf("an SM of %d warps has no slot left for one more; the model takes %d (lower sm.max_warps)", n, warpset.Max)
	}
	s.assistant = a
	s.groups = append(s.groups, groups{})
	s.warps = append(s.warps, warp{})
	s.fetch.Grow(n + 1)
	s.residents.AddExtra(n)
	s.roomForBlocks()
	return Assistance{s}, nil
}

// ExtraSlot is the slot of the assistant's warp.
func (a Assistance) ExtraSlot() int { return a.sm.residents.Extra().Lowest() }

// StartExtra starts the assistant's warp, which belongs to no thread block. The last
// one has ended.
func (a Assistance) StartExtra(now clock.Cycle, stream seam.Stream) {
	slot := a.sm.residents.Slots() - 1
	a.sm.residents.StartExtra()
	a.sm.barriers[slot].Begin(1)
	a.sm.start(a.ExtraSlot(), stream, slot)
	a.sm.wakeNow()
}

// Assisted holds the slots of thread blocks that have ended and that the assistant
// keeps.
func (a Assistance) Assisted() uint64 { return a.sm.assisted }

// Release lets a thread block go that the assistant has kept.
func (a Assistance) Release(now clock.Cycle, slot int) {
	a.sm.assisted &^= 1 << slot
	a.sm.part(now, slot)
}

func (s *SM) isExtra(w int) bool { return s.residents.Extra().Has(w) }

// extraEnded ends the assistant's warp.
func (s *SM) extraEnded(now clock.Cycle) {
	s.residents.EndExtra()
	s.CloseStreams()
	s.assistant.ExtraEnded(now)
}

// Recheck asks the assistant again about a warp that it has held.
func (a Assistance) Recheck(w int) {
	if on := a.sm.waiting.Of(w); on == waiting.Unit || on == waiting.Memory {
		a.sm.evaluate(w)
		a.sm.wakeNow()
	}
}

// withAssistant moves a warp that could issue to the list where the assistant holds it.
func (s *SM) withAssistant(w int, instruction uint32, ready waiting.List) waiting.List {
	switch s.assistant.Holds(w, instruction) {
	case HoldCompute:
		s.assistHeld = s.assistHeld.With(w)
		return waiting.Unit
	case HoldMemory:
		return waiting.Memory
	}
	return ready
}

// Assigned gives a resident thread block and the slots of its warps, in order.
func (a Assistance) Assigned(slot int) (*core.Assignment, warpset.Set) {
	b := a.sm.residents.In(slot)
	return &b.Assignment, b.Slots()
}

// BlockSlot is the slot of the thread block to which warp w belongs.
func (a Assistance) BlockSlot(w int) int { return a.sm.warps[w].block }
