package gpu

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
	case "all":
		memory = true
	default:
		memory, branch = false, false
	}
	if memory || branch {
		s.current[scheduler] = nil
	}
}
