// SPDX-License-Identifier: Apache-2.0

package tinycache

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// Issue implements seam.Port.
func (p *port) Issue(now clock.Cycle, a *seam.MemoryAccess) {
	// Also of what passes: its stores are pending writes of this thread block, and of no other.
	if a.WarpSlot < len(p.blockOf) { // a warp of no thread block has a slot behind these, and only loads
		p.blockOf[a.WarpSlot] = a.BlockSlot
	}
	if !p.keeps(a) {
		p.pass(now, a)
		return
	}
	p.tick++
	p.entry, p.after, p.line = now+1, now+p.latency, a.Instruction
	p.at.set(&p.shape, a)
	switch {
	case p.at.second != 0 || goesPast(a):
		p.goPast(a)
	case a.Class == trace.ClassStore:
		p.store(a)
	default:
		p.load(a)
	}
}

// keeps reports whether lanes may hold lines of what the access refers to.
func (p *port) keeps(a *seam.MemoryAccess) bool {
	switch a.Class {
	case trace.ClassLoad, trace.ClassStore, trace.ClassAtomic:
	default:
		return false
	}
	if p.constants && a.Class == trace.ClassLoad && seam.Window(a.Space) > 0 {
		return p.global
	}
	return a.Space == trace.SpaceGlobal && p.global || a.Space == trace.SpaceShared && p.shared
}

// goesPast reports whether an access must not be cached: atomics, loads that ask
// for it, and writes of single bytes, for which there are no control bits
// (section 5.3.2).
func goesPast(a *seam.MemoryAccess) bool {
	return a.Class == trace.ClassAtomic || a.Bypass || a.Class == trace.ClassStore && a.LaneBytes <= 1
}

// goPast evicts the lines of an access and hands it on.
func (p *port) goPast(a *seam.MemoryAccess) {
	p.evictAll(a.Mask)
	p.writeBack()
	p.pushAsItIs(p.after, a, a.Mask)
}

// evictAll evicts the lines of the access in hand.
func (p *port) evictAll(mask uint32) {
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		p.count(countProbe, 1)
		p.evictKey(lane, p.at.keys[lane])
		if p.at.second>>lane&1 != 0 {
			p.evictKey(lane, p.at.keys[lane]+1)
		}
	}
}

// load looks a load up in the caches of its lanes.
func (p *port) load(a *seam.MemoryAccess) {
	p.count(countRead, bits.OnesCount32(a.Mask))
	waits, fetched := none, none
	hits := 0
	for m := a.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		c := &p.caches[lane]
		wanted := p.at.halfWords[lane]
		i := c.find(&p.shape, p.at.keys[lane])
		if i >= 0 {
			e := &c.entries[i]
			c.used[i] = p.tick
			if e.read(wanted) {
				hits++
				if e.fill != none && (e.state == clean || wanted&^e.control != 0) {
					waits = p.join(waits, e.fill, a.Token)
				}
				continue
			}
			p.count(countHalfWordMiss, 1)
		} else if i = p.allocate(lane, p.at.keys[lane]); i >= 0 {
			c.entries[i].readMiss()
		}
		if fetched == none {
			fetched = p.newFill()
		}
		p.fetchFor(fetched, lane, i)
	}
	p.count(countReadHit, hits)
	p.writeBack()
	if fetched != none {
		waits = p.join(waits, fetched, a.Token)
		p.fetch(fetched, a)
	}
	if waits == none {
		p.hits.Push(hit{done: p.after, token: a.Token})
	}
}

// store writes into the caches of the lanes; what finds no place bypasses them.
func (p *port) store(a *seam.MemoryAccess) {
	p.count(countWrite, bits.OnesCount32(a.Mask))
	hits, past := 0, uint32(0)
	for m := a.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		c := &p.caches[lane]
		written := p.at.halfWords[lane]
		i := c.find(&p.shape, p.at.keys[lane])
		if i >= 0 {
			c.entries[i].write(written, p.shape.all)
			hits++
		} else if i = p.allocate(lane, p.at.keys[lane]); i >= 0 {
			c.entries[i].writeMiss(written, p.shape.all)
		} else {
			past |= 1 << lane
			continue
		}
		c.used[i], c.entries[i].writer = p.tick, uint8(a.WarpSlot)
	}
	p.count(countWriteHit, hits)
	p.writeBack()
	switch {
	case past != 0:
		p.pushAsItIs(p.after, a, past)
	case a.Token != seam.NoToken:
		p.hits.Push(hit{done: p.after, token: a.Token})
	}
}

// allocate makes room for a line in a lane's cache; -1 when every line of its set
// is on its way.
func (p *port) allocate(lane int, key uint64) int {
	c := &p.caches[lane]
	i := c.victim(&p.shape, key)
	if i < 0 {
		p.count(countUnallocated, 1)
		return -1
	}
	p.evict(lane, i)
	c.keys[i], c.used[i] = key, p.tick
	c.present |= 1 << i
	set := int(key) & p.shape.setMask
	c.recent[set] = uint8(i - set*p.shape.ways)
	return i
}
