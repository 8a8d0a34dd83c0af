// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"github.com/warptape/warptape/timing/sm/waiting"
	"github.com/warptape/warptape/timing/warpset"
)

// Limiter is a Policy that lets only some of a scheduler's warps issue. Called
// again with nothing changed it gives the same.
type Limiter interface {
	Policy
	// Admit gives the warps that may issue now, of those present (those
	// with instructions left). Of these, memory wait for a register
	// that a memory access writes, and held are held at a barrier or fence.
	Admit(present, memory, held warpset.Set, ages *Ages) warpset.Set
}

// twoLevel is loose round-robin among a small set of active warps. A warp that comes to
// wait for memory, a barrier or a fence leaves the set. The oldest other one that does
// not wait takes its place (Gebhart et al., "Energy-efficient mechanisms for managing
// thread context in throughput processors", ISCA 2011; Narasiman et al., MICRO 2011).
type twoLevel struct {
	looseRoundRobin
	size   int
	active warpset.Set
	since  Ages // ages of the active warps: slots are used again
}

func newTwoLevel(size int) *twoLevel {
	return &twoLevel{looseRoundRobin: looseRoundRobin{last: warpset.Max - 1}, size: max(size, 1)}
}

// Admit implements Limiter.
func (p *twoLevel) Admit(present, memory, held warpset.Set, ages *Ages) warpset.Set {
	able := present.AndNot(memory.Or(held))
	for rest := p.active; !rest.Empty(); rest = rest.Rest() {
		if w := rest.Lowest(); !able.Has(w) || ages[w] != p.since[w] {
			p.active = p.active.Without(w)
		}
	}
	for free := p.size - p.active.Count(); free > 0 && !able.AndNot(p.active).Empty(); free-- {
		w := oldestOf(able.AndNot(p.active), ages)
		p.active = p.active.With(w)
		p.since[w] = ages[w]
	}
	return p.active
}

// warpLimit is greedy-then-oldest among the oldest warps only, so that fewer
// share the caches (static wavefront limiting: Rogers et al., "Cache-conscious
// wavefront scheduling", MICRO 2012). Warps held at a barrier or fence do not
// count: what they wait for may be a younger one.
type warpLimit struct {
	greedyThenOldest
	size int
}

func newWarpLimit(size int) *warpLimit {
	return &warpLimit{size: max(size, 1)}
}

// Admit implements Limiter.
func (p *warpLimit) Admit(present, _, held warpset.Set, ages *Ages) warpset.Set {
	able := present.AndNot(held)
	if able.Count() <= p.size {
		return able
	}
	var admitted warpset.Set
	for range p.size {
		admitted = admitted.With(oldestOf(able.AndNot(admitted), ages))
	}
	return admitted
}

// strictRoundRobin lets the next warp alone issue, and waits for it. Warps held at a barrier
// or fence are passed: what they wait for may be another one.
type strictRoundRobin struct{ looseRoundRobin }

// Admit implements Limiter.
func (p *strictRoundRobin) Admit(present, _, held warpset.Set, _ *Ages) warpset.Set {
	able := present.AndNot(held)
	if able.Empty() {
		return able
	}
	return warpset.Of(able.After(p.last))
}

// admit asks the limiter which of a scheduler's warps may issue.
func (s *SM) admit(p Limiter, own warpset.Set) warpset.Set {
	l, extra := &s.waiting, s.residents.Extra()
	present := own.AndNot(l.On(waiting.None)).AndNot(extra)
	held := l.On(waiting.Barrier).Or(l.On(waiting.Fence)).Or(s.assistHeld)
	return p.Admit(present, l.On(waiting.Memory), held, &s.ages).Or(extra.And(own)) // those that the others may wait for
}
