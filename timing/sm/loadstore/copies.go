// SPDX-License-Identifier: Apache-2.0

package loadstore

import "slices"

// Copies are a thread block's bulk copies under way that complete an mbarrier, and the
// warps that wait for them.
type Copies struct {
	pending []pendingCopy
	waiting []waitingWarp
	given   uint32 // numbers, from 1
}

// Copy is a bulk copy that completes an mbarrier.
type Copy struct {
	Barrier uint64 // its address
	Blocks  uint16 // ranks of the thread blocks to which it goes; none: that of the address
	Bytes   uint32 // that it takes off the tx-count of each
}

type pendingCopy struct {
	number uint32
	copied Copy
}

type waitingWarp struct {
	warp    int
	barrier uint64
}

// Reset forgets everything: another thread block begins.
func (c *Copies) Reset() { *c = Copies{pending: c.pending[:0], waiting: c.waiting[:0]} }

// Start notes a copy that completes an mbarrier, and gives its number, never 0.
func (c *Copies) Start(copied Copy) uint32 {
	c.given++
	c.pending = append(c.pending, pendingCopy{c.given, copied})
	return c.given
}

// Await has warp w wait until no copy that completes an mbarrier is under way; false
// when none is.
func (c *Copies) Await(w int, barrier uint64) bool {
	if !c.underWay(barrier) {
		return false
	}
	c.waiting = append(c.waiting, waitingWarp{w, barrier})
	return true
}

func (c *Copies) underWay(barrier uint64) bool {
	return slices.ContainsFunc(c.pending, func(p pendingCopy) bool { return p.copied.Barrier == barrier })
}

// Finish ends a copy, which it gives, and tells resume, in the order in which they came, of the
// warps that no copy holds any more.
func (c *Copies) Finish(number uint32, resume func(w int)) Copy {
	i := slices.IndexFunc(c.pending, func(p pendingCopy) bool { return p.number == number })
	copied := c.pending[i].copied
	barrier := copied.Barrier
	c.pending = slices.Delete(c.pending, i, i+1)
	if c.underWay(barrier) {
		return copied
	}
	kept := c.waiting[:0]
	for _, x := range c.waiting {
		if x.barrier != barrier {
			kept = append(kept, x)
			continue
		}
		resume(x.warp)
	}
	c.waiting = kept
	return copied
}
