package sm

import (
	"math/bits"

	"github.com/warptape/warptape/timing/sm/waiting"
	"github.com/warptape/warptape/timing/warpset"
)

// Limiter is a Policy that lets only some of a scheduler's warps issue. Called
// again with nothing changed it gives the same.
type Limiter interface {
	Policy
	// Admit gives the warps that may issue now, of those present (a bit per slot
	// of a warp with instructions left). Of these, memory wait for a register
	// that a memory access writes, and held are held at a barrier or fence.
	Admit(present, memory, held uint64, ages *[warpset.Max]uint64) uint64
}

// twoLevel is loose round-robin among a small set of active warps. A warp that
// comes to wait for memory, a barrier or a fence leaves the set; the oldest of
// the others that does not wait takes its place (Gebhart et al., "Energy-efficient
// mechanisms for managing thread context in throughput processors", ISCA 2011;
// Narasiman et al., MICRO 2011).
type twoLevel struct {
	looseRoundRobin
	size   int
	active uint64
	since  [warpset.Max]uint64 // ages of the active warps: slots are used again
}

func newTwoLevel(size int) *twoLevel {
	return &twoLevel{looseRoundRobin: looseRoundRobin{last: warpset.Max - 1}, size: max(size, 1)}
}

// Admit implements Limiter.
func (p *twoLevel) Admit(present, memory, held uint64, ages *[warpset.Max]uint64) uint64 {
	able := present &^ (memory | held)
	for rest := p.active; rest != 0; rest &= rest - 1 {
		if w := bits.TrailingZeros64(rest); able>>w&1 == 0 || ages[w] != p.since[w] {
			p.active &^= 1 << w
		}
	}
	for free := p.size - bits.OnesCount64(p.active); free > 0 && able&^p.active != 0; free-- {
		w := oldestOf(able&^p.active, ages)
		p.active |= 1 << w
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
	return &warpLimit{greedyThenOldest: greedyThenOldest{last: warpset.Max - 1}, size: max(size, 1)}
}

// Admit implements Limiter.
func (p *warpLimit) Admit(present, _, held uint64, ages *[warpset.Max]uint64) uint64 {
	able := present &^ held
	if bits.OnesCount64(able) <= p.size {
		return able
	}
	var admitted uint64
	for range p.size {
		admitted |= 1 << oldestOf(able&^admitted, ages)
	}
	return admitted
}

// admit asks the limiter which of a scheduler's warps may issue.
func (s *SM) admit(p Limiter, own uint64) uint64 {
	l := &s.waiting
	set, extra := warpset.Set(own), s.residents.Extra()
	admitted := p.Admit(uint64(set.AndNot(l.On(waiting.None).Or(extra))), uint64(l.On(waiting.Memory)), uint64(l.On(waiting.Barrier).Or(l.On(waiting.Fence)).Or(s.assistHeld)), &s.ages)
	return admitted | uint64(extra.And(set)) // whom the others may wait for
}
