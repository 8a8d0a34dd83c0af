// SPDX-License-Identifier: Apache-2.0

package eesi

import "math/bits"

// laneCounts is a small number for each lane, a bit of all lanes to the word: lanes count
// up and down together, however many they are.
type laneCounts [16]uint32

// add adds n to the numbers of lanes. They stay below 1<<16.
func (c *laneCounts) add(lanes uint32, n int) {
	carry := uint32(0)
	for i := 0; n>>i != 0 || carry != 0; i++ {
		more := uint32(0)
		if n>>i&1 != 0 {
			more = lanes
		}
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

// some are the lanes whose number is not zero.
func (c *laneCounts) some(below int) (lanes uint32) {
	for i := 0; below>>i != 0; i++ {
		lanes |= c[i]
	}
	return lanes
}

// above are the lanes whose number is larger than n, of numbers up to most.
func (c *laneCounts) above(n, most int) (lanes uint32) {
	if n < 0 {
		return ^uint32(0)
	}
	same := ^uint32(0)
	for i := bits.Len(uint(max(n, most))) - 1; i >= 0; i-- {
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

// below is the number of a lane, which is at most most.
func (c *laneCounts) below(lane, most int) (n int) {
	for i := 0; most>>i != 0; i++ {
		n |= int(c[i]>>lane&1) << i
	}
	return n
}

// equal are the lanes whose number is n, of numbers up to most.
func (c *laneCounts) equal(n, most int) uint32 {
	lanes := ^uint32(0)
	for i := range bits.Len(uint(most)) {
		if n>>i&1 != 0 {
			lanes &= c[i]
		} else {
			lanes &^= c[i]
		}
	}
	return lanes
}
