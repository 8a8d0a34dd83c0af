// SPDX-License-Identifier: Apache-2.0

package eesi

import "math/bits"

// laneCounts is a small number for each lane, a bit of all lanes to the word: lanes count
// up and down together, however many they are.
type laneCounts [16]uint32

// sizeOf is how many words numbers up to most take.
func sizeOf(most int) int { return bits.Len(uint(most)) }

// add adds n to the numbers of lanes. They stay below 1<<16.
func (c *laneCounts) add(lanes uint32, n int) {
	carry := uint32(0)
	left := uint(n)
	for i := 0; left != 0 || carry != 0; i++ {
		more := lanes & -uint32(left&1)
		left >>= 1
		was := c[i]
		c[i] = was ^ more ^ carry
		carry = was&more | carry&(was^more)
	}
}

// take takes one from the numbers of lanes, which are not zero.
func (c *laneCounts) take(lanes uint32) {
	for i := 0; lanes != 0; i++ {
		c[i] ^= lanes
		lanes &= c[i] // it was zero: borrow from the next
	}
}

// some are the lanes whose number is not zero, of numbers of a size.
func (c *laneCounts) some(size int) (lanes uint32) {
	for _, word := range c[:size] {
		lanes |= word
	}
	return lanes
}

// above are the lanes whose number is larger than n, of numbers of a size.
func (c *laneCounts) above(n, size int) (lanes uint32) {
	switch {
	case n < 0:
		return ^uint32(0)
	case n == 0:
		return c.some(size)
	case n>>size != 0:
		return 0
	}
	same := ^uint32(0)
	for i := size - 1; i >= 0; i-- {
		if n>>i&1 != 0 {
			same &= c[i]
		} else {
			lanes |= same & c[i]
			same &^= c[i]
		}
	}
	return lanes
}

// of is the number of a lane.
func (c *laneCounts) of(lane int) (n int) {
	for i, word := range c {
		n |= int(word>>lane&1) << i
	}
	return n
}

// below is the number of a lane, of numbers of a size.
func (c *laneCounts) below(lane, size int) (n int) {
	for i, word := range c[:size] {
		n |= int(word>>lane&1) << i
	}
	return n
}

// equal are the lanes whose number is n, of numbers of a size.
func (c *laneCounts) equal(n, size int) uint32 {
	lanes := ^uint32(0)
	for i, word := range c[:size] {
		lanes &= word ^ (uint32(n>>i&1) - 1)
	}
	return lanes
}
