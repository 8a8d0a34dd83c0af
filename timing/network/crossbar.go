package network

import (
	"math/bits"

	"github.com/warptape/warptape/timing/ring"
)

// Crossbar is a single-stage switch with a first-in first-out queue at each
// input. In each cycle a free output grants one of the inputs whose head packet
// is for it, in round-robin order starting behind the input it granted last
// (one iteration of iSLIP, McKeown 1999: with one queue an input requests one
// output only, so every grant is accepted). A granted packet holds its input
// and its output for one cycle per flit; its tail arrives LatencyCycles after
// it has left. A packet is granted only when the output queue has a place for
// it, so nothing is ever dropped.
type Crossbar struct {
	config   Config
	listener Listener
	inputs   []input
	outputs  []output
	fresh    bitset   // inputs whose head has not asked for its output
	wanted   bitset   // outputs that are asked for
	requests []bitset // by output: the inputs that ask
	arrivals calendar
	tally    tally
	now      int64 // of the last Cycle
}

type input struct {
	queue ring.Ring[Packet]
	free  int64 // cycle from which the next packet may leave
	full  bool  // a sender was refused
}

type output struct {
	queue   ring.Ring[flight]
	arrived int   // the first packets of queue, which have arrived
	free    int64 // cycle from which the next packet may enter
	next    int   // the input to consider first
}

// flight is a packet on its way to an output, or waiting there.
type flight struct {
	packet  Packet
	arrival int64
}

// NewCrossbar makes a crossbar; listener may be nil.
func NewCrossbar(c Config, counts Counts, listener Listener) *Crossbar {
	x := &Crossbar{
		config: c, listener: listener, tally: tally{counts: counts},
		inputs: make([]input, c.Inputs), outputs: make([]output, c.Outputs),
		fresh: newBitset(c.Inputs), wanted: newBitset(c.Outputs),
		requests: make([]bitset, c.Outputs), arrivals: newCalendar(c.Outputs, c.LatencyCycles),
	}
	for i := range x.inputs {
		x.inputs[i].queue = ring.New[Packet](c.InputQueue)
	}
	for o := range x.outputs {
		x.outputs[o].queue = ring.New[flight](c.OutputQueue)
		x.requests[o] = newBitset(c.Inputs)
	}
	return x
}

// CanSend implements Network; a refusal is remembered, and Listener.Freed called.
func (x *Crossbar) CanSend(i int) bool {
	in := &x.inputs[i]
	if in.queue.Len() < x.config.InputQueue {
		return true
	}
	in.full = true
	return false
}

// Send implements Network.
func (x *Crossbar) Send(i int, p Packet) {
	in := &x.inputs[i]
	if in.queue.Len() >= x.config.InputQueue {
		panic("BUG: network: packet sent to a full input")
	}
	in.queue.Push(p)
	if in.queue.Len() == 1 {
		x.fresh.set(i)
	}
	x.tally.queued++
}

// Head implements Network.
func (x *Crossbar) Head(o int) (Packet, bool) {
	out := &x.outputs[o]
	if out.arrived == 0 {
		return Packet{}, false
	}
	return out.queue.Head().packet, true
}

// Pop implements Network.
func (x *Crossbar) Pop(o int, now int64) {
	out := &x.outputs[o]
	out.arrived--
	x.tally.popped(now - out.queue.Pop().arrival)
}

// InFlight implements Network.
func (x *Crossbar) InFlight() int {
	return int(x.tally.queued + x.tally.flying + x.tally.arrived)
}

// Latency is the least number of cycles from the grant of a packet to its arrival.
func (x *Crossbar) Latency() int { return x.config.LatencyCycles }

// Room is the number of places that are free in the queue of an input.
func (x *Crossbar) Room(i int) int { return x.config.InputQueue - x.inputs[i].queue.Len() }

// ArrivalOf is the cycle in which the k-th packet of those at an output or on
// their way to it arrives, or has arrived; false when there is none.
func (x *Crossbar) ArrivalOf(o, k int) (int64, bool) {
	q := &x.outputs[o].queue
	if k >= q.Len() {
		return 0, false
	}
	return q.At(k).arrival, true
}

// PacketAt is the packet of which ArrivalOf speaks.
func (x *Crossbar) PacketAt(o, k int) Packet { return x.outputs[o].queue.At(k).packet }

// Cycle implements Network.
func (x *Crossbar) Cycle(now int64) int64 {
	x.tally.elapse(uint64(now - x.now))
	x.now = now
	next := x.arrive(now)
	next = min(next, x.request(now))
	next = min(next, x.grant(now))
	x.tally.settle()
	return next
}

// arrive announces the packets whose tail has arrived and gives the cycle in
// which the next one does.
func (x *Crossbar) arrive(now int64) int64 {
	c := &x.arrivals
	for c.due <= now {
		for w, m := range c.slot(c.due) {
			for ; m != 0; m &= m - 1 {
				o := w<<6 + bits.TrailingZeros64(m)
				x.outputs[o].arrived++
				x.tally.flying--
				x.tally.arrived++
				if x.listener != nil {
					x.listener.Arrived(o)
				}
			}
		}
		c.done()
	}
	return c.due
}

// request lets each head that has come to the front of a free input ask for its
// output, which it does until it is granted; and gives the cycle in which the
// next input is free.
func (x *Crossbar) request(now int64) int64 {
	next := Never
	for w, m := range x.fresh {
		for ; m != 0; m &= m - 1 {
			i := w<<6 + bits.TrailingZeros64(m)
			in := &x.inputs[i]
			if in.free > now {
				next = min(next, in.free)
				continue
			}
			to := int(in.queue.Head().To)
			x.requests[to].set(i)
			x.wanted.set(to)
			x.fresh.clear(i)
		}
	}
	return next
}

// grant lets each free output with a place take one packet, and gives the next
// cycle in which something follows from that. An output without a place waits
// for Pop.
func (x *Crossbar) grant(now int64) int64 {
	next := Never
	for w, m := range x.wanted {
		for ; m != 0; m &= m - 1 {
			o := w<<6 + bits.TrailingZeros64(m)
			out := &x.outputs[o]
			if out.queue.Len() >= x.config.OutputQueue {
				continue
			}
			if out.free <= now {
				next = min(next, x.move(now, x.requests[o].from(out.next), o))
			}
			if x.wanted.has(o) && out.queue.Len() < x.config.OutputQueue {
				next = min(next, out.free)
			}
		}
	}
	return next
}

// move sends the head packet of input i to output o; it gives the cycle in
// which the input's next packet may ask, or else this one arrives.
func (x *Crossbar) move(now int64, i, o int) int64 {
	in, out := &x.inputs[i], &x.outputs[o]
	p := in.queue.Pop()
	x.tally.queued--
	x.tally.flying++
	x.requests[o].clear(i)
	if x.requests[o].empty() {
		x.wanted.clear(o)
	}
	flits := int64(p.Flits)
	in.free, out.free = now+flits, now+flits
	arrival := now + flits - 1 + int64(x.config.LatencyCycles)
	out.queue.Push(flight{packet: p, arrival: arrival})
	x.arrivals.add(now, arrival, o)
	if out.next = i + 1; out.next == len(x.inputs) {
		out.next = 0
	}
	if in.full {
		in.full = false
		if x.listener != nil {
			x.listener.Freed(i)
		}
	}
	if in.queue.Len() > 0 {
		x.fresh.set(i)
		return min(in.free, arrival)
	}
	return arrival
}

var _ Network = (*Crossbar)(nil)
