// SPDX-License-Identifier: Apache-2.0

package threadwise

import (
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm/scoreboard"
	"github.com/warptape/warptape/timing/sm/units"
)

// lost says why lane l does not issue in this cycle, in which warp set w has its turn, or
// none (-1): what its thread waits for. A lane without a thread in the warp set is idle.
func (s *laneCore) lost(w, l int) core.Blame {
	if w < 0 {
		if w = s.nextOf(l); w < 0 {
			return core.NoWarp
		}
	}
	b := s.blame(w, l)
	if b.Cause != counters.CauseIssued {
		return b
	}
	// The thread could issue, and waits for others of its warp set.
	for rest := s.warps[w].runs; rest != 0; rest &= rest - 1 {
		if b := s.blame(w, lowest(rest)); b.Cause != counters.CauseIssued {
			return b
		}
	}
	b.Cause = counters.CauseUnit
	return b
}

// nextOf is the warp set whose thread a lane would execute next, -1 for none.
func (s *laneCore) nextOf(l int) int {
	h := &s.turn.of[0]
	if s.apart {
		h = &s.turn.of[l]
	}
	if h.holding {
		if s.warps[h.last].live>>l&1 != 0 {
			return h.last
		}
		return -1
	}
	if live := s.lanes[l].live; live != 0 {
		return after(live, h.last)
	}
	return -1
}

// blame says what a thread waits for; the cause is CauseIssued when it waits for nothing.
func (s *laneCore) blame(w, l int) core.Blame {
	at := w*Lanes + l
	t := &s.threads[at]
	b := core.Blame{Instruction: t.index}
	switch t.state {
	case gone:
		return core.NoWarp
	case waitsBarrier:
		return core.Blame{Instruction: t.heldAt, Cause: counters.CauseBarrier}
	case waitsFence:
		return core.Blame{Instruction: t.heldAt, Cause: counters.CauseFence}
	case resumes:
		b.Instruction, b.Cause = t.heldAt, counters.CauseBarrier
		if s.program.code[t.heldAt].what == fences {
			b.Cause = counters.CauseFence
		}
		return b
	}
	if !s.lanes[l].fetch.Ready(w) {
		b.Cause = counters.CauseFetch
		return b
	}
	op := &s.program.code[t.index]
	switch s.board.Check(at, op.hazard) {
	case scoreboard.Memory:
		b.Cause = counters.CauseMemory
	case scoreboard.Unit:
		b.Cause = counters.CauseCompute
	default:
		x := &s.lanes[l]
		switch {
		case op.unit == units.LDST && x.queued >= s.MemoryQueue:
			b.Cause = counters.CauseLSU
		case op.unit != units.Control && x.free[op.unit] > *s.now:
			b.Cause = counters.CauseUnit
		default:
			b.Cause = counters.CauseIssued
		}
	}
	return b
}
