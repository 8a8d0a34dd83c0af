// SPDX-License-Identifier: Apache-2.0

package dram

import "github.com/warptape/warptape/timing/arch"

// writeDrain says when writes that wait in a queue of their own are served. They are
// when there is nothing to read, and from high of them on until low are left (Lee,
// Narasiman, Ebrahimi, Mutlu and Patt, HPS Technical Report 2010, "drain_when_full").
type writeDrain struct {
	apart     bool
	high, low int
	draining  bool
}

func newWriteDrain(d *arch.DRAM) writeDrain {
	return writeDrain{apart: d.Writes == "drain", high: d.WriteHigh, low: d.WriteLow}
}

// serve is the queue whose requests may issue.
func (c *Banked) serve() *queue {
	if !c.writes.apart {
		return &c.queues[mainQueue]
	}
	return c.readsOrWrites()
}

// readsOrWrites is the queue that is served when writes have one of their own.
func (c *Banked) readsOrWrites() *queue {
	w := &c.writes
	if n := c.queues[writeQueue].held; n >= w.high {
		w.draining = true
	} else if n <= w.low {
		w.draining = false
	}
	if w.draining || c.queues[mainQueue].held == 0 {
		return &c.queues[writeQueue]
	}
	return &c.queues[mainQueue]
}
