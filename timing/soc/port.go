// SPDX-License-Identifier: Apache-2.0

package soc

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// port is an SM's entry to the chip's memory path, in front of the one behind; it
// implements seam.Port, and seam.Completions for that.
//
// It empties the L1 before atomics and at fences (section 4.4.4), and with private
// TLBs translates what lanes access before the L1. One access waits at a time; what
// comes later waits in the SM.
type port struct {
	seam.Port                     // behind
	cleaner          seam.Cleaner // behind
	front            seam.Cleaner // of all that keeps lines for the SM
	seam.Completions              // in front
	chip             *system
	sm               int
	tagged           int32 // the kernel whose bits requests have
	fills            bool  // something has been issued since the L1 was emptied

	waits  bool // held has yet to be issued
	held   seam.MemoryAccess
	parts  [trace.WarpSize]seam.LinePart // of held.Lines
	unit   *unit                         // the SM's own TLB; nil: none
	walks  int                           // pages that held waits for
	pages  []uint64                      // of held, that have yet to be asked for
	space  uint16
	fences []uint32 // per warp slot: the clean that it waits for; 0: none
	next   uint32   // number of the last clean
}

func newPort(c *system, sm int, to seam.Completions) *port {
	p := &port{chip: c, sm: sm, Completions: to, tagged: 0, pages: make([]uint64, 0, trace.WarpSize)}
	if c.section.TLBs == "private" {
		p.unit = c.units[1+sm]
	}
	return p
}

// Ready implements seam.Port.
func (p *port) Ready(now clock.Cycle) bool { return !p.waits && p.Port.Ready(now) }

// Issue implements seam.Port.
func (p *port) Issue(now clock.Cycle, a *seam.MemoryAccess) {
	if a.Space == trace.SpaceShared {
		p.Port.Issue(now, a)
		return
	}
	p.tag()
	clean := a.Class == trace.ClassAtomic && p.fills
	if clean {
		p.empty(now)
	}
	if p.unit != nil {
		p.translate(a)
	}
	if !clean && len(p.pages) == 0 {
		p.fills = true
		p.Port.Issue(now, a)
		return
	}
	p.hold(a)
	p.walk(p.chip.core.Start(now))
}

// tag lets requests carry the id of the kernel that the SM works for. The SM has
// written back what it had of the one before, or Ready were false.
func (p *port) tag() {
	if of := p.chip.kernels.of[p.sm]; of != p.tagged {
		p.tagged = of
		p.cleaner.TagRequests(tag(of))
	}
}

// empty makes the L1 write back and drop everything.
func (p *port) empty(now clock.Cycle) {
	p.next++
	p.fills = false
	p.chip.count(countL1Clean)
	p.cleaner.Clean(now, seam.AllLines, p, p.next)
}

// hold keeps an access.
func (p *port) hold(a *seam.MemoryAccess) {
	p.waits, p.held = true, *a
	if a.Lines != nil {
		p.held.Lines = p.parts[:copy(p.parts[:], a.Lines)]
	}
}

// translate looks the pages of an access up in the SM's own TLB; those that are not
// there are left in pages.
func (p *port) translate(a *seam.MemoryAccess) {
	p.pages, p.walks = p.pages[:0], 0
	if a.Space != trace.SpaceGlobal && a.Space != trace.SpaceTexture {
		return // windows of SMs lie in few pages, which stay
	}
	seen := ^uint64(0)
	for i := range a.Lines {
		seen = p.look(a.Lines[i].Address, seen)
	}
	if a.Lines != nil {
		return
	}
	for m := a.Mask; m != 0; m &= m - 1 {
		seen = p.look(a.Chunk.Lane(a.Access, bits.TrailingZeros32(m)), seen)
	}
}

// look looks the page of an address up, unless it is the last one that was, and gives it.
func (p *port) look(address, last uint64) (page uint64) {
	c := p.chip
	space, virtual := c.layout.place(address)
	if page = c.pages.Page(virtual); page == last {
		return page
	}
	p.space = space
	c.count(countSMTLBLookup)
	if _, ok := p.unit.tlb.Lookup(space, page); !ok {
		c.count(countSMTLBMiss)
		p.pages = append(p.pages, page)
	}
	return page
}

// walk asks for the pages that held lacks.
func (p *port) walk(now clock.Time) {
	for n := len(p.pages); n > 0; n-- {
		if !p.unit.miss(now, p.space, p.pages[n-1], waiterPort|uint32(p.sm), ownCore) {
			return
		}
		p.pages = p.pages[:n-1]
		p.walks++
	}
}

// translated tells that a page has come.
func (p *port) translated(now clock.Time) {
	p.walks--
	p.walk(now)
	p.Completions.Wake()
}

// Cycle implements seam.Port.
func (p *port) Cycle(now clock.Cycle) clock.Cycle {
	next := p.Port.Cycle(now)
	if p.waits && p.walks == 0 && len(p.pages) == 0 && p.Port.Ready(now) {
		p.waits, p.fills = false, true
		p.Port.Issue(now, &p.held)
		return now + 1
	}
	return next
}

// PendingWrites implements seam.Port: a warp at a fence waits for the L1, too, and
// one whose store is held for that.
func (p *port) PendingWrites(warp int) int {
	n := p.Port.PendingWrites(warp)
	if warp < len(p.fences) && p.fences[warp] != 0 {
		n++
	}
	if p.waits && p.held.WarpSlot == warp && p.held.Token == seam.NoToken {
		n++
	}
	return n
}

// Fence implements seam.Port: all of the L1 is written back and dropped.
func (p *port) Fence(now clock.Cycle, warp int) {
	p.Port.Fence(now, warp)
	if !p.fills {
		return
	}
	for len(p.fences) <= warp {
		p.fences = append(p.fences, 0)
	}
	p.empty(now)
	p.fences[warp] = p.next
}

// BlockEnd implements seam.Port: the scratchpad is discarded (section 4.4.1).
func (p *port) BlockEnd(now clock.Cycle, block, last int) {
	p.chip.count(countScratchpad)
	p.Port.BlockEnd(now, block, last)
}

// Cleaned implements seam.PortCleaned.
func (p *port) Cleaned(now clock.Cycle, id uint32) {
	if id&flushID != 0 {
		p.chip.portFlushed(now, id)
		return
	}
	for warp, fence := range p.fences {
		if fence != 0 && fence <= id {
			p.fences[warp] = 0
			p.Completions.WriteDone(now, warp)
		}
	}
}

// inside is what the port has yet to hand on.
func (p *port) inside() int {
	if p.waits {
		return 1
	}
	return 0
}

var _ seam.PortCleaned = (*port)(nil)
