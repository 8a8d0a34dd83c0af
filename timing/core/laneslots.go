// SPDX-License-Identifier: Apache-2.0

package core

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
)

// maxLanes are the bits of a word.
const maxLanes = 32

// LaneSlots accounts for the issue slots of lanes, which have one a cycle each and are
// the bits of words. What a lane loses its slots to is charged when that changes, and not
// cycle by cycle: a front end that calls Awake charges those lanes alone, by UseAll and
// StallAll, that issue or whose blame may be another than before. Each lane that has
// issued is charged in the next cycle, too.
type LaneSlots struct {
	slots   Slots
	waiting uint32 // lanes that lose their slots since from to what is counted at
	at      [maxLanes]*uint64
	from    [maxLanes]clock.Cycle
}

// NewLaneSlots is NewSlots of lanes.
func NewLaneSlots(core int, set *counters.Set, watcher seam.Watcher) LaneSlots {
	return LaneSlots{slots: NewSlots(core, set, watcher)}
}

// Load is that of Slots.
func (s *LaneSlots) Load(instructions int) { s.slots.Load(instructions) }

// Collect is that of Slots, of what was charged before the last call of Settle.
func (s *LaneSlots) Collect(origin []uint32, profile []uint64) { s.slots.Collect(origin, profile) }

// Begin is that of Slots; the first lanes of the word have slots.
func (s *LaneSlots) Begin(now clock.Cycle, lanes int) {
	s.slots.Begin(now, lanes, 1)
	s.waiting = 1<<lanes - 1
	for l := range lanes {
		s.at[l], s.from[l] = &s.slots.idle, now
	}
}

// Watched reports whether someone wants to hear of each slot in each cycle in which the
// front end is awake: all lanes are charged then.
func (s *LaneSlots) Watched() bool { return s.slots.watcher != nil }

// Settle charges and counts all slots of the cycles before now.
func (s *LaneSlots) Settle(now clock.Cycle) {
	for rest := s.waiting; rest != 0; rest &= rest - 1 {
		s.charge(now, bits.TrailingZeros32(rest))
	}
	s.slots.set[counters.IssueSlots] += uint64(now-s.slots.counted) * uint64(len(s.slots.stalled))
	s.slots.counted = now
}

// charge charges what a lane has lost before the cycle now.
func (s *LaneSlots) charge(now clock.Cycle, l int) {
	*s.at[l] += uint64(now - s.from[l])
	s.from[l] = now
}

// UseAll charges the slots of lanes to an instruction that they issue.
func (s *LaneSlots) UseAll(now clock.Cycle, lanes uint32, instruction uint32) {
	s.slots.profile[int(counters.CauseIssued)*s.slots.instructions+int(instruction)] += uint64(bits.OnesCount32(lanes))
	for rest := lanes & s.waiting; rest != 0; rest &= rest - 1 {
		s.charge(now, bits.TrailingZeros32(rest))
	}
	s.waiting &^= lanes
	if s.slots.watcher != nil {
		for rest := lanes; rest != 0; rest &= rest - 1 {
			s.slots.tell(now, bits.TrailingZeros32(rest), 0, 1, Blame{instruction, counters.CauseIssued})
		}
	}
}

// StallAll charges the slots of lanes from the cycle now on, until it is called anew or
// they issue.
func (s *LaneSlots) StallAll(now clock.Cycle, lanes uint32, b Blame) {
	at := s.slots.counter(b)
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest)
		switch {
		case s.waiting>>l&1 == 0:
			s.at[l], s.from[l] = at, now
		case s.at[l] != at:
			s.charge(now, l)
			s.at[l] = at
		}
	}
	s.waiting |= lanes
	if s.slots.watcher != nil {
		for rest := lanes; rest != 0; rest &= rest - 1 {
			s.slots.tell(now, bits.TrailingZeros32(rest), 0, 1, b)
		}
	}
}
