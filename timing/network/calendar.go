// SPDX-License-Identifier: Apache-2.0

package network

import "math/bits"

// calendar says in which of the cycles to come outputs have an arrival. It is a
// wheel of sets of outputs, so that a cycle costs what arrives in it and not what
// is on its way.
type calendar struct {
	words int      // of a slot
	mask  int      // the number of slots, a power of two, less one
	slots []uint64 // slot cycle & mask is that of a cycle
	used  bitset   // slots that are not empty
	due   int64    // the first cycle with an arrival, Never without one
}

func newCalendar(outputs, farthest int) calendar {
	c := calendar{words: len(newBitset(outputs)), due: Never}
	c.resize(farthest)
	return c
}

// resize makes an empty calendar that reaches so many cycles ahead.
func (c *calendar) resize(farthest int) {
	size := 64
	for size <= farthest {
		size *= 2
	}
	c.slots, c.used, c.mask = make([]uint64, size*c.words), newBitset(size), size-1
}

// beyond reports whether the calendar has to grow for an arrival in a cycle.
func (c *calendar) beyond(now, cycle int64) bool { return int(cycle-now) > c.mask }

// add notes an arrival in a cycle that is not beyond the calendar.
func (c *calendar) add(cycle int64, output int) {
	slot := int(cycle) & c.mask
	c.slots[slot*c.words+output>>6] |= 1 << (output & 63)
	c.used.set(slot)
	c.due = min(c.due, cycle)
}

// grow makes room for an arrival in a cycle.
func (c *calendar) grow(now, cycle int64) {
	before := *c
	c.resize(int(cycle - now))
	for ; before.due != Never; before.done() {
		slot := int(before.due) & c.mask
		for w := range c.words {
			c.slots[slot*c.words+w] = before.take(w)
		}
		c.used.set(slot)
	}
}

// take takes out the outputs, 64 w and the following 63, with an arrival in the cycle
// due.
func (c *calendar) take(w int) uint64 {
	word := &c.slots[(int(c.due)&c.mask)*c.words+w]
	outputs := *word
	*word = 0
	return outputs
}

// done goes on from the cycle due, from which all has been taken, to the next.
func (c *calendar) done() {
	slot := int(c.due) & c.mask
	c.used.clear(slot)
	if len(c.used) == 1 {
		ahead := bits.RotateLeft64(c.used[0], -slot)
		if ahead == 0 {
			c.due = Never
		} else {
			c.due += int64(bits.TrailingZeros64(ahead))
		}
		return
	}
	if i := c.used.from(slot); i < 0 {
		c.due = Never
	} else {
		c.due += int64((i - slot) & c.mask)
	}
}
