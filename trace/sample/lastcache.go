package sample

// lastCache is a cache like a GPU's last one, of which one line in lineSampling is
// looked at. It is direct-mapped by the hash of a line, and thread blocks come one
// after the other: it is to tell whether a slice of a machine, with its share of the
// cache, misses as often as the machine, not how often that is.
type lastCache struct {
	tags   []uint64
	misses uint64
}

// mostCacheBytes bounds the memory of the tags: no GPU's last cache is larger.
const mostCacheBytes = 1 << 30

// newLastCache is a cache of so many bytes.
func newLastCache(bytes uint64) lastCache {
	return lastCache{tags: make([]uint64, max(1, min(bytes, mostCacheBytes)/lineBytes/lineSampling))}
}

// touch counts a miss when the line of this hash is not the last one at its place.
func (c *lastCache) touch(hash uint64) {
	if tag := &c.tags[hash%uint64(len(c.tags))]; *tag != hash {
		*tag = hash
		c.misses++
	}
}

// take is the number of misses, of all lines, since the last call.
func (c *lastCache) take() float64 {
	n := c.misses
	c.misses = 0
	return lineSampling * float64(n)
}
