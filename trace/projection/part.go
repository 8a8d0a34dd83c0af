// SPDX-License-Identifier: Apache-2.0

package projection

import (
	"math/bits"

	"github.com/warptape/warptape/trace"
)

// part is a recorded warp with some lanes in the hardware warp.
type part struct {
	warp trace.Warp
	// guards and accesses hold, per recorded visit, the place of its first one.
	guards, accesses []int32
	lanes            uint32 // recorded lanes of the hardware warp that execute something
	// next is each lane's next recorded visit.
	next [trace.WarpSize]int32
}

func (p *part) open(plan *Plan, w trace.Warp, lanes uint32) {
	p.warp = w
	p.guards, p.accesses = p.guards[:0], p.accesses[:0]
	guards, accesses, seen := int32(0), int32(0), uint32(0)
	for v, id := range w.Blocks {
		p.guards, p.accesses = append(p.guards, guards), append(p.accesses, accesses)
		b := &plan.blocks[id]
		guards += b.guards
		accesses += int32(len(b.memory))
		seen |= w.Masks[v]
	}
	p.lanes = seen & lanes
	for v, rest := -1, p.lanes; rest != 0; {
		var hit uint32
		if v, hit = p.following(v, rest); v < 0 {
			return
		}
		rest &^= hit
	}
}

// following finds the first visit after v that has some of the lanes, and moves
// those there; -1 when there is none.
func (p *part) following(v int, lanes uint32) (visit int, moved uint32) {
	masks := p.warp.Masks
	for v++; v < len(masks); v++ {
		hit := lanes & masks[v]
		if hit == 0 {
			continue
		}
		for m := hit; m != 0; m &= m - 1 {
			p.next[bits.TrailingZeros32(m)] = int32(v)
		}
		return v, hit
	}
	return -1, 0
}

// together are the lanes whose next visit is that of the lowest of them.
func (p *part) together(lanes uint32) (visit int32, same uint32) {
	visit = p.next[bits.TrailingZeros32(lanes)]
	for m := lanes; m != 0; m &= m - 1 {
		if l := bits.TrailingZeros32(m); p.next[l] == visit {
			same |= 1 << l
		}
	}
	return visit, same
}
