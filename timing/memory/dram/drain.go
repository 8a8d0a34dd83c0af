package dram

import "github.com/warptape/warptape/timing/arch"

// writeDrain says when writes that wait in a queue of their own are served: when
// there is nothing to read, and from high of them on until low are left (Lee,
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
func (c *Banked) serve() int {
	w := &c.writes
	if !w.apart {
		return mainQueue
	}
	if n := c.queued[writeQueue]; n >= w.high {
		w.draining = true
	} else if n <= w.low {
		w.draining = false
	}
	if w.draining || c.queued[mainQueue] == 0 {
		return writeQueue
	}
	return mainQueue
}
