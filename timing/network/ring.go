package network

// packetRing is a queue of packets with a capacity fixed at construction.
type packetRing struct {
	items       []Packet
	first, mask int
	count       int
}

func newPacketRing(capacity int) packetRing {
	n := powerOfTwo(capacity)
	return packetRing{items: make([]Packet, n), mask: n - 1}
}

func (r *packetRing) head() *Packet { return &r.items[r.first] }

func (r *packetRing) push(p Packet) {
	if r.count == len(r.items) {
		panic("BUG: network: packet sent to a full input")
	}
	r.items[(r.first+r.count)&r.mask] = p
	r.count++
}

func (r *packetRing) pop() Packet {
	p := r.items[r.first]
	r.first = (r.first + 1) & r.mask
	r.count--
	return p
}

// flight is a packet on its way to an output, or waiting there.
type flight struct {
	packet  Packet
	arrival int64
}

// flightRing is a queue of flights in order of arrival.
type flightRing struct {
	items       []flight
	first, mask int
	count       int
}

func newFlightRing(capacity int) flightRing {
	n := powerOfTwo(capacity)
	return flightRing{items: make([]flight, n), mask: n - 1}
}

func (r *flightRing) head() *flight    { return &r.items[r.first] }
func (r *flightRing) at(i int) *flight { return &r.items[(r.first+i)&r.mask] }

func (r *flightRing) push(f flight) {
	r.items[(r.first+r.count)&r.mask] = f
	r.count++
}

func (r *flightRing) pop() {
	r.first = (r.first + 1) & r.mask
	r.count--
}

// powerOfTwo is the least power of two that is not less than n.
func powerOfTwo(n int) int {
	p := 1
	for p < n {
		p *= 2
	}
	return p
}
