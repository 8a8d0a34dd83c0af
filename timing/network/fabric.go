// SPDX-License-Identifier: Apache-2.0

package network

import (
	"math/bits"

	"github.com/warptape/warptape/timing/limits"
	"github.com/warptape/warptape/timing/ring"
)

// RouterConfig is what the routers of a fabric have in common.
type RouterConfig struct {
	VirtualChannels int // per port; ports times this is at most MaxPortChannels
	BufferFlits     int // per virtual channel, at least 1
	RouterCycles    int // from arrival to departure where nothing contends, at least 1
	LinkCycles      int // on a link, and of a credit on its way back, at least 1
	Iterations      int // of the switch allocator in a cycle, at least 1
	InputQueue      int // packets per input
	OutputQueue     int // packets per output, those that hold a place included
	// Classes divide the virtual channels evenly among kinds of packets that
	// must not wait for each other; ClassOf gives the class of each output, nil
	// for one class.
	Classes int
	ClassOf []uint8
}

// maxPorts bounds the ports of a router, MaxPortChannels these times its virtual
// channels.
const (
	maxPorts        = 16
	maxPortChannels = 64
)

// Fabric is a network of routers with wormhole switching, virtual channels and
// credits (Dally and Towles, chapters 12 to 19).
//
// A packet's head takes a virtual channel of the output port that its route names; its
// flits follow through the same channel, and the tail releases it. Free channels of a
// port go to the waiting heads in turn. The switch is allocated to ready flits by iSLIP
// (McKeown 1999). Each output grants an input port, and each input port accepts one
// output. The pointers move on only past a grant of the first iteration that was
// accepted. The virtual channels of an input port that are ready for the output take
// turns. A flit is ready when there is a credit for its channel, that is, a free place
// in the buffer at the other end.
//
// A flit that wins in cycle t competes at the next router in cycle t + link +
// router cycles; its credit is back in cycle t + link. Everything that passes
// between routers takes a cycle at least, so the order in which routers are
// visited does not matter, and one without a ready flit is not visited.
//
// With one virtual channel per class the packets of a pair of ends arrive in
// order; with more they may overtake each other.
type Fabric struct {
	topology *Topology
	config   RouterConfig
	listener Listener
	now      int64 // of the last Cycle
	due      int64 // what it returned

	vcs, ports int
	portOf     [maxPortChannels]uint8 // port of a router's input virtual channel
	portVCs    []uint64               // by input port: its input virtual channels
	classVCs   []uint64               // by class: the input virtual channels of a router
	classRange []uint64               // by class: the virtual channels of a port
	buffers    []flit                 // rings of BufferFlits per input virtual channel
	inputs     []inputVC              // by router, port, virtual channel
	outputs    []outputPort           // by router, port
	channels   []outputVC             // by router, port, virtual channel
	feeders    []int32                // by input port: the first output VC that feeds it, or ^source
	accept     []uint8                // by input port: the output to accept first
	rotate     []uint8                // by input port: the virtual channel to send from first
	nextPort   [maxPorts]uint8        // by input port: the first virtual channel of the next one
	routers    []router               // which ports have work
	active     bitset                 // routers with a flit that may move
	sources    []source               // by input
	sending    bitset                 // sources with a flit that may leave
	sinks      []sink                 // by output
	credits    []uint16               // of the sources, by input and virtual channel
	packets    []Packet               // in flight, and free entries
	free       []uint32               // free entries of packets
	wheel      wheel
	soon, late *slot   // of the wheel: in link, and in link + router cycles
	classOf    []uint8 // by virtual channel
	tallies    []tally // by class
	routed     RouterCounts
	buffered   uint64 // flits in buffers
	stalled    uint64 // input virtual channels that wait for a credit
	moved      uint64 // flits through switches in this cycle
	wasBuffer  uint64
	wasStalled uint64
}

// flit is twice the place of its packet in Fabric.packets, plus one for a tail.
type flit uint32

// inputVC is a virtual channel at an input port: its buffer and the packet at
// the front.
type inputVC struct {
	first, count uint16
	port         uint8  // output port of the packet at the front; none before its head is there
	channel      uint8  // output virtual channel that it holds; none before it does
	local        uint8  // its number in the router; never changes
	router       uint16 // never changes
}

const none = ^uint8(0)

// outputPort is the allocators' view of an output port. Masks are over the
// router's input virtual channels, except free.
type outputPort struct {
	waiting uint64 // heads that need a virtual channel
	ready   uint64 // flits that may leave
	free    uint64 // virtual channels that no packet holds
	flits   uint64 // that have left
	first   int32  // the first input virtual channel at the other end; unwired for a sink
	sink    int32  // the output attached here; unwired for a link
	grant   uint8  // first input virtual channel of the port to grant first
	turn    uint8  // input virtual channel to give a channel first
	channel uint8  // virtual channel to give away first
}

// outputVC is a virtual channel of an output port.
type outputVC struct {
	credits uint16
	router  uint16 // never changes
	owner   uint8  // input virtual channel that holds it; none
}

// router says which output ports have heads that wait or flits that are ready.
type router struct{ waiting, ready uint64 }

// source is an input with its queue.
type source struct {
	queue   ring.Ring[Packet]
	limit   limits.Limit // of queue
	first   int32        // the first input virtual channel of its port
	sent    uint16       // flits of the head packet that have left
	entry   uint32       // of the head packet in packets, once its head has left
	channel uint8        // that the head packet takes, or to consider first
	open    uint64       // virtual channels with a credit
	full    bool         // a sender was refused
}

// sink is an output with its queue.
type sink struct {
	queue ring.Ring[flight]
	held  int          // places: packets in queue and on their way to it
	limit limits.Limit // of held
	class uint8
	port  int32 // output port that feeds it
}

// full reports whether no packet can have a place.
func (s *sink) full() bool { return s.limit.Full(s.held) }

// NewFabric makes the routers of a topology; counts has one element a class;
// listener may be nil.
func NewFabric(t *Topology, c RouterConfig, counts []Counts, routed RouterCounts, listener Listener) *Fabric {
	vcs, all := c.VirtualChannels, t.Routers*t.Ports
	if t.Ports > maxPorts || t.Ports*vcs > maxPortChannels || c.Classes > vcs {
		panic("BUG: network: virtual channels do not fit")
	}
	f := &Fabric{
		topology: t, config: c, listener: listener, now: -1, due: Never, vcs: vcs, ports: t.Ports, routed: routed,
		buffers: make([]flit, all*vcs*c.BufferFlits), inputs: make([]inputVC, all*vcs), outputs: make([]outputPort, all),
		channels: make([]outputVC, all*vcs), feeders: make([]int32, all*vcs), accept: make([]uint8, all), rotate: make([]uint8, all),
		routers: make([]router, t.Routers), active: newBitset(t.Routers), sending: newBitset(len(t.Inputs)),
		sources: make([]source, len(t.Inputs)), sinks: make([]sink, len(t.Outputs)), wheel: newWheel(c.LinkCycles+c.RouterCycles, all, len(t.Outputs)),
		packets: make([]Packet, 0, all*vcs), free: make([]uint32, 0, all*vcs),
	}
	f.divide()
	for _, c := range counts {
		f.tallies = append(f.tallies, newTally(c))
	}
	f.connect()
	return f
}

// divide derives the masks over virtual channels.
func (f *Fabric) divide() {
	classes := f.config.Classes
	f.classVCs, f.classRange = make([]uint64, classes), make([]uint64, classes)
	f.portVCs = make([]uint64, f.ports)
	for l := range f.ports * f.vcs {
		port, v := l/f.vcs, l%f.vcs
		f.portOf[l] = uint8(port)
		f.portVCs[port] |= 1 << l
		f.nextPort[port] = uint8((port + 1) % f.ports * f.vcs)
		class := v * classes / f.vcs
		if port == 0 {
			f.classOf = append(f.classOf, uint8(class))
		}
		f.classVCs[class] |= 1 << l
		f.classRange[class] |= 1 << v
	}
}

// connect wires ports, sources and sinks.
func (f *Fabric) connect() {
	t, c := f.topology, &f.config
	for i := range f.inputs {
		r := i / (f.ports * f.vcs)
		f.inputs[i] = inputVC{port: none, channel: none, local: uint8(i - r*f.ports*f.vcs), router: uint16(r)}
	}
	for i := range f.channels {
		f.channels[i] = outputVC{credits: uint16(c.BufferFlits), owner: none, router: uint16(i / (f.ports * f.vcs))}
	}
	for i := range f.outputs {
		f.outputs[i] = outputPort{first: unwired, sink: unwired, free: 1<<f.vcs - 1}
		if to := t.links[i]; to != unwired {
			f.outputs[i].first = to * int32(f.vcs)
			f.feed(int(to), int32(i*f.vcs))
		}
	}
	for i, at := range t.Inputs {
		port := at.Router*t.Ports + at.Port
		for range f.vcs {
			f.credits = append(f.credits, uint16(c.BufferFlits))
		}
		f.sources[i] = source{queue: ring.New[Packet](c.InputQueue), limit: limits.New(c.InputQueue), first: int32(port * f.vcs), open: 1<<f.vcs - 1}
		f.feed(port, ^int32(i*f.vcs))
	}
	for o, at := range t.Outputs {
		port := at.Router*t.Ports + at.Port
		f.sinks[o] = sink{queue: ring.New[flight](c.OutputQueue), limit: limits.New(c.OutputQueue), port: int32(port)}
		if c.ClassOf != nil {
			f.sinks[o].class = c.ClassOf[o]
		}
		f.outputs[port].sink = int32(o)
	}
}

// feed notes what feeds the virtual channels of an input port: first is the
// output virtual channel of channel 0, or ^ that of a source.
func (f *Fabric) feed(port int, first int32) {
	for v := range int32(f.vcs) {
		if first < 0 {
			f.feeders[port*f.vcs+int(v)] = ^(^first + v)
		} else {
			f.feeders[port*f.vcs+int(v)] = first + v
		}
	}
}

// Cycle implements Network. Several calls for one cycle are one.
func (f *Fabric) Cycle(now int64) int64 {
	if now == f.now {
		return f.due
	}
	f.elapse(uint64(now - f.now))
	f.now = now
	if s := f.wheel.take(now); s != nil {
		f.receive(s)
	}
	f.soon, f.late = f.wheel.at(now+int64(f.config.LinkCycles)), f.wheel.at(now+int64(f.config.LinkCycles+f.config.RouterCycles))
	for w := range f.active {
		for m := f.active[w]; m != 0; m &= m - 1 {
			f.allocate(w<<6 + bits.TrailingZeros64(m))
		}
	}
	for w := range f.sending {
		for m := f.sending[w]; m != 0; m &= m - 1 {
			f.inject(w<<6 + bits.TrailingZeros64(m))
		}
	}
	f.wheel.written(now+int64(f.config.LinkCycles), f.soon)
	f.wheel.written(now+int64(f.config.LinkCycles+f.config.RouterCycles), f.late)
	f.due = now + 1
	if f.active.empty() && f.sending.empty() {
		f.due = f.wheel.next(now)
	}
	f.settle()
	return f.due
}

// elapse counts the cycles since the last call of Cycle.
func (f *Fabric) elapse(cycles uint64) {
	for i := range f.tallies {
		f.tallies[i].elapse(cycles)
	}
	f.routed.Set[f.routed.Buffered] += f.wasBuffer * cycles
	f.routed.Set[f.routed.Stalled] += f.wasStalled * cycles
}

func (f *Fabric) settle() {
	for i := range f.tallies {
		f.tallies[i].settle()
		f.tallies[i].settleHops()
	}
	f.wasBuffer, f.wasStalled = f.buffered, f.stalled
	f.routed.Set[f.routed.Flits] += f.moved
	f.moved = 0
}

// receive takes what arrives in this cycle.
func (f *Fabric) receive(s *slot) {
	for _, a := range s.flits {
		f.buffer(a.vc, a.flit)
	}
	for _, ov := range s.credits {
		f.credit(ov)
	}
	for _, entry := range s.tails {
		f.deliver(entry)
	}
	s.flits, s.credits, s.tails = s.flits[:0], s.credits[:0], s.tails[:0]
}

// InFlight implements Network.
func (f *Fabric) InFlight() int {
	n := uint64(0)
	for i := range f.tallies {
		t := &f.tallies[i]
		n += t.queued + t.flying + t.arrived
	}
	return int(n)
}

var _ Network = (*Fabric)(nil)
