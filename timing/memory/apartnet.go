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
	// The ends that have done something, while it runs.
	senders, takers []int32
}

// run does all cycles of the network up to last.
func (n *apartNet) run(last int64) {
	next := n.gather()
	for {
		if n.at = min(n.due, next); n.at > last {
			return
		}
		if next <= n.at {
			next = n.apply(n.at)
		}
		if n.due <= n.at {
			n.due = n.net.Cycle(n.at)
		}
	}
}

// gather looks for the ends that have done something, and gives the first cycle before
// which one has.
func (n *apartNet) gather() int64 {
	next := never
	n.senders, n.takers = n.senders[:0], n.takers[:0]
	for i, a := range n.from {
		if a.sends.Len() > 0 {
			n.senders = append(n.senders, int32(i))
			next = min(next, a.sends.Head().apply)
		}
	}
	for o, a := range n.to {
		if a.takes.Len() > 0 {
			n.takers = append(n.takers, int32(o))
			next = min(next, a.takes.Head().apply)
		}
	}
	return next
}

// apply does what the ends have done before a cycle, and gives the first cycle before
// which they have done more. The order among ends does not matter: what an end does changes
// nothing at another before the network's next cycle.
func (n *apartNet) apply(at int64) int64 {
	next := never
	for _, i := range n.senders {
		a := n.from[i]
		for a.sends.Len() > 0 {
			s := a.sends.Head()
			if s.apply > at {
				next = min(next, s.apply)
				break
			}
			n.sends(int(i), s.packet)
			n.due = min(n.due, s.wake)
			a.sends.Drop()
		}
	}
	for _, o := range n.takers {
		a := n.to[o]
		for a.takes.Len() > 0 {
			t := a.takes.Head()
			if t.apply > at {
				next = min(next, t.apply)
				break
			}
			n.net.Pop(int(o), t.wake)
			n.due = min(n.due, t.wake)
			a.takes.Drop()
		}
	}
	return next
}

// finish does all that the ends have done.
func (n *apartNet) finish() {
	n.gather()
	n.apply(never)
}

// cycleOf is the network cycle of a time at which one is due; never stays never.
func cycleOf(d *clock.Domain, due clock.Time) int64 {
	if due == clock.NeverTime {
		return never
	}
	return int64(due / d.Period)
}
