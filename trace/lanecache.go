package trace

// laneCache remembers where recent (base, shape, mask) of a stream lie among the
// lane addresses. Tiled kernels read the same shared-memory patterns from every
// thread block, so most such accesses need no new memory. Direct-mapped.
type laneCache struct {
	entries []laneCacheEntry
	used    bool
}

type laneCacheEntry struct {
	base  uint64
	mask  uint32
	shape int32
	lanes int32 // -1: free
}

const laneCacheBits = 6

func (c *laneCache) slot(base uint64, shape int32) *laneCacheEntry {
	return &c.entries[(base^uint64(shape)<<40)*hashFactor>>(64-laneCacheBits)]
}

func (c *laneCache) find(base uint64, shape int32, mask uint32) (lanes int32, ok bool) {
	if !c.used {
		return 0, false
	}
	e := c.slot(base, shape)
	return e.lanes, e.lanes >= 0 && e.base == base && e.shape == shape && e.mask == mask
}

func (c *laneCache) add(base uint64, shape int32, mask uint32, lanes int32) {
	if !c.used {
		c.clear()
	}
	*c.slot(base, shape) = laneCacheEntry{base, mask, shape, lanes}
}

func (c *laneCache) clear() {
	if c.entries == nil {
		c.entries = make([]laneCacheEntry, 1<<laneCacheBits)
	}
	for i := range c.entries {
		c.entries[i].lanes = -1
	}
	c.used = true
}
