// SPDX-License-Identifier: Apache-2.0

package chip

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/timing/cpu"
)

// Send implements cpu.Chip.
func (c *Chip) Send(now clock.Time, r *cpu.Request) bool {
	in := &c.inputs[r.Core]
	if in.requests.Len() == inputRequests {
		in.refused = true
		return false
	}
	in.requests.Push(*r)
	c.wake(c.edge(now))
	return true
}

// take looks one request up in the directory: one that found its line busy before, or
// the next of the core whose turn it is. True when there may be more.
func (c *Chip) take() bool {
	if c.below.Len() >= maxBelow {
		return false // Room wakes it
	}
	if c.again.Len() > 0 {
		c.begin(c.again.Pop())
		return true
	}
	for range c.inputs {
		core := c.turn
		if c.turn++; c.turn == len(c.inputs) {
			c.turn = 0
		}
		in := &c.inputs[core]
		if in.requests.Len() == 0 {
			continue
		}
		r := in.requests.Pop()
		if in.refused {
			in.refused = false
			c.cluster.Room(c.now, core)
		}
		c.global[cpu.DirectoryLookups]++
		c.accept(&r)
		return true
	}
	return false
}

// accept does what a request asks, or begins to.
func (c *Chip) accept(r *cpu.Request) {
	switch r.Access {
	case cpu.WriteBack:
		c.directory.Leave(r.Physical, r.Core)
		c.below.Push(beneath{address: r.Physical, write: true})
	case cpu.Drop:
		c.directory.Leave(r.Physical, r.Core)
	default:
		n := 0
		for c.orders[n].active {
			n++
		}
		c.orders[n] = order{request: *r, active: true}
		c.begin(uint32(n))
	}
}

// begin lets the directory decide about an order, unless its line is busy, and probes
// the cores that it names. The data come from a core that has modified the line, or
// from the last-level cache, in whose shadow the probes are then.
func (c *Chip) begin(n uint32) {
	o := &c.orders[n]
	r := &o.request
	if c.directory.Busy(r.Physical) {
		c.waiting.Push(n)
		return
	}
	d := c.directory.Begin(r.Physical, r.Core, r.Access != cpu.Read)
	o.grant = d.Grant
	modified := false
	for left := d.Probe; left != 0; left &= left - 1 {
		core := bits.TrailingZeros64(left)
		met := c.cluster.Probe(c.now, core, r.Physical, d.Keep)
		modified = modified || met == coherence.Modified || c.recall(core, r.Physical)
	}
	switch {
	case modified:
		c.global[cpu.CacheToCache]++
		if d.Grant.Writable() {
			o.grant = coherence.Modified // newer than the last-level cache
		} else {
			c.below.Push(beneath{address: r.Physical, write: true})
		}
		c.later(n)
	case d.Had:
		c.later(n)
	default:
		c.below.Push(beneath{address: r.Physical, order: n})
	}
}

// recall takes the data of a write-back that has been sent and not looked at: what is
// left of it says that the line has gone.
func (c *Chip) recall(core int, line uint64) bool {
	waiting := &c.inputs[core].requests
	for i := range waiting.Len() {
		if r := waiting.At(i); r.Access == cpu.WriteBack && r.Physical == line {
			r.Access = cpu.Drop
			return true
		}
	}
	return false
}

// later grants an order when its probes have come back.
func (c *Chip) later(n uint32) {
	c.probed.Push(timed{c.now + c.probe, n})
	c.wake(max(c.now+c.probe, c.edge(c.now)))
}

// grant ends an order. Those that wait for a line are looked at again.
func (c *Chip) grant(now clock.Time, n uint32) {
	o := &c.orders[n]
	c.directory.End(o.request.Physical)
	o.active = false
	c.cluster.Granted(now, o.request.Core, o.request.Physical, o.grant)
	for range c.waiting.Len() {
		w := c.waiting.Pop()
		if c.directory.Busy(c.orders[w].request.Physical) {
			c.waiting.Push(w)
		} else {
			c.again.Push(w)
		}
	}
	if c.again.Len() > 0 {
		c.wake(c.edge(now))
	}
}

// pass gives the last-level cache what waits for it, one access a cycle; true when
// there is more.
func (c *Chip) pass() bool {
	if c.below.Len() == 0 || c.refused {
		return false
	}
	b := c.below.Head()
	taken := false
	if b.write {
		taken = c.lower.Write(c.now, b.address, c.section.LineBytes)
	} else {
		taken = c.lower.Read(c.now, b.address, c.section.LineBytes, b.order)
	}
	if !taken {
		c.refused = true
		return false
	}
	c.below.Drop()
	return true
}

// Filled implements seam.Upper.
func (c *Chip) Filled(now clock.Time, id uint32) {
	c.grant(now, id)
}

// Missed implements seam.Upper.
func (c *Chip) Missed(uint32) {}

// Room implements seam.Upper.
func (c *Chip) Room(now clock.Time) {
	c.refused = false
	c.wake(c.edge(now))
}
