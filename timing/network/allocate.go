// SPDX-License-Identifier: Apache-2.0

package network

import "math/bits"

// buffer puts a flit that has arrived at an input virtual channel into its
// buffer.
func (f *Fabric) buffer(vc int32, fl flit) {
	in := &f.inputs[vc]
	place := int(in.first) + int(in.count)
	if place >= f.config.BufferFlits {
		place -= f.config.BufferFlits
	}
	if in.count++; int(in.count) > f.config.BufferFlits {
		panic("BUG: network: flit sent without a credit")
	}
	f.buffers[int(vc)*f.config.BufferFlits+place] = fl
	f.buffered++
	if in.count == 1 {
		f.front(int(in.router), int(in.local), in)
	}
}

// front looks at the flit that has come to the front of input virtual channel l
// of router r.
func (f *Fabric) front(r, l int, in *inputVC) {
	if in.port == none {
		entry := f.buffers[(r*f.ports*f.vcs+l)*f.config.BufferFlits+int(in.first)] >> 1
		in.port = f.topology.route[r*len(f.sinks)+int(f.packets[entry].To)]
		f.outputs[r*f.ports+int(in.port)].waiting |= 1 << l
		f.routers[r].waiting |= 1 << in.port
		f.active.set(r)
		return
	}
	f.readyOrStalled(r, l, in)
}

// readyOrStalled enters a flit whose packet holds a channel for the switch, or
// counts it as waiting for a credit.
func (f *Fabric) readyOrStalled(r, l int, in *inputVC) {
	op := r*f.ports + int(in.port)
	if f.channels[op*f.vcs+int(in.channel)].credits == 0 {
		f.stalled++
		return
	}
	f.outputs[op].ready |= 1 << l
	f.routers[r].ready |= 1 << in.port
	f.active.set(r)
}

// credit takes a credit for an output virtual channel, or ^ that of a source.
func (f *Fabric) credit(ov int32) {
	if ov < 0 {
		f.creditSource(int(^ov))
		return
	}
	c := &f.channels[ov]
	c.credits++
	if c.credits > 1 || c.owner == none {
		return
	}
	r := int(c.router)
	in := &f.inputs[r*f.ports*f.vcs+int(c.owner)]
	if in.count > 0 {
		f.stalled--
		f.readyOrStalled(r, int(c.owner), in)
	}
}

// allocate gives channels to heads and the switch to flits of router r for one
// cycle, and keeps the router active while something may move in the next.
func (f *Fabric) allocate(r int) {
	st := &f.routers[r]
	base := r * f.ports
	for m := st.waiting; m != 0; m &= m - 1 {
		p := bits.TrailingZeros64(m)
		f.allocateChannels(r, p, &f.outputs[base+p])
	}
	if st.ready != 0 {
		f.allocateSwitch(r)
	}
	if st.ready != 0 {
		return
	}
	for m := st.waiting; m != 0; m &= m - 1 {
		if f.grantable(&f.outputs[base+bits.TrailingZeros64(m)]) {
			return
		}
	}
	f.active.clear(r)
}

// grantable reports whether a waiting head could have a channel.
func (f *Fabric) grantable(out *outputPort) bool {
	if out.sink != unwired && f.sinks[out.sink].full() {
		return false
	}
	for c := range f.classVCs {
		if out.waiting&f.classVCs[c] != 0 && out.free&f.classRange[c] != 0 {
			return true
		}
	}
	return false
}

// allocateChannels gives the free virtual channels of an output port to waiting
// heads of their class, both in turn. The channels of a port are
// interchangeable and a head asks for one port only, so a separable allocator
// would come to the same matching, over several iterations.
func (f *Fabric) allocateChannels(r, p int, out *outputPort) {
	for c := range f.classVCs {
		heads, free := out.waiting&f.classVCs[c], out.free&f.classRange[c]
		for heads != 0 && free != 0 {
			if out.sink != unwired {
				s := &f.sinks[out.sink]
				if s.full() {
					break
				}
				s.held++
			}
			l, v := firstFrom(heads, out.turn), firstFrom(free, out.channel)
			out.turn, out.channel = (l+1)&63, (v+1)&63
			heads, free = heads&^(1<<l), free&^(1<<v)
			out.waiting &^= 1 << l
			out.free &^= 1 << v
			in := &f.inputs[r*f.ports*f.vcs+int(l)]
			in.channel = v
			f.channels[(r*f.ports+p)*f.vcs+int(v)].owner = l
			f.readyOrStalled(r, int(l), in)
		}
	}
	if out.waiting == 0 {
		f.routers[r].waiting &^= 1 << p
	}
}

// allocateSwitch matches input ports to output ports and sends a flit for each
// match.
func (f *Fabric) allocateSwitch(r int) {
	st := &f.routers[r]
	base := r * f.ports
	candidates := ^uint64(0) // input virtual channels of input ports without a match
	unmatched := st.ready    // output ports with ready flits and no match
	if unmatched&(unmatched-1) == 0 {
		f.sendOnly(r, bits.TrailingZeros64(unmatched))
		return
	}
	var picks [maxPorts]uint8
	for iteration := 0; unmatched != 0 && iteration < f.config.Iterations; iteration++ {
		var requests [maxPorts]uint16 // by input port: the outputs that grant it
		granted := uint64(0)
		for m := unmatched; m != 0; m &= m - 1 {
			p := bits.TrailingZeros64(m)
			out := &f.outputs[base+p]
			ready := out.ready & candidates
			if ready == 0 {
				unmatched &^= 1 << p
				continue
			}
			i := f.portOf[firstFrom(ready, out.grant)]
			picks[p] = firstFrom(ready&f.portVCs[i], f.rotate[base+int(i)])
			requests[i] |= 1 << p
			granted |= 1 << i
		}
		for ; granted != 0; granted &= granted - 1 {
			i := bits.TrailingZeros64(granted)
			p := firstFrom(uint64(requests[i]), f.accept[base+i])
			candidates &^= f.portVCs[i]
			unmatched &^= 1 << p
			if iteration == 0 {
				f.accept[base+i] = (p + 1) & 63
				f.outputs[base+int(p)].grant = f.nextPort[i]
			}
			f.rotate[base+i] = (picks[p] + 1) & 63
			f.traverse(r, int(picks[p]), int(p))
		}
	}
}

// sendOnly is allocateSwitch for a router with ready flits for one output port
// only.
func (f *Fabric) sendOnly(r, p int) {
	out := &f.outputs[r*f.ports+p]
	i := f.portOf[firstFrom(out.ready, out.grant)]
	in := r*f.ports + int(i)
	l := firstFrom(out.ready&f.portVCs[i], f.rotate[in])
	out.grant = f.nextPort[i]
	f.accept[in] = uint8(p+1) & 63
	f.rotate[in] = (l + 1) & 63
	f.traverse(r, int(l), p)
}

// traverse sends the flit at the front of input virtual channel l of router r
// through output port p.
func (f *Fabric) traverse(r, l, p int) {
	vc := r*f.ports*f.vcs + l
	in, op := &f.inputs[vc], r*f.ports+p
	out, channel := &f.outputs[op], &f.channels[op*f.vcs+int(in.channel)]
	fl := f.buffers[vc*f.config.BufferFlits+int(in.first)]
	if in.first++; int(in.first) == f.config.BufferFlits {
		in.first = 0
	}
	in.count--
	f.buffered--
	f.moved++
	out.flits++
	f.soon.credits = append(f.soon.credits, f.feeders[vc])
	tail := fl&1 != 0
	if out.sink == unwired {
		channel.credits--
		f.tallies[f.classOf[in.channel]].hops++
		f.late.flits = append(f.late.flits, flitArrival{vc: out.first + int32(in.channel), flit: fl})
	} else if tail {
		f.soon.tails = append(f.soon.tails, uint32(fl>>1))
	}
	switch {
	case tail:
		out.free |= 1 << in.channel
		channel.owner = none
		in.port, in.channel = none, none
		f.unready(r, l, p, out)
		if in.count > 0 {
			f.front(r, l, in)
		}
	case in.count == 0:
		f.unready(r, l, p, out)
	case channel.credits == 0:
		f.unready(r, l, p, out)
		f.stalled++
	}
}

// unready takes an input virtual channel out of the allocation of a port.
func (f *Fabric) unready(r, l, p int, out *outputPort) {
	out.ready &^= 1 << l
	if out.ready == 0 {
		f.routers[r].ready &^= 1 << p
	}
}
