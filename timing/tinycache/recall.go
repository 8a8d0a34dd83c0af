// SPDX-License-Identifier: Apache-2.0

package tinycache

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
)

// recall is a cleaning of lines that the port behind may begin when it has what was
// in the queue before.
type recall struct {
	after  uint64 // port.passed
	lines  seam.Lines
	to     seam.PortCleaned
	id     uint32
	behind seam.Cleaner
}

// Clean implements seam.Keeper: lines of global memory are evicted.
func (p *port) Clean(now clock.Cycle, l seam.Lines, to seam.PortCleaned, id uint32, behind seam.Cleaner) {
	p.after = now + p.latency
	for lane := range p.caches {
		c := &p.caches[lane]
		for rest := c.present; rest != 0; rest &= rest - 1 {
			if i := bits.TrailingZeros64(rest); p.overlaps(&l, c.keys[i]) {
				p.evict(lane, i)
			}
		}
	}
	p.writeBack()
	p.cleans.Push(recall{p.passed + uint64(p.out.Len()), l, to, id, behind})
	p.recallBehind(now)
	p.Completions.Wake()
}

// overlaps reports whether a line of the lanes' has bytes of lines of the L1. Those are
// no shorter, and lie at their multiples.
func (p *port) overlaps(l *seam.Lines, key uint64) bool {
	if key&sharedKey != 0 {
		return false
	}
	address := p.shape.addressOf(key) & l.Mask
	return address <= l.Last && address|(1<<p.shape.lineShift-1)&l.Mask >= l.First
}

// recallBehind begins the cleanings whose lines the port behind has.
func (p *port) recallBehind(now clock.Cycle) {
	for p.cleans.Len() > 0 && p.cleans.Head().after <= p.passed {
		r := p.cleans.Pop()
		r.behind.Clean(now, r.lines, r.to, r.id)
	}
}

// Keeps implements seam.Keeper.
func (p *port) Keeps(a *seam.MemoryAccess) bool {
	if !p.keeps(a) || goesPast(a) {
		return false
	}
	p.at.set(&p.shape, a)
	for m := a.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if p.caches[lane].find(&p.shape, p.at.keys[lane]) >= 0 {
			return true
		}
	}
	return false
}

// Withdraw implements seam.Keeper.
func (p *port) Withdraw(now clock.Cycle, a *seam.MemoryAccess) {
	p.countLanes(a)
	if !p.keeps(a) {
		return
	}
	p.after, p.line = now+p.latency, a.Instruction
	p.at.set(&p.shape, a)
	p.evictAll(a.Mask)
	p.writeBack()
	p.Completions.Wake()
}
