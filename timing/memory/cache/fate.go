// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/limits"
)

// fate is what has become of the lines of a cache, and of those that wanted to come in.
type fate struct {
	replaced uint64 // not zero: a line has made room for another
	dropped  bool   // a line has left without that
	refused  bool   // a line found no place
	ordered  bool   // where lines lie has decided something
}

// Uncertain says that what is in the cache depends on its size otherwise than by the
// places that lines find.
func (t *Tags) Uncertain() { t.fate.ordered = true }

// Certify says in which other caches all lines would have found a place, or nothing where
// some have not. A key of MSHRs has more readers in a cache that allocates on fill: its
// fill buffer.
func (t *Tags) Certify(c *limits.Certificate, section string, own *arch.Cache) {
	if t.fillBuffer.on && t.fate.refused {
		c.Refuse(section + ".mshrs")
	}
	h := &holding{cache: *own}
	if h.good = t.fate.replaced == 0 && !t.fate.refused && !t.fate.ordered; h.good && !t.fate.dropped {
		h.whole = true
		for i := range t.tags {
			if t.Present(i) {
				h.lines = append(h.lines, t.Address(i))
			}
		}
	}
	c.AddCache(section, h)
}

// holding is a cache in which no line has made room for another and every line has found a
// free place. Nothing then depends on the sets and the policy: another cache in which
// every line finds a free place answers all accesses in the same way.
type holding struct {
	cache arch.Cache
	good  bool
	whole bool     // no line has left: lines are all that ever came
	lines []uint64 // addresses
}

// SameAs implements limits.Contents.
func (h *holding) SameAs(other *arch.Cache) bool {
	return h.good && other.Bytes > 0 && (h.refines(other) || h.whole && h.fit(other))
}

// refines reports whether each set of another cache has lines of one set of this one only,
// and as many places: lines that leave, leave both.
func (h *holding) refines(other *arch.Cache) bool {
	own := &h.cache
	if other.Ways < own.Ways || other.Index != own.Index {
		return false
	}
	return other.Sets() == own.Sets() || indexOf(own.Index) == indexLinear && other.Sets()%own.Sets() == 0
}

// fit reports whether all lines together find places in the sets of another cache.
func (h *holding) fit(other *arch.Cache) bool {
	t := newIndexing(other)
	taken := make([]uint16, other.Sets())
	for _, line := range h.lines {
		n := &taken[t.set(line)/t.ways]
		if *n++; int(*n) > other.Ways {
			return false
		}
	}
	return true
}
