// SPDX-License-Identifier: Apache-2.0

package replacement

import "math/bits"

// order replaces the way with the oldest time: that of its last use for LRU, of its
// insertion for FIFO. It is the obvious form of both.
type order struct {
	ways   int
	time   []uint64 // by set and way
	clock  uint64
	onUses bool
}

func newLRU(sets, ways int, _ uint64) Policy {
	return &order{ways: ways, time: make([]uint64, sets*ways), onUses: true}
}

func newFIFO(sets, ways int, _ uint64) Policy {
	return &order{ways: ways, time: make([]uint64, sets*ways)}
}

func (o *order) Insert(set, way int) {
	o.clock++
	o.time[set*o.ways+way] = o.clock
}

func (o *order) Use(set, way int) {
	if o.onUses {
		o.Insert(set, way)
	}
}

func (o *order) Victim(set int, candidates uint64) int {
	best := bits.TrailingZeros64(candidates)
	for m := candidates; m != 0; m &= m - 1 {
		if way := bits.TrailingZeros64(m); o.time[set*o.ways+way] < o.time[set*o.ways+best] {
			best = way
		}
	}
	return best
}
