// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/network"
)

// apartNet is a network that follows its ends: they have sent and taken packets in
// cycles to which it has yet to come.
type apartNet struct {
	net      *network.Crossbar
	sends    func(end int, packet network.Packet)
	from, to []*ahead // by input and by output
	at       int64    // the present cycle
	due      int64    // the next cycle in which it has something to do by itself
}

// run does all cycles of the network up to last.
func (n *apartNet) run(last int64) {
	for at := n.first(); at <= last; at = n.first() {
		n.at = at
		n.apply(at)
		if n.due <= at {
			n.due = n.net.Cycle(at)
		}
	}
}

// first is the first cycle before which something is to be done, or in which.
func (n *apartNet) first() int64 {
	first := n.due
	for _, a := range n.from {
		if a.sends.Len() > 0 {
			first = min(first, a.sends.Head().apply)
		}
	}
	for _, a := range n.to {
		if a.takes.Len() > 0 {
			first = min(first, a.takes.Head().apply)
		}
	}
	return first
}

// apply does what the ends have done before a cycle. The order among ends does not
// matter: what an end does changes nothing at another before the network's next cycle.
func (n *apartNet) apply(at int64) {
	for i, a := range n.from {
		for a.sends.Len() > 0 && a.sends.Head().apply <= at {
			n.sends(i, a.sends.Head().packet)
			n.due = min(n.due, a.sends.Head().wake)
			a.sends.Drop()
		}
	}
	for o, a := range n.to {
		for a.takes.Len() > 0 && a.takes.Head().apply <= at {
			n.net.Pop(o, a.takes.Head().wake)
			n.due = min(n.due, a.takes.Head().wake)
			a.takes.Drop()
		}
	}
}

// cycleOf is the network cycle of a time at which one is due; never stays never.
func cycleOf(d *clock.Domain, due clock.Time) int64 {
	if due == clock.NeverTime {
		return never
	}
	return int64(due / d.Period)
}
