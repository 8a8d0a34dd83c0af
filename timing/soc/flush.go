// SPDX-License-Identifier: Apache-2.0

package soc

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
)

// noWaiter is the waiter of a flush that no request waits for.
const noWaiter = int32(-1)

// flushes are the stretches of lines that the SMs write back and drop. They are of a
// kernel that has ended, or of a page that a core touches or that the TLB has dropped.
// First the L1s do, then, when all of theirs has come there, the L2.
type flushes struct {
	list    []flush
	used    int
	settled bool // a flush waits for its write-backs to be written
}

type flush struct {
	active bool
	kernel int // its id; -1: a page
	space  uint16
	page   uint64
	frame  uint64
	ports  int // that have yet to write back
	last   bool
	order  uint64     // of the last write of the L2, when it is clean
	lines  seam.Lines // of the L2
	waiter []int32    // requests of cores
}

// flushID tells the flushes of a chip from what a port begins for itself.
const flushID = uint32(1) << 31

// begin takes a free place; what it holds is the caller's to fill.
func (f *flushes) begin() (int, *flush) {
	f.used++
	for i := range f.list {
		if x := &f.list[i]; !x.active {
			*x = flush{active: true, kernel: -1, waiter: x.waiter[:0]}
			return i, x
		}
	}
	f.list = append(f.list, flush{active: true, kernel: -1})
	return len(f.list) - 1, &f.list[len(f.list)-1]
}

func (f *flushes) inside() int { return f.used }

// join lets a request of a core wait for the flush of a frame; false without one.
func (f *flushes) join(frame uint64, waiter int32) bool {
	if f.used == 0 {
		return false
	}
	for i := range f.list {
		if x := &f.list[i]; x.active && x.kernel < 0 && x.frame == frame {
			x.waiter = append(x.waiter, waiter)
			return true
		}
	}
	return false
}

// frame gives the frame of a page that is being written back, and that the TLB may
// have dropped.
func (f *flushes) frame(space uint16, page uint64) (frame uint64, ok bool) {
	if f.used == 0 {
		return 0, false
	}
	for i := range f.list {
		if x := &f.list[i]; x.active && x.kernel < 0 && x.page == page && x.space == space {
			return x.frame, true
		}
	}
	return 0, false
}

// holding is what SMs may have of a frame.
type holding struct {
	page  uint64
	epoch uint32 // in which it was last used; see chip.epoch
	space uint16
}

// hold takes note that SMs may have lines of a frame, by a page.
func (c *system) hold(frame uint64, space uint16, page uint64) {
	for uint64(len(c.held)) <= frame {
		c.held = append(c.held, holding{})
	}
	c.held[frame] = holding{page, c.epoch, space}
}

// isHeld reports whether SMs may have lines of a frame.
func (c *system) isHeld(frame uint64) bool {
	return frame < uint64(len(c.held)) && c.held[frame].epoch == c.epoch
}

// flushPage begins to write a page back (sections 4.4.4 and 4.4.5); a request of a
// core may wait for it.
func (c *system) flushPage(now clock.Time, space uint16, page, frame uint64, waiter int32) {
	c.held[frame].epoch = 0
	i, f := c.flushes.begin()
	f.space, f.page, f.frame = space, page, frame
	if waiter != noWaiter {
		f.waiter = append(f.waiter, waiter)
	}
	c.count(countPageFlush)
	first, last := c.layout.recorded(space, page)
	f.lines = seam.Lines{Mask: ^seam.TagMask, First: first, Last: last}
	f.ports = len(c.ports)
	for _, p := range c.ports {
		p.front.Clean(c.core.CyclesUntil(now), seam.Lines{Mask: ^uint64(0), First: first, Last: last}, p, flushID|uint32(i))
	}
}

// flushFrame writes back the page of SMs that lies in a frame which a core touches.
func (c *system) flushFrame(now clock.Time, frame uint64, waiter int32) {
	h := c.held[frame]
	c.flushPage(now, h.space, h.page, frame, waiter)
}

// portFlushed tells that a port has written its part of a flush back.
func (c *system) portFlushed(now clock.Cycle, id uint32) {
	f := &c.flushes.list[id&^flushID]
	if f.ports--; f.ports == 0 {
		c.l2Cleaner.CleanL2(c.core.Start(now), f.lines, c, id)
	}
}

// CleanedL2 implements seam.L2Cleaned. The miss path has taken the write-backs. Until
// they are written a core would read what was there before. A page that the TLB has
// dropped would be walked for again.
func (c *system) CleanedL2(now clock.Time, id uint32) {
	f := &c.flushes.list[id&^flushID]
	f.last, f.order, c.flushes.settled = true, c.misses.order, true
	c.wake(now)
}

// step ends the flushes whose write-backs have reached the last-level cache.
func (f *flushes) step(c *system) {
	if !f.settled {
		return
	}
	f.settled = false
	for i := range f.list {
		x := &f.list[i]
		switch {
		case !x.active || !x.last:
		case !c.misses.written(x.order):
			f.settled = true
			c.wake(c.now)
		default:
			f.end(c, x)
		}
	}
}

// end ends a flush, and what has waited for it goes on.
func (f *flushes) end(c *system, x *flush) {
	x.active = false
	f.used--
	if x.kernel >= 0 {
		c.kernels.active[x.kernel].ended = true
		return
	}
	for _, i := range x.waiter {
		c.requests.flushed(c.now, i)
	}
}

// EndLaunch implements seam.LaunchEnder: all lines of the kernel are written back
// and dropped (section 4.4.4).
func (c *system) EndLaunch(now clock.Cycle, launch int) {
	id := c.kernels.find(launch)
	if id < 0 {
		return // a launch without thread blocks
	}
	k := &c.kernels.active[id]
	k.ending = true
	i, f := c.flushes.begin()
	f.kernel = id
	f.lines = seam.Lines{Mask: seam.TagMask, First: tag(int32(id)), Last: tag(int32(id))}
	c.count(countKernelFlush)
	for sm := range c.ports {
		if k.sms>>sm&1 != 0 {
			f.ports++
		}
	}
	for sm, p := range c.ports {
		if k.sms>>sm&1 == 0 {
			continue
		}
		// An SM that works for another kernel has begun to write its lines of this one
		// back when it changed over, and ends that first.
		lines := seam.NoLines
		if c.kernels.of[sm] == int32(id) {
			lines = seam.AllLines
		}
		p.front.Clean(now, lines, p, flushID|uint32(i))
	}
}

// LaunchEnded implements seam.LaunchEnder.
func (c *system) LaunchEnded(launch int) bool {
	id := c.kernels.find(launch)
	if id < 0 {
		return true
	}
	if !c.kernels.active[id].ended {
		return false
	}
	c.kernels.active[id].runs = false
	if c.kernels.running() == 0 {
		c.epoch++
	}
	return true
}
