// SPDX-License-Identifier: Apache-2.0

package lanecode

import "github.com/warptape/warptape/trace/internal/columns"

// Cache remembers where recent (base, shape, mask) of a stream lie among the
// lane addresses. Tiled kernels read the same shared-memory patterns from every
// thread block, so most such accesses need no new memory. Direct-mapped.
type Cache struct {
	entries []laneCacheEntry
	Used    bool
}

type laneCacheEntry struct {
	base  uint64
	mask  uint32
	shape int32
	lanes int32 // -1: free
}

const laneCacheBits = 6

func (c *Cache) slot(base uint64, shape int32) *laneCacheEntry {
	return &c.entries[(base^uint64(shape)<<40)*columns.HashFactor>>(64-laneCacheBits)]
}

func (c *Cache) Find(base uint64, shape int32, mask uint32) (lanes int32, ok bool) {
	if !c.Used {
		return 0, false
	}
	e := c.slot(base, shape)
	return e.lanes, e.lanes >= 0 && e.base == base && e.shape == shape && e.mask == mask
}

func (c *Cache) Add(base uint64, shape int32, mask uint32, lanes int32) {
	if !c.Used {
		c.clear()
	}
	*c.slot(base, shape) = laneCacheEntry{base, mask, shape, lanes}
}

func (c *Cache) clear() {
	if c.entries == nil {
		c.entries = make([]laneCacheEntry, 1<<laneCacheBits)
	}
	for i := range c.entries {
		c.entries[i].lanes = -1
	}
	c.Used = true
}
