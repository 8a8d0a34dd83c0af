// SPDX-License-Identifier: Apache-2.0

package loadstore

// Behind are a warp's arrivals at mbarriers that wait for its copies before them
// (cp.async.mbarrier.arrive, PTX ISA 9.7.13.15.15).
type Behind struct {
	started, underWay uint32 // copies
	arrivals          []arrival
}

// arrival is one that waits for copies.
type arrival struct {
	place  uint64
	count  int64
	before uint32 // copies that had started
	left   uint32 // of these, under way
}

// Reset forgets everything: another warp begins.
func (b *Behind) Reset() { *b = Behind{arrivals: b.arrivals[:0]} }

// Start notes a copy, and gives its number.
func (b *Behind) Start() (number uint32) {
	b.started++
	b.underWay++
	return b.started - 1
}

// Arrive has arrivals at an mbarrier wait for the copies under way; false when there are none.
func (b *Behind) Arrive(place uint64, count int64) bool {
	if b.underWay == 0 {
		return false
	}
	b.arrivals = append(b.arrivals, arrival{place, count, b.started, b.underWay})
	return true
}

// Finish ends a copy, and tells arrive, in their order, of the arrivals that wait for no copy
// any more.
func (b *Behind) Finish(number uint32, arrive func(place uint64, count int64)) {
	b.underWay--
	kept := b.arrivals[:0]
	for _, a := range b.arrivals {
		if number < a.before {
			a.left--
		}
		if a.left == 0 {
			arrive(a.place, a.count)
			continue
		}
		kept = append(kept, a)
	}
	b.arrivals = kept
}
