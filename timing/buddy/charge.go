package buddy

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
)

// stall charges the slots of scheduler k, of which no warp of own could issue on
// all members, and those that it loses until something changes.
func (g *group) stall(now clock.Cycle, k int, own uint64) {
	index, cause, ok := g.blame(now, own)
	for i := range g.sms {
		at := g.slots(i, index, cause, ok)
		g.stalledAt[k*len(g.sms)+i] = at
		*at += uint64(g.width)
	}
	g.watch(now, k, 0, g.width, index, cause, ok)
}

// watch tells of issue slots of scheduler k of all members.
func (g *group) watch(now clock.Cycle, k, from, n int, index uint32, cause counters.Cause, ok bool) {
	for _, s := range g.sms {
		s.WatchInstruction(now, k, from, n, index, cause, ok)
	}
}

// stallOne charges slots that warp w, which has issued, could not use.
func (g *group) stallOne(now clock.Cycle, k, w int, slots uint64) {
	index, cause, ok := g.blame(now, 1<<w)
	for i := range g.sms {
		*g.slots(i, index, cause, ok) += slots
	}
	g.watch(now, k, g.width-int(slots), int(slots), index, cause, ok)
}

// lose charges slots that warp w, which can issue, could not use for lack of a
// second unit or a place on the network.
func (g *group) lose(now clock.Cycle, k, w int, slots uint64) {
	index, ok := g.sms[0].At(w)
	for i := range g.sms {
		*g.slots(i, index, counters.CauseUnit, ok) += slots
	}
	g.watch(now, k, g.width-int(slots), int(slots), index, counters.CauseUnit, ok)
}

// slots is the counter of a member's issue slots with a cause at an instruction;
// without one the slots are idle.
func (g *group) slots(member int, index uint32, cause counters.Cause, ok bool) *uint64 {
	if !ok {
		return g.sms[member].Idle()
	}
	return g.sms[member].Slots(index, cause)
}

// blame says why no warp of own can issue on all members: what the first member
// says that could not issue any by itself. When each could, but not the same, it
// is what keeps the master's first candidate.
func (g *group) blame(now clock.Cycle, own uint64) (index uint32, cause counters.Cause, ok bool) {
	for i, s := range g.sms {
		if s.Candidates(now)&own == 0 {
			return g.waiting(now, i, own)
		}
	}
	w := lowest(g.sms[0].Candidates(now) & own)
	for i, s := range g.sms {
		if s.Candidates(now)>>w&1 == 0 {
			return g.waiting(now, i, 1<<w)
		}
	}
	index, ok = g.sms[0].At(w) // its paths have parted: it waits for the ungrouping
	return index, counters.CauseFetch, ok
}

// waiting is what member i says of its warps in own.
func (g *group) waiting(now clock.Cycle, i int, own uint64) (index uint32, cause counters.Cause, ok bool) {
	w, cause := g.sms[i].Blamed(now, own)
	if w < 0 {
		return 0, counters.CauseIdle, false
	}
	index, ok = g.sms[i].At(w)
	return index, cause, ok
}

// chargeSleep charges the slots of the cycles before now in which nothing has
// changed.
func (g *group) chargeSleep(now clock.Cycle) {
	if now <= g.charged {
		return
	}
	slots := uint64(now-g.charged) * uint64(g.width)
	for _, at := range g.stalledAt {
		*at += slots
	}
	g.charged = now
}

// countSlots counts the issue slots before now.
func (g *group) countSlots(now clock.Cycle) {
	for _, s := range g.sms {
		s.Counters()[counters.IssueSlots] += uint64(now-g.counted) * uint64(g.width*len(g.schedulers))
	}
	g.counted = now
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
