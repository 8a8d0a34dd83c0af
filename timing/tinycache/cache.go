package tinycache

import "math/bits"

// none is the index of nothing.
const none = int32(-1)

// entry is a line of a lane's cache.
type entry struct {
	line
	key    uint64 // see keyOf
	used   uint64 // when it was used last
	fill   int32  // the fetch that it waits for, none
	writer uint8  // warp slot of the last store
}

// laneCache is the cache of one lane: entries in sets, LRU in each.
type laneCache struct {
	entries []entry // set by set
	present uint64  // entries that are not invalid
	recent  []uint8 // by set: the way that was used last
}

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
	c := laneCache{entries: make([]entry, s.Entries), recent: make([]uint8, s.Entries/s.Ways)}
	for i := range c.entries {
		c.entries[i].fill = none
	}
	return c
}

// find gives the place of a line, -1 when it is not there.
func (c *laneCache) find(h *shape, key uint64) int {
	set := int(key) & h.setMask
	first := set * h.ways
	if i := first + int(c.recent[set]); c.entries[i].key == key && c.entries[i].state != invalid {
		return i
	}
	ways := c.entries[first : first+h.ways]
	for w := range ways {
		if ways[w].key == key && ways[w].state != invalid {
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
	best := -1
	for i := first; i < first+h.ways; i++ {
		e := &c.entries[i]
		if e.state == invalid {
			return i
		}
		if e.fill == none && (best < 0 || e.used < c.entries[best].used) {
			best = i
		}
	}
	return best
}
