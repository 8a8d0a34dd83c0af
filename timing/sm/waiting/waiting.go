// SPDX-License-Identifier: Apache-2.0

// Package waiting keeps what each warp of an SM waits for: every warp slot is on
// exactly one list. The lists tie the stages together. A stage that lets a warp go has
// it put on another list. The front end looks at the lists, never at the warps.
package waiting

import (
	"math/bits"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/timing/warpset"
)

// List says what a warp waits for.
type List uint8

// The lists. The first ones, one per kind of unit from Ready on, hold warps whose next
// instruction has everything but, perhaps, its unit.
const (
	Ready   = List(0)
	Operand = List(units.Kinds) + iota - 1 // a register to write is yet to be read (WAR)
	Unit                                   // a register that a functional unit writes
	Memory                                 // a register that a memory access writes
	Fetch
	Fence
	Barrier
	None // no warp, or one that has issued everything

	Count

	LastReady = Ready + List(units.Kinds) - 1
)

// For is the list of the warps that lack nothing but, perhaps, a unit of a kind.
func For(k units.Kind) List { return Ready + List(k) }

// Lists is the state of all warps of an SM.
type Lists struct {
	members [Count]warpset.Set
	of      [warpset.Max]List
	ready   warpset.Set // members of all lists up to LastReady
	some    uint32      // the lists with members that a warp has been put on, a bit each
	changed bool        // a warp has been put on a list since Settled last said so
}

// New has every warp on None.
func New() Lists {
	var l Lists
	for i := range l.of {
		l.of[i] = None
	}
	l.members[None] = warpset.All()
	return l
}

// On is the warps on a list.
func (l *Lists) On(list List) warpset.Set { return l.members[list] }

// Of is the list of warp w.
func (l *Lists) Of(w int) List { return l.of[w] }

// Ready is the warps that lack nothing but, perhaps, a unit or a collector.
func (l *Lists) Ready() warpset.Set { return l.ready }

// Move puts warp w on a list, which counts as a change also when it is there already.
func (l *Lists) Move(w int, to List) {
	l.changed = true
	from := l.of[w]
	if from == to {
		return
	}
	l.of[w] = to
	l.members[from].Remove(w)
	l.members[to].Add(w)
	l.some |= 1 << to
	if l.members[from].Empty() {
		l.some &^= 1 << from
	}
	if to <= LastReady {
		l.ready.Add(w)
	} else {
		l.ready.Remove(w)
	}
}

// Settled reports whether two things hold. Nothing has happened to any warp since it
// was called last. None lacks only a unit or a collector, or all that do are blocked as
// they were then. A warp that could not issue then cannot now, for the same cause.
func (l *Lists) Settled(blocked bool) bool {
	changed := l.changed
	l.changed = false
	if changed || blocked {
		return !changed
	}
	return l.ready.Empty()
}

// causes are why the warps on a list wait. The waiting lists are in the order from the closest to
// issue to the farthest.
var causes = [Count]counters.Cause{
	Operand: counters.CauseOperand,
	Unit:    counters.CauseCompute,
	Memory:  counters.CauseMemory,
	Fetch:   counters.CauseFetch,
	Fence:   counters.CauseFence,
	Barrier: counters.CauseBarrier,
}

// waitingLists are the bits of the lists from Operand to Barrier.
const waitingLists = 1<<None - 1<<Operand

// Closest gives the warp that is closest to issue among those that lack more than a
// unit, and the cause why it waits; -1 without one. Of several on a list it gives the
// one in the lowest slot.
func (l *Lists) Closest(of warpset.Set) (int, counters.Cause) {
	for some := l.some & waitingLists; some != 0; some &= some - 1 {
		list := bits.TrailingZeros32(some)
		if waiting := l.members[list].And(of); !waiting.Empty() {
			return waiting.Lowest(), causes[list]
		}
	}
	return -1, counters.CauseIdle
}

// ClosestReady gives the warp to which a lost slot is charged, of those that lack
// nothing but, perhaps, a unit, and the kind of its unit. It is the first kind's, in the
// lowest slot; -1 without one.
func (l *Lists) ClosestReady(of warpset.Set) (int, units.Kind) {
	if !l.ready.Meets(of) {
		return -1, 0
	}
	k := units.SP
	for !l.members[For(k)].Meets(of) {
		k++
	}
	return l.members[For(k)].And(of).Lowest(), k
}
