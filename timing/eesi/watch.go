// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
)

// watch is what a core keeps for a watcher; nil without one.
type watch struct {
	to    seam.Watcher
	shown []seam.WarpSlot
}

func newWatch(sm, slots int, to seam.Watcher) *watch {
	if to == nil || !to.Watches(sm) {
		return nil
	}
	v := &watch{to: to}
	for w := range slots {
		v.shown = append(v.shown, seam.WarpSlot{SM: sm, Warp: w, Instruction: seam.NoInstruction})
	}
	return v
}

// Watched implements core.Core. A warp set is shown by its lowest lane with instructions
// left.
func (s *laneCore) Watched(now clock.Cycle) {
	v := s.watch
	if v == nil {
		return
	}
	for w := range s.warps {
		if is := s.warpSlot(w); is != v.shown[w] {
			v.shown[w] = is
			v.to.Warp(now, is)
		}
	}
}

// states says how causes are shown.
var states = map[counters.Cause]seam.WarpState{
	counters.CauseIssued: seam.WarpReady, counters.CauseUnit: seam.WarpReady, counters.CauseLSU: seam.WarpReady, counters.CauseFetch: seam.WarpFetch,
	counters.CauseMemory: seam.WarpMemory, counters.CauseCompute: seam.WarpCompute, counters.CauseBarrier: seam.WarpBarrier, counters.CauseFence: seam.WarpFence,
}

// warpSlot is what a warp set does.
func (s *laneCore) warpSlot(w int) seam.WarpSlot {
	is := seam.WarpSlot{SM: s.id, Warp: w, Instruction: seam.NoInstruction}
	p := &s.warps[w]
	switch {
	case !s.residents.Present().Has(w):
	case p.live == 0:
		is.State = seam.WarpDrains
	default:
		b := s.blame(w, lowest(p.live))
		is.State, is.Instruction = states[b.Cause], b.Instruction
	}
	return is
}
