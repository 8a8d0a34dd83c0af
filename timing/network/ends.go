// SPDX-License-Identifier: Apache-2.0

package network

// CanSend implements Network; a refusal is remembered, and Listener.Freed called.
func (f *Fabric) CanSend(i int) bool {
	s := &f.sources[i]
	if !s.limit.Full(s.queue.Len()) {
		return true
	}
	s.full = true
	return false
}

// Send implements Network.
func (f *Fabric) Send(i int, p Packet) {
	s := &f.sources[i]
	if s.limit.Full(s.queue.Len()) {
		panic("BUG: network: packet sent to a full input")
	}
	s.queue.Push(p)
	f.sending.set(i)
	f.tallies[f.sinks[p.To].class].queued++
}

// inject sends one flit of the head packet of source i, if it can. A source
// that cannot sleeps until a credit comes.
func (f *Fabric) inject(i int) {
	s := &f.sources[i]
	p := s.queue.Head()
	class := f.sinks[p.To].class
	if s.sent == 0 {
		open := s.open & f.classRange[class]
		if open == 0 {
			f.sending.clear(i)
			return
		}
		s.channel = firstFrom(open, s.channel)
		s.entry = f.depart(*p)
		f.tallies[class].queued--
		f.tallies[class].flying++
	} else if s.open>>s.channel&1 == 0 {
		f.sending.clear(i)
		return
	}
	f.launch(i, s, p)
}

// launch puts a flit of packet p onto the link to the router.
func (f *Fabric) launch(i int, s *source, p *Packet) {
	s.sent++
	fl := flit(s.entry << 1)
	if s.sent == p.Flits {
		fl |= 1
	}
	vc := s.first + int32(s.channel)
	f.late.flits = append(f.late.flits, flitArrival{vc: vc, flit: fl})
	k := i*f.vcs + int(s.channel)
	f.credits[k]--
	if f.credits[k] == 0 {
		s.open &^= 1 << s.channel
	}
	if fl&1 == 0 {
		return
	}
	s.queue.Pop()
	s.sent = 0
	s.channel = (s.channel + 1) & 63
	if s.queue.Len() == 0 {
		f.sending.clear(i)
	}
	if s.full {
		s.full = false
		if f.listener != nil {
			f.listener.Freed(i)
		}
	}
}

// depart gives a packet its entry.
func (f *Fabric) depart(p Packet) uint32 {
	if n := len(f.free); n > 0 {
		entry := f.free[n-1]
		f.free = f.free[:n-1]
		f.packets[entry] = p
		return entry
	}
	f.packets = append(f.packets, p)
	return uint32(len(f.packets) - 1)
}

// creditSource takes a credit for a virtual channel of a source.
func (f *Fabric) creditSource(k int) {
	f.credits[k]++
	i := k / f.vcs
	s := &f.sources[i]
	s.open |= 1 << (k - i*f.vcs)
	if s.queue.Len() > 0 {
		f.sending.set(i)
	}
}

// deliver puts a packet whose tail has arrived into its output's queue.
func (f *Fabric) deliver(entry uint32) {
	p := f.packets[entry]
	f.free = append(f.free, entry)
	s := &f.sinks[p.To]
	s.queue.Push(flight{packet: p, arrival: f.now})
	f.tallies[s.class].flying--
	f.tallies[s.class].arrived++
	if f.listener != nil {
		f.listener.Arrived(int(p.To))
	}
}

// Head implements Network.
func (f *Fabric) Head(o int) (Packet, bool) {
	s := &f.sinks[o]
	if s.queue.Len() == 0 {
		return Packet{}, false
	}
	return s.queue.Head().packet, true
}

// Pop implements Network: a head that waits for the place may go on.
func (f *Fabric) Pop(o int, now int64) {
	s := &f.sinks[o]
	s.held--
	f.tallies[s.class].popped(now - s.queue.Pop().arrival)
	if f.outputs[s.port].waiting != 0 {
		f.active.set(int(s.port) / f.ports)
	}
}
