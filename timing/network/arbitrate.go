// SPDX-License-Identifier: Apache-2.0

package network

import "math/bits"

// front notes that another packet has come to the front of input i.
func (x *Crossbar) front(i int, in *input) {
	x.fresh[x.fronts] = int32(i)
	x.fronts++
	x.freshAt = min(x.freshAt, in.free)
}

// request lets each head that has come to the front of a free input ask for its
// output, which it does until it is granted.
func (x *Crossbar) request(now int64) {
	x.freshAt = Never
	left := 0
	for _, i := range x.fresh[:x.fronts] {
		in := &x.inputs[i]
		if in.free > now {
			x.freshAt = min(x.freshAt, in.free)
			x.fresh[left] = i
			left++
			continue
		}
		x.ask(int(i), int(in.queue.Head().To))
	}
	x.fronts = left
}

// ask lets input i ask for output o.
func (x *Crossbar) ask(i, o int) {
	x.wanted.set(o)
	if x.wide == nil {
		x.outputs[o].asks |= 1 << (i & 63)
		return
	}
	x.outputs[o].asks = 1
	x.wide[o].set(i)
}

// grant lets each free output with a place, of those in a word of wanted, take the
// head packet of the input whose turn it is. It gives the earliest cycle of next and
// those in which one of them that is still asked for is free; one without a place
// waits for Pop.
func (x *Crossbar) grant(now, next int64, first int, outputs uint64) int64 {
	for ; outputs != 0; outputs &= outputs - 1 {
		o := first + bits.TrailingZeros64(outputs)
		out := &x.outputs[o]
		if out.limit.Full(out.queue.Len()) {
			continue
		}
		if out.free <= now {
			x.move(now, o, out)
			if out.asks == 0 || out.limit.Full(out.queue.Len()) {
				continue
			}
		}
		next = min(next, out.free)
	}
	return next
}

// move sends the head packet of the input whose turn it is to output o.
func (x *Crossbar) move(now int64, o int, out *output) {
	var i int
	if x.wide == nil {
		i = int(firstFrom(out.asks, uint8(out.next)))
		out.asks &^= 1 << (i & 63)
	} else {
		i = x.turnOfMany(o, out)
	}
	if out.asks == 0 {
		x.wanted.clear(o)
	}
	if out.next = int32(i) + 1; int(out.next) == len(x.inputs) {
		out.next = 0
	}
	in := &x.inputs[i]
	p := in.queue.Head()
	free := now + int64(p.Flits)
	arrival := free - 1 + int64(x.config.LatencyCycles)
	in.free, out.free = free, free
	f := out.queue.Add()
	f.packet, f.arrival = *p, arrival
	in.queue.Drop()
	x.tally.queued--
	x.tally.flying++
	if x.arrivals.beyond(now, arrival) {
		x.arrivals.grow(now, arrival)
	}
	x.arrivals.add(arrival, o)
	if in.full {
		x.tellFreed(i, in)
	}
	if in.queue.Len() > 0 {
		x.front(i, in)
	}
}

func (x *Crossbar) tellFreed(i int, in *input) {
	in.full = false
	if x.listener != nil {
		x.listener.Freed(i)
	}
}

// turnOfMany is the input whose turn it is to send to output o, when there are more
// than 64; it asks no more.
func (x *Crossbar) turnOfMany(o int, out *output) int {
	asking := x.wide[o]
	i := asking.from(int(out.next))
	asking.clear(i)
	if asking.empty() {
		out.asks = 0
	}
	return i
}
