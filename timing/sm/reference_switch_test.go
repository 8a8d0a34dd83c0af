// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"slices"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace"
)

// stay gives which of the warps may issue under the machine's switch trigger.
func (s *referenceSM) stay(scheduler int, mine []*referenceWarp) []*referenceWarp {
	if s.machine.SM.WarpSwitch == "" {
		return mine
	}
	if w := s.current[scheduler]; w != nil && !w.over() && s.why(w) != counters.CauseBarrier {
		return []*referenceWarp{w}
	}
	s.current[scheduler] = nil
	other := func(w *referenceWarp) bool {
		return s.previous[scheduler] == nil || w.slot != s.previous[scheduler].slot
	}
	if slices.ContainsFunc(mine, func(w *referenceWarp) bool { return other(w) && s.why(w) == counters.CauseIssued }) {
		return slices.DeleteFunc(slices.Clone(mine), func(w *referenceWarp) bool { return !other(w) })
	}
	return mine
}

// switchAt notes the issue of the next instruction of w.
func (s *referenceSM) switchAt(scheduler int, w *referenceWarp) {
	in := &s.kernel.Instructions[w.path[w.at].index]
	every := in.Class == trace.ClassAtomic || in.Class == trace.ClassLoad || in.Class == trace.ClassStore
	missed := every && s.misses(&w.path[w.at], in.Space, w.slot)
	memory := in.Class == trace.ClassAtomic || in.Class == trace.ClassLoad
	memory = memory && in.Space == trace.SpaceGlobal
	branch := in.Class == trace.ClassBranch
	s.previous[scheduler], s.current[scheduler] = w, w
	switch s.machine.SM.WarpSwitch {
	case "mem":
		branch = false
	case "bra":
		memory = false
	case "mbr":
	case "mem-every":
		memory, branch = every, false
	case "mbr-every":
		memory = every
	case "mem-miss":
		memory, branch = missed, false
	case "mbr-miss":
		memory = missed
	case "all":
		memory = true
	default:
		memory, branch = false, false
	}
	if memory || branch {
		s.current[scheduler] = nil
	}
}

// filtered is a line of 32 bytes, of a space, and of a thread block's shared memory.
type filtered struct {
	space trace.Space
	group *referenceGroup
	line  uint64
}

// misses looks up the lines of an instruction's lanes in the last 192 that were used.
func (s *referenceSM) misses(st *step, space trace.Space, slot int) bool {
	missed := false
	for _, address := range st.addresses {
		l := filtered{space: space, line: address / 32}
		if space == trace.SpaceShared {
			l.group = s.warps[slot].group
		}
		at := slices.Index(s.filter, l)
		if at >= 0 {
			s.filter = slices.Delete(s.filter, at, at+1)
		} else {
			missed = true
		}
		s.filter = append(s.filter, l)
		s.filter = s.filter[max(0, len(s.filter)-192):]
	}
	return missed
}
