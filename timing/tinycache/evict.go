// SPDX-License-Identifier: Apache-2.0

package tinycache

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// evict empties an entry; its dirty half-words join what is written back.
func (p *port) evict(lane, i int) {
	c := &p.caches[lane]
	e := &c.entries[i]
	key := c.keys[i]
	c.present &^= 1 << i
	c.waiting &^= 1 << i
	e.fill, c.keys[i] = none, noKey
	if dirty := e.replace(); dirty != 0 {
		p.count(countLineEviction, 1)
		p.evicted.add(key, dirty, e.writer, words(dirty))
	}
}

// evictKey empties the entry of a line when there is one.
func (p *port) evictKey(lane int, key uint64) {
	if i := p.caches[lane].find(&p.shape, key); i >= 0 {
		p.evict(lane, i)
	}
}

// writeBack sends what evictions have gathered.
func (p *port) writeBack() {
	if len(p.evicted.parts) == 0 {
		return
	}
	p.count(countMergedEviction, len(p.evicted.parts))
	p.send(&p.evicted, seam.MemoryAccess{Class: trace.ClassStore, Token: seam.NoToken})
}

// flush evicts everything. Each lane reads out a dirty line a cycle, all lanes at
// the same time; the entry is closed meanwhile.
func (p *port) flush(now clock.Cycle) {
	p.after = now + p.latency
	longest, dirty := 0, [lanes]int{}
	// By place, then by lane: lanes have the same line at the same place, mostly.
	var any uint64
	for lane := range p.caches {
		any |= p.caches[lane].present
	}
	if any == 0 {
		return
	}
	for ; any != 0; any &= any - 1 {
		i := bits.TrailingZeros64(any)
		for lane := range p.caches {
			if p.caches[lane].present>>i&1 == 0 {
				continue
			}
			if s := p.caches[lane].entries[i].state; s == dirtyValid || s == dirtyPartial {
				dirty[lane]++
				longest = max(longest, dirty[lane])
			}
			p.evict(lane, i)
		}
	}
	p.count(countFlush, 1)
	p.writeBack()
	p.entry = max(p.entry, now+clock.Cycle(max(longest, 1)))
}
