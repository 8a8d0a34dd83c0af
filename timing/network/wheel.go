// SPDX-License-Identifier: Apache-2.0

package network

import "math/bits"

// wheel holds what arrives in the cycles to come: slot c modulo its size holds
// that of cycle c. Nothing is farther ahead than its size.
type wheel struct {
	slots []slot
	used  bitset
}

// slot is what arrives in one cycle.
type slot struct {
	flits   []flitArrival
	credits []int32 // output virtual channels, or ^ of a source's
	tails   []uint32
}

// flitArrival is a flit that may compete in the cycle of its slot.
type flitArrival struct {
	vc   int32 // input virtual channel
	flit flit
}

// newWheel makes a wheel that reaches so many cycles ahead; ports is the number
// of flits, and of credits, that a cycle can bring, outputs that of tails.
func newWheel(farthest, ports, outputs int) wheel {
	size := 2
	for size <= farthest {
		size *= 2
	}
	w := wheel{slots: make([]slot, size), used: newBitset(size)}
	for i := range w.slots {
		w.slots[i] = slot{flits: make([]flitArrival, 0, ports), credits: make([]int32, 0, ports), tails: make([]uint32, 0, outputs)}
	}
	return w
}

// at is the slot of a cycle to come; written follows when all has been put in.
func (w *wheel) at(cycle int64) *slot { return &w.slots[int(cycle)&(len(w.slots)-1)] }

// written notes whether something arrives in a cycle.
func (w *wheel) written(cycle int64, s *slot) {
	if len(s.flits)+len(s.credits)+len(s.tails) > 0 {
		w.used.set(int(cycle) & (len(w.slots) - 1))
	}
}

// take gives the slot of a cycle, which the caller empties; nil when nothing
// arrives.
func (w *wheel) take(cycle int64) *slot {
	i := int(cycle) & (len(w.slots) - 1)
	if !w.used.has(i) {
		return nil
	}
	w.used.clear(i)
	return &w.slots[i]
}

// next is the first cycle after now in which something arrives.
func (w *wheel) next(now int64) int64 {
	start := int(now+1) & (len(w.slots) - 1)
	i := w.used.from(start)
	if i < 0 {
		return Never
	}
	return now + 1 + int64((i-start)&(len(w.slots)-1))
}

// firstFrom is the first set bit of m at or after start, going round once; m
// must not be zero.
func firstFrom(m uint64, start uint8) uint8 {
	return (uint8(bits.TrailingZeros64(bits.RotateLeft64(m, -int(start)))) + start) & 63
}
