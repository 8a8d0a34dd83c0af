// SPDX-License-Identifier: Apache-2.0

package mta

import "math/bits"

// none is the index of nothing.
const none = int32(-1)

// lineState is what is known of a line of the buffer.
type lineState uint8

const (
	empty   lineState = iota
	pending           // on its way
	// void: on its way, and not wanted any more when it comes
	void
	present
)

// entry is a line of the prefetch buffer.
type entry struct {
	line    uint64 // address
	touched uint64 // when, for LRU
	waiting int32  // the first of the loads that wait for it, none
	state   lineState
	useful  bool // a load has wanted it
}

// buffer is the prefetch buffer of an SM: lines in sets, LRU in each.
type buffer struct {
	entries   []entry // set by set
	ways      int
	setMask   uint64
	lineShift uint
	tick      uint64
	pending   int // entries on their way, also void ones
}

func newBuffer(bytes, ways, lineBytes int) buffer {
	n := bytes / lineBytes
	b := buffer{entries: make([]entry, n), ways: ways, setMask: uint64(n/ways - 1), lineShift: uint(bits.TrailingZeros(uint(lineBytes)))}
	for i := range b.entries {
		b.entries[i].waiting = none
	}
	return b
}

func (b *buffer) set(line uint64) int { return int(line>>b.lineShift&b.setMask) * b.ways }

// find gives the place of a line, none when it is neither there nor wanted.
func (b *buffer) find(line uint64) int32 {
	first := b.set(line)
	for i := first; i < first+b.ways; i++ {
		if e := &b.entries[i]; e.line == line && (e.state == present || e.state == pending) {
			return int32(i)
		}
	}
	return none
}

// touch makes an entry the one of its set that was used last.
func (b *buffer) touch(i int32) {
	b.tick++
	b.entries[i].touched = b.tick
}

// victim gives the place for a line: an empty one or else the one that was used
// longest ago; none when all are on their way.
func (b *buffer) victim(line uint64) int32 {
	first := b.set(line)
	best := none
	for i := first; i < first+b.ways; i++ {
		switch e := &b.entries[i]; {
		case e.state == empty:
			return int32(i)
		case e.state == present && (best == none || e.touched < b.entries[best].touched):
			best = int32(i)
		}
	}
	return best
}

// await puts a line that has been asked for in a place.
func (b *buffer) await(i int32, line uint64) {
	b.tick++
	b.entries[i] = entry{line: line, touched: b.tick, waiting: none, state: pending}
	b.pending++
}

// arrive makes the entry of a line that was on its way present, or empty when the entry has
// become void meanwhile.
func (b *buffer) arrive(i int32) {
	e := &b.entries[i]
	b.pending--
	if e.state == void {
		e.state = empty
	} else {
		e.state = present
	}
}
