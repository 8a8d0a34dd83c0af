// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"slices"

	"github.com/warptape/warptape/timing/counters"
)

// admit gives the warps of a scheduler that its policy lets issue, in the order
// of their slots.
func (s *referenceSM) admit(scheduler int, mine []*referenceWarp) []*referenceWarp {
	m := &s.machine.SM
	switch m.Scheduler {
	case "two-level":
		active := slices.DeleteFunc(s.active[scheduler], func(w *referenceWarp) bool { return !slices.Contains(mine, w) || s.waits(w) })
		for _, w := range byAge(mine) {
			if len(active) < m.SchedulerWarps && !s.waits(w) && !slices.Contains(active, w) {
				active = append(active, w)
			}
		}
		s.active[scheduler] = active
		return inSlotOrder(active)
	case "warp-limit":
		able := slices.DeleteFunc(byAge(mine), func(w *referenceWarp) bool { return w.over() || s.held(w) })
		return inSlotOrder(able[:min(m.SchedulerWarps, len(able))])
	case "srr":
		able := slices.DeleteFunc(slices.Clone(mine), func(w *referenceWarp) bool { return w.over() || s.held(w) })
		slices.SortFunc(able, func(a, b *referenceWarp) int { return int(s.rounds(scheduler, a)) - int(s.rounds(scheduler, b)) })
		return able[:min(1, len(able))]
	}
	return mine
}

func (s *referenceSM) held(w *referenceWarp) bool {
	return s.why(w) == counters.CauseBarrier || s.why(w) == counters.CauseFence
}

// waits says that a warp has no place in an active set.
func (s *referenceSM) waits(w *referenceWarp) bool {
	return w.over() || s.held(w) || s.why(w) == counters.CauseMemory
}

func byAge(warps []*referenceWarp) []*referenceWarp {
	return slices.SortedFunc(slices.Values(warps), func(a, b *referenceWarp) int { return int(a.age) - int(b.age) })
}

func inSlotOrder(warps []*referenceWarp) []*referenceWarp {
	return slices.SortedFunc(slices.Values(warps), func(a, b *referenceWarp) int { return a.slot - b.slot })
}
