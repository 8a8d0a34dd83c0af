// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"math/bits"

	"github.com/warptape/warptape/timing/coherence"
)

// lines is the state of a private cache: set-associative, LRU. Lines are named by
// their place; none is one that is not there.
type lines struct {
	ways   int
	mask   uint64 // of sets
	shift  uint   // log2 of the line's bytes
	tags   []uint64
	used   []uint64 // time of last use
	states []State
	ready  []Cycle // from when the data are there
	locked []bool  // the core waits for the right to write it
	clock  uint64
}

const none = -1

// present marks a tag as taken; line addresses have their low bits free.
const present = 1

func newLines(c PrivateCache, lineBytes int) *lines {
	n := c.Bytes / lineBytes
	return &lines{
		ways: c.Ways, mask: uint64(n/c.Ways - 1), shift: uint(bits.TrailingZeros(uint(lineBytes))),
		tags: make([]uint64, n), used: make([]uint64, n), states: make([]State, n), ready: make([]Cycle, n), locked: make([]bool, n),
	}
}

// find is the place of a line.
func (l *lines) find(line uint64) int {
	first := int(line>>l.shift&l.mask) * l.ways
	want := line | present
	for i, tag := range l.tags[first : first+l.ways] {
		if tag == want {
			return first + i
		}
	}
	return none
}

// use makes a line the youngest of its set.
func (l *lines) use(i int) {
	l.clock++
	l.used[i] = l.clock
}

// victim is the place for a new line: a free one, or the least recently used that is
// not locked, or, when all are, the least recently used.
func (l *lines) victim(line uint64) int {
	first := int(line>>l.shift&l.mask) * l.ways
	best := first
	for i := first; i < first+l.ways; i++ {
		if l.tags[i] == 0 {
			return i
		}
		if l.locked[best] && !l.locked[i] || l.locked[best] == l.locked[i] && l.used[i] < l.used[best] {
			best = i
		}
	}
	return best
}

// put writes a line to a place as its youngest.
func (l *lines) put(i int, line uint64, s State, ready Cycle) {
	l.tags[i], l.states[i], l.ready[i], l.locked[i] = line|present, s, ready, false
	l.use(i)
}

// drop empties a place.
func (l *lines) drop(i int) { l.tags[i], l.states[i], l.locked[i] = 0, coherence.Invalid, false }

// held reports whether a place holds a line.
func (l *lines) held(i int) bool { return l.tags[i] != 0 }

// address is the line at a place that holds one.
func (l *lines) address(i int) uint64 { return l.tags[i] &^ present }
