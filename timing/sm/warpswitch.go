// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"github.com/warptape/warptape/timing/sm/switching"
	"github.com/warptape/warptape/timing/sm/waiting"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
)

// warpSwitch keeps a scheduler with one warp until a trigger.
type warpSwitch struct {
	on      switching.Trigger
	holding bool   // the scheduler stays with warp last
	last    int    // that issued last, -1 at first
	age     uint64 // of warp last: slots are used again
}

// narrow gives which of a scheduler's warps may issue now: the one that it stays
// with, or after a trigger any, another than the last if one can. It does not stay
// with a warp that waits for what another one has to issue first: at a barrier, or held
// by an assistant.
func (x *warpSwitch) narrow(s *SM, own, candidates warpset.Set) warpset.Set {
	var last warpset.Set
	if x.last >= 0 {
		last = warpset.Of(x.last)
	}
	if x.holding {
		l := s.waiting.Of(x.last)
		x.holding = l != waiting.None && l != waiting.Barrier && s.ages[x.last] == x.age && !s.assistHeld.Has(x.last)
	}
	switch {
	case x.holding:
		return last
	case !candidates.And(own).AndNot(last).Empty():
		return own.AndNot(last)
	}
	return own
}

// issued tells that warp w has issued an instruction with the given triggers.
func (x *warpSwitch) issued(s *SM, w int, t switching.Trigger) {
	if x.on&switching.Miss != 0 && s.TakeMiss(w) {
		t |= switching.Miss
	}
	x.last, x.age, x.holding = w, s.ages[w], x.on&t == 0
}

// filter notes whether the memory instruction that warp w issues misses, where the
// machine's switch depends on it.
func (s *SM) filter(w int, a *laneAddresses, space trace.Space, mask uint32) {
	if s.misses == nil || mask == 0 {
		return
	}
	p := &s.warps[w]
	owner := uint32(s.residents.In(p.block).Block)
	if space == trace.SpaceLocal {
		owner = uint32(s.ages[w])
	}
	var addresses [trace.WarpSize]uint64
	a.chunk.Addresses(a.Access, mask, &addresses)
	p.missed = s.misses.Misses(&addresses, space, mask, owner) || p.missed
}

// TakeMiss reports whether a memory instruction that warp w has issued has missed since it
// was asked last.
func (s *SM) TakeMiss(w int) bool {
	missed := s.warps[w].missed
	s.warps[w].missed = false
	return missed
}

// NoteMiss lets warp w count as having missed: another slot has, which issues with it.
func (s *SM) NoteMiss(w int) { s.warps[w].missed = true }
