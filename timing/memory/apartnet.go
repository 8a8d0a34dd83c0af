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
	// The ends that have done something that the network has yet to follow, while it runs.
	senders, takers []acted
}

// acted is an end that has done something before the cycle apply.
type acted struct {
	apply int64
	end   int32
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
			apply := a.sends.Head().apply
			n.senders = append(n.senders, acted{apply, int32(i)})
			next = min(next, apply)
		}
	}
	for o, a := range n.to {
		if a.takes.Len() > 0 {
			apply := a.takes.Head().apply
			n.takers = append(n.takers, acted{apply, int32(o)})
			next = min(next, apply)
		}
	}
	return next
}

// apply does what the ends have done before a cycle, and gives the first cycle before
// which they have done more. The order among ends does not matter: what an end does changes
// nothing at another before the network's next cycle.
func (n *apartNet) apply(at int64) int64 {
	var first, second int64
	n.senders, first = follow(n.senders, at, n.send)
	n.takers, second = follow(n.takers, at, n.take)
	return min(first, second)
}

// follow does what ends have done before a cycle. It gives those that have done more, and the
// first cycle before which one has.
func follow(ends []acted, at int64, do func(end int32, at int64) int64) ([]acted, int64) {
	next := never
	for k := 0; k < len(ends); {
		e := &ends[k]
		if e.apply <= at {
			if e.apply = do(e.end, at); e.apply == never {
				last := len(ends) - 1
				*e, ends = ends[last], ends[:last]
				continue
			}
		}
		next = min(next, e.apply)
		k++
	}
	return ends, next
}

// send sends what an end has sent before a cycle. It gives the cycle before which it has sent
// the next packet, never without one.
func (n *apartNet) send(end int32, at int64) int64 {
	sends := &n.from[end].sends
	for sends.Len() > 0 {
		s := sends.Head()
		if s.apply > at {
			return s.apply
		}
		n.sends(int(end), s.packet)
		n.due = min(n.due, s.wake)
		sends.Drop()
	}
	return never
}

// take takes off the network what an end has taken before a cycle, like send.
func (n *apartNet) take(end int32, at int64) int64 {
	takes := &n.to[end].takes
	for takes.Len() > 0 {
		t := takes.Head()
		if t.apply > at {
			return t.apply
		}
		n.net.Pop(int(end), t.wake)
		n.due = min(n.due, t.wake)
		takes.Drop()
	}
	return never
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
