// SPDX-License-Identifier: Apache-2.0

package network

import (
	"math/bits"

	"github.com/warptape/warptape/timing/limits"
	"github.com/warptape/warptape/timing/ring"
)

// Crossbar is a single-stage switch with a first-in first-out queue at each input. In
// each cycle a free output grants one of the inputs whose head packet is for it, in
// round-robin order starting behind the input it granted last. This is one iteration of
// iSLIP (McKeown 1999): with one queue an input requests one output only, so every
// grant is accepted. A granted packet holds its input and its output for one cycle per
// flit; its tail arrives LatencyCycles after it has left. A packet is granted only when
// the output queue has a place for it, so nothing is ever dropped.
type Crossbar struct {
	config   Config
	listener Listener
	inputs   []input
	outputs  []output
	fresh    []int32  // inputs whose head has not asked for its output, in its first places
	fronts   int      // these
	freshAt  int64    // the first cycle in which one of them is free, Never without one
	wanted   bitset   // outputs that are asked for
	wide     []bitset // by output: the inputs that ask, if there are more than 64 in all
	arrivals calendar
	tally    tally
	now      int64 // of the last Cycle
}

// input and output take one line of the host's cache each.
type input struct {
	queue ring.Ring[Packet]
	limit limits.Limit // of queue
	free  int64        // cycle from which the next packet may leave
	full  bool         // a sender was refused
	_     [8]byte
}

type output struct {
	queue   ring.Ring[flight]
	limit   limits.Limit // of queue
	free    int64        // cycle from which the next packet may enter
	asks    uint64       // the inputs that ask; not zero if one does, when there are more than 64
	arrived int32        // the first packets of queue, which have arrived
	next    int32        // the input to consider first
}

// flight is a packet on its way to an output, or waiting there.
type flight struct {
	packet  Packet
	arrival int64
}

// NewCrossbar makes a crossbar; listener may be nil.
func NewCrossbar(c Config, counts Counts, listener Listener) *Crossbar {
	x := &Crossbar{
		config: c, listener: listener, tally: newTally(counts),
		inputs: make([]input, c.Inputs), outputs: make([]output, c.Outputs),
		fresh: make([]int32, c.Inputs), freshAt: Never, wanted: newBitset(c.Outputs),
		arrivals: newCalendar(c.Outputs, c.LatencyCycles),
	}
	for i := range x.inputs {
		x.inputs[i].queue, x.inputs[i].limit = ring.New[Packet](c.InputQueue), limits.New(c.InputQueue)
	}
	for o := range x.outputs {
		x.outputs[o].queue, x.outputs[o].limit = ring.New[flight](c.OutputQueue), limits.New(c.OutputQueue)
		if c.Inputs > 64 {
			x.wide = append(x.wide, newBitset(c.Inputs))
		}
	}
	return x
}

// CanSend implements Network; a refusal is remembered, and Listener.Freed called.
func (x *Crossbar) CanSend(i int) bool {
	in := &x.inputs[i]
	if !in.limit.Full(in.queue.Len()) {
		return true
	}
	in.full = true
	return false
}

// Refuse remembers that an input has refused a sender who knows by himself that it is
// full: CanSend without the question.
func (x *Crossbar) Refuse(i int) {
	x.inputs[i].full = true
	x.inputs[i].limit.Reach()
}

// Refused reports whether an input has refused a sender, whom it has yet to tell of a
// free place.
func (x *Crossbar) Refused(i int) bool { return x.inputs[i].full }

// Send implements Network.
func (x *Crossbar) Send(i int, p Packet) {
	in := &x.inputs[i]
	n := in.queue.Len()
	if in.limit.Full(n) {
		panic("BUG: network: packet sent to a full input")
	}
	in.queue.Push(p)
	if n == 0 {
		x.front(i, in)
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
	x.tally.popped(now - out.queue.Head().arrival)
	out.queue.Drop()
}

// InFlight implements Network.
func (x *Crossbar) InFlight() int {
	return int(x.tally.queued + x.tally.flying + x.tally.arrived)
}

// Latency is the least number of cycles from the grant of a packet to its arrival.
func (x *Crossbar) Latency() int { return x.config.LatencyCycles }

// Room is the number of places that are free in the queue of an input. Who sends by it
// decides nothing that CanSend would not: Send and Refuse tell the limit.
func (x *Crossbar) Room(i int) int {
	in := &x.inputs[i]
	return in.limit.Capacity() - in.queue.Len()
}

// ArrivalOf is the cycle in which the k-th packet of those at an output or on
// their way to it arrives, or has arrived; false when there is none.
func (x *Crossbar) ArrivalOf(o, k int) (int64, bool) {
	q := &x.outputs[o].queue
	if k >= q.Len() {
		return 0, false
	}
	return q.At(k).arrival, true
}

// Arrived is the number of packets that wait at an output.
func (x *Crossbar) Arrived(o int) int { return int(x.outputs[o].arrived) }

// PacketAt is the packet that ArrivalOf speaks of.
func (x *Crossbar) PacketAt(o, k int) Packet { return x.outputs[o].queue.At(k).packet }

// Cycle implements Network.
func (x *Crossbar) Cycle(now int64) int64 {
	x.tally.elapse(uint64(now - x.now))
	x.now = now
	if x.arrivals.due <= now {
		x.arrive(now)
	}
	if x.freshAt <= now {
		x.request(now)
	}
	next := Never
	if x.wanted[0] != 0 {
		next = x.grant(now, next, 0, x.wanted[0])
	}
	for w := 1; w < len(x.wanted); w++ {
		next = x.grant(now, next, w<<6, x.wanted[w])
	}
	x.tally.settle()
	return min(next, x.arrivals.due, x.freshAt)
}

// arrive announces the packets whose tail has arrived.
func (x *Crossbar) arrive(now int64) {
	for c := &x.arrivals; c.due <= now; c.done() {
		for w := range c.words {
			for m := c.take(w); m != 0; m &= m - 1 {
				o := w<<6 + bits.TrailingZeros64(m)
				x.outputs[o].arrived++
				x.tally.flying--
				x.tally.arrived++
				if x.listener != nil {
					x.listener.Arrived(o)
				}
			}
		}
	}
}

var _ Network = (*Crossbar)(nil)
