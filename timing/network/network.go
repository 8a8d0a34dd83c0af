// SPDX-License-Identifier: Apache-2.0

// Package network models the interconnect between SMs and memory partitions:
// queues of finite size at both ends, packets of flits, arbitration, and
// back-pressure that reaches the sender.
//
// A network runs in its own clock; its cycles are plain int64 counts of that clock. One
// network carries one direction. A machine has one for requests and one for replies, so
// that a reply never waits for a request. Or both are parts of one that divides its
// virtual channels between them.
//
// Crossbar is one switch; Fabric is routers in a Topology (Mesh, Butterfly).
package network

import "github.com/warptape/warptape/timing/limits"

// Packet is a message of one or more flits.
type Packet struct {
	ID    uint32 // the sender's and receiver's name for it
	To    uint16 // output port
	Flits uint16 // at least 1
}

// Never is later than every cycle.
const Never = int64(1<<63 - 1)

// Listener is told when the ends of a network have something to do.
type Listener interface {
	// Freed tells that an input that was full has a place again.
	Freed(input int)
	// Arrived tells that a packet has arrived at an output.
	Arrived(output int)
}

// Network moves packets from inputs to outputs.
type Network interface {
	// CanSend reports whether the queue of an input has a place.
	CanSend(input int) bool
	// Send queues a packet at an input that has a place. It takes part in
	// arbitration from the next cycle that Cycle is called for.
	Send(input int, p Packet)
	// Head is the packet that waits at an output; false when there is none.
	Head(output int) (Packet, bool)
	// Pop takes the packet that Head gave; its place is free from cycle now on,
	// for which Cycle has to be called.
	Pop(output int, now int64)
	// Cycle advances the network to cycle now and returns the next cycle in which it
	// has something to do unless Send or Pop is called before. After Send, it has to be
	// called in the next cycle.
	Cycle(now int64) (next int64)
	// InFlight is the number of packets inside.
	InFlight() int
	// Describe says what the packets inside wait for, for a stuck replay.
	Describe() []string
	// Certify says to which capacities its queues have come.
	Certify(c *limits.Certificate)
}

// Config is the shape of a crossbar.
type Config struct {
	Inputs, Outputs int
	LatencyCycles   int // network cycles of a flit from input to output, at least 1
	InputQueue      int // packets
	OutputQueue     int // packets, those on their way to the output included
}

// Flits is the number of flits of a packet with payload bytes behind a header.
func Flits(header, payload, flit int) uint16 { return uint16((header + payload + flit - 1) / flit) }
