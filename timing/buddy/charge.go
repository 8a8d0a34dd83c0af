// SPDX-License-Identifier: Apache-2.0

package buddy

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/warpset"
)

// lose charges the last slots of scheduler k in the cycle now, on all members.
func (g *group) lose(now clock.Cycle, k, slots int, b core.Blame) {
	for _, s := range g.sms {
		s.Slots().Lose(now, k, g.width-slots, slots, b)
	}
}

// blame says why no warp of own can issue on all members: what the first member
// says that could not issue any by itself. When each could, but not the same, it
// is what keeps the master's first candidate.
func (g *group) blame(now clock.Cycle, own warpset.Set) core.Blame {
	for _, s := range g.sms {
		if !s.Candidates(now).Meets(own) {
			return s.Blame(now, own)
		}
	}
	w := g.sms[0].Candidates(now).And(own).Lowest()
	for _, s := range g.sms {
		if !s.Candidates(now).Has(w) {
			return s.Blame(now, warpset.Of(w))
		}
	}
	return g.sms[0].BlameWarp(w, counters.CauseFetch) // its paths have parted: it waits for the ungrouping
}

// countMode counts the cycles before now by what the members did in them.
func (g *group) countMode(now clock.Cycle) {
	from := g.mark
	g.mark = now
	if len(g.sms) < 2 || now <= from {
		return
	}
	for i := range g.sms {
		off := now - from
		if g.mode == rampingDown {
			g.count(i, rampDownCycles, uint64(now-from))
			off = max(min(now, g.poweringAt)-from, 0)
		} else {
			g.count(i, lockstepCycles, uint64(now-from))
		}
		if i > 0 {
			g.count(i, gatedCycles, uint64(off))
		}
	}
}
