// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm/waiting"
	"github.com/warptape/warptape/timing/warpset"
)

// watch is what an SM keeps for a watcher: nil on SMs without one.
type watch struct {
	to     seam.Watcher
	issued warpset.Set // warps that have issued in the present cycle
	shown  [warpset.Max]seam.WarpSlot
}

// newWatch gives the watch of an SM.
func newWatch(sm int, to seam.Watcher) *watch {
	if to == nil || !to.Watches(sm) {
		return nil
	}
	v := &watch{to: to}
	for w := range v.shown {
		v.shown[w] = seam.WarpSlot{SM: sm, Warp: w, Instruction: seam.NoInstruction}
	}
	return v
}

// Watched tells the watcher, if there is one, what every warp does in the cycle
// now, after the front end has run.
func (s *SM) Watched(now clock.Cycle) {
	v := s.watch
	if v == nil {
		return
	}
	for w := range s.warps {
		is := s.warpSlot(w)
		if is != v.shown[w] {
			v.shown[w] = is
			v.to.Warp(now, is)
		}
	}
	v.issued = warpset.Set{}
}

// warpSlot is what warp w does in the present cycle.
func (s *SM) warpSlot(w int) seam.WarpSlot {
	is := seam.WarpSlot{SM: s.id, Warp: w, Instruction: seam.NoInstruction}
	p := &s.warps[w]
	switch {
	case s.watch.issued.Has(w):
		is.State = seam.WarpIssues
	case !s.residents.Present().Has(w):
	case p.finished:
		is.State = seam.WarpDrains
	default:
		is.State, is.Instruction = s.waitState(w), p.index
		if p.hold != holdNone {
			is.Instruction = p.heldAt
		}
	}
	return is
}

// waitState is what a warp with instructions left waits for.
func (s *SM) waitState(w int) seam.WarpState {
	switch s.waiting.Of(w) {
	case waiting.Unit:
		return seam.WarpCompute
	case waiting.Memory:
		return seam.WarpMemory
	case waiting.Fetch:
		return seam.WarpFetch
	case waiting.Fence:
		return seam.WarpFence
	case waiting.Barrier:
		return seam.WarpBarrier
	}
	return seam.WarpReady
}

// at is the instruction at which warp w is, or is held.
func (s *SM) at(w int) uint32 {
	p := &s.warps[w]
	if p.hold != holdNone {
		return p.heldAt
	}
	return p.index
}
