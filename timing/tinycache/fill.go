// SPDX-License-Identifier: Apache-2.0

package tinycache

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// access is a load that waits for fills.
type access struct {
	token     uint32
	remaining int
}

// fill is a fetch on its way: what the lanes of one access lack.
type fill struct {
	lanes   uint32       // with a line that waits for it
	entries [lanes]uint8 // by lane
	waiters []int32      // accesses
	asked   uint64       // tick of the last access that has joined
}

// newFill begins the fetch of the access in hand.
func (p *port) newFill() int32 {
	f := p.fills.Take()
	x := &p.fills.Items[f]
	x.lanes, x.asked, x.waiters = 0, 0, x.waiters[:0]
	return f
}

// fetchFor adds the line of a lane to a fetch, for its entry i or, when that is
// negative, for the load alone.
func (p *port) fetchFor(f int32, lane, i int) {
	p.gather.add(p.at.keys[lane], p.shape.all, 0, 1)
	if i < 0 {
		return
	}
	c := &p.caches[lane]
	c.entries[i].fill = f
	c.waiting |= 1 << i
	x := &p.fills.Items[f]
	x.lanes |= 1 << lane
	x.entries[lane] = uint8(i)
}

// fetch sends what has been gathered for a fill: at most a line for each lane, of
// one space.
func (p *port) fetch(f int32, a *seam.MemoryAccess) {
	p.count(countCoalescedFill, len(p.gather.parts))
	p.send(&p.gather, seam.MemoryAccess{
		Class: trace.ClassLoad, Mask: a.Mask, WarpSlot: a.WarpSlot, BlockSlot: a.BlockSlot, Token: p.own.Token(uint32(f)),
	})
}

// join makes the load in hand wait for a fill, once; waits is the access that it
// is in the pool, none before the first.
func (p *port) join(waits, f int32, token uint32) int32 {
	x := &p.fills.Items[f]
	if x.asked == p.tick {
		return waits
	}
	x.asked = p.tick
	if waits == none {
		waits = p.accesses.Take()
		p.accesses.Items[waits] = access{token: token}
	}
	p.accesses.Items[waits].remaining++
	x.waiters = append(x.waiters, waits)
	return waits
}

// filled ends a fetch: lines that still wait for it are filled (an evicted one is
// not), loads that waited go on.
func (p *port) filled(now clock.Cycle, f int32) {
	x := &p.fills.Items[f]
	n := 0
	for m := x.lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		c, i := &p.caches[lane], x.entries[lane]
		if e := &c.entries[i]; e.fill == f {
			e.fill = none
			c.waiting &^= 1 << i
			n++
		}
	}
	p.count(countLineFill, n)
	for _, w := range x.waiters {
		y := &p.accesses.Items[w]
		if y.remaining--; y.remaining == 0 {
			token := y.token
			p.accesses.Release(w)
			p.Completions.Complete(now, token)
		}
	}
	p.fills.Release(f)
}
