// SPDX-License-Identifier: Apache-2.0

package tinycache

import "math/bits"

// none is the index of nothing.
const none = int32(-1)

// entry is a line of a lane's cache.
type entry struct {
	line
	fill   int32 // the fetch that it waits for, none
	writer uint8 // warp slot of the last store
}

// laneCache is the cache of one lane: entries in sets, LRU in each. What is looked
// through lies apart from the rest.
type laneCache struct {
	entries []entry  // set by set
	keys    []uint64 // by entry, see keyOf; noKey when it is invalid
	used    []uint64 // by entry: when it was used last
	present uint64   // entries that are not invalid
	waiting uint64   // of these, that wait for a fetch
	recent  []uint8  // by set: the way that was used last
}

// noKey is no line's key: their numbers have fewer bits.
const noKey = ^uint64(0)

// shape is what the caches of an SM have in common.
type shape struct {
	ways, setMask int
	lineShift     uint
	all           uint64 // the half-words of a line
}

func newShape(s *Section) shape {
	halfWords := s.LineBytes / 2
	return shape{
		ways: s.Ways, setMask: s.Entries/s.Ways - 1, lineShift: uint(bits.TrailingZeros(uint(s.LineBytes))),
		all: ^uint64(0) >> (64 - halfWords),
	}
}

func newLaneCache(s *Section) laneCache {
	c := laneCache{
		entries: make([]entry, s.Entries), keys: make([]uint64, s.Entries), used: make([]uint64, s.Entries),
		recent: make([]uint8, s.Entries/s.Ways),
	}
	for i := range c.entries {
		c.entries[i].fill, c.keys[i] = none, noKey
	}
	return c
}

// find gives the place of a line, -1 when it is not there.
func (c *laneCache) find(h *shape, key uint64) int {
	set := int(key) & h.setMask
	first := set * h.ways
	if i := first + int(c.recent[set]); c.keys[i] == key {
		return i
	}
	for w, k := range c.keys[first : first+h.ways] {
		if k == key {
			c.recent[set] = uint8(w)
			return first + w
		}
	}
	return -1
}

// victim gives the place for a new line: an empty one or else the one that was
// used longest ago; -1 when all are on their way.
func (c *laneCache) victim(h *shape, key uint64) int {
	first := (int(key) & h.setMask) * h.ways
	ways := ^uint64(0) >> (64 - h.ways)
	if empty := ^(c.present >> first) & ways; empty != 0 {
		return first + bits.TrailingZeros64(empty)
	}
	best := -1
	for there := ^(c.waiting >> first) & ways; there != 0; there &= there - 1 {
		if i := first + bits.TrailingZeros64(there); best < 0 || c.used[i] < c.used[best] {
			best = i
		}
	}
	return best
}
