// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm/scoreboard"
	"github.com/warptape/warptape/timing/sm/units"
)

// lost says why lane l does not issue in this cycle, in which warp set w has its turn: what
// its thread waits for.
func (s *laneCore) lost(w, l int) core.Blame {
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

// blame says what a thread waits for; the cause is CauseIssued when it waits for nothing.
func (s *laneCore) blame(w, l int) core.Blame {
	p, one := &s.warps[w], uint32(1)<<l
	switch {
	case p.live&one == 0:
		return core.NoWarp
	case p.waiting&one != 0:
		return core.Blame{Instruction: p.heldAt[l], Cause: counters.CauseBarrier}
	case p.fenced&one != 0:
		return core.Blame{Instruction: p.heldAt[l], Cause: counters.CauseFence}
	case p.runs&one == 0: // it has been let go, and goes on when the latency has passed
		b := core.Blame{Instruction: p.heldAt[l], Cause: counters.CauseBarrier}
		if s.program.code[b.Instruction].what == fences {
			b.Cause = counters.CauseFence
		}
		return b
	}
	b := core.Blame{Instruction: p.cohortOf(l).index}
	if p.decoded.of(l) == 0 {
		b.Cause = counters.CauseFetch
		return b
	}
	op := &s.program.code[b.Instruction]
	switch s.board.check(w, op.needs).of(l) {
	case scoreboard.Memory:
		b.Cause = counters.CauseMemory
	case scoreboard.Unit:
		b.Cause = counters.CauseCompute
	default:
		switch {
		case op.unit == units.LDST && s.busy.full&one != 0:
			b.Cause = counters.CauseLSU
		case s.busy.keeps(op.unit, one) != 0:
			b.Cause = counters.CauseUnit
		default:
			b.Cause = counters.CauseIssued
		}
	}
	return b
}
