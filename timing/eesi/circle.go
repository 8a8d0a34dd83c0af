// SPDX-License-Identifier: Apache-2.0

package eesi

import "math/bits"

// circle is where lanes stand that go through warp sets each by itself (eesi-m). Those
// whose last warp set was the same stand together, and are looked at together.
type circle struct {
	lanes  [maxWarps]uint32 // by the warp set that they had last
	places uint64           // warp sets with an entry in lanes
}

// begin puts all lanes in front of the first warp set.
func (c *circle) begin() {
	*c = circle{}
	c.put(maxWarps-1, ^uint32(0))
}

// put has lanes stand at a warp set; take takes them from there.
func (c *circle) put(w int, lanes uint32) {
	if lanes != 0 {
		c.lanes[w] |= lanes
		c.places |= 1 << w
	}
}

func (c *circle) take(w int, lanes uint32) {
	if c.lanes[w] &^= lanes; c.lanes[w] == 0 {
		c.places &^= 1 << w
	}
}

// choose lets each lane among some choose the first warp set of a circle that has it in its row, from
// the one behind where it stands. Those that have a row with lanes are sets. It gives the
// lanes that have chosen. All lanes go through the circle together: first each through the
// warp sets behind its own, then through the others.
func (c *circle) choose(rows *[maxWarps]uint32, sets uint64, among uint32, to *choice) (chosen uint32) {
	look := uint32(0) // lanes that stand before a warp set and have not chosen
	left := (sets | c.places) &^ (c.places&-c.places - 1)
	for ; left != 0; left &= left - 1 {
		w := bits.TrailingZeros64(left) % maxWarps
		if of := rows[w] & look; of != 0 && sets>>w&1 != 0 {
			to.add(w, of)
			chosen |= of
			look &^= of
		}
		if c.places>>w&1 != 0 {
			look |= c.lanes[w] & among
		}
		if chosen == among {
			return chosen
		}
	}
	before := sets & (1<<bits.Len64(c.places) - 1) // up to where the last lanes stand
	for left = before; left != 0 && look != 0; left &= left - 1 {
		w := bits.TrailingZeros64(left) % maxWarps
		if of := rows[w] & look; of != 0 {
			to.add(w, of)
			chosen |= of
			look &^= of
		}
	}
	return chosen
}

// leave takes lanes from where they stand.
func (c *circle) leave(lanes uint32) {
	for left := c.places; left != 0; left &= left - 1 {
		c.take(bits.TrailingZeros64(left), lanes)
	}
}

// after gives the first of a set that comes after the last one in a circle, which itself
// comes at the end. The set is not empty.
func after(set uint64, last int) int {
	if above := set &^ (1<<(last+1) - 1); above != 0 {
		return bits.TrailingZeros64(above)
	}
	return bits.TrailingZeros64(set)
}

// choice is the warp sets that lanes have chosen, and which lanes have.
type choice struct {
	sets  []int
	lanes [maxWarps]uint32
}

func (c *choice) clear() {
	for _, w := range c.sets {
		c.lanes[w] = 0
	}
	c.sets = c.sets[:0]
}

func (c *choice) add(w int, lanes uint32) {
	if lanes == 0 {
		return
	}
	if c.lanes[w] == 0 {
		c.sets = append(c.sets, w)
	}
	c.lanes[w] |= lanes
}

// order puts the warp sets in the order of the lowest lanes that have chosen them.
func (c *choice) order() {
	for i := 1; i < len(c.sets); i++ {
		for k := i; k > 0 && lowest(c.lanes[c.sets[k]]) < lowest(c.lanes[c.sets[k-1]]); k-- {
			c.sets[k], c.sets[k-1] = c.sets[k-1], c.sets[k]
		}
	}
}
