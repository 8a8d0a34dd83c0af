// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/network"
	"github.com/warptape/warptape/timing/seam"
)

// apart is the state of a memory system whose parts run apart. Ports, partitions, and the
// two networks between them each run on their own (conservative parallel simulation:
// Chandy and Misra, IEEE TSE 1979). A packet is on its way through a network for some
// cycles, so that a receiver of packets knows for so long which it will get. A sender
// knows how many places it is sure to find; when there are none it waits for the network.
// Ports and slices write down what they do, and the networks follow (apartNet).
type apart struct {
	on          bool
	forth, back apartNet
	between     clock.Time // the networks have done all up to it
}

// apartPartition is a partition that runs apart.
type apartPartition struct {
	moment
	reached clock.Time // it has done all events up to it
	arrives clock.Time // when a slice sees another request
	counts  counters.Set
	_       [64]byte // each has a cache line of its own
}

// crossbarsOnly reports whether both networks are crossbars: only they tell when a packet
// will arrive.
func (s *System) crossbarsOnly() bool {
	_, forth := s.requestNet.(*network.Crossbar)
	_, back := s.replyNet.(*network.Crossbar)
	return forth && back
}

// Partible implements seam.Lookahead: the machine has to have ports and slices alone,
// without other users.
func (s *System) Partible() bool {
	for _, l := range s.slices {
		if l.lower != nil {
			return false
		}
	}
	for _, p := range s.partitions {
		if len(p.users) > 0 {
			return false
		}
	}
	return s.crossbarsOnly() && s.offloader == nil
}

// prepare makes what runs apart.
func (s *System) prepare() {
	x := &s.apart
	x.forth = apartNet{net: s.requestNet.(*network.Crossbar), sends: s.enter}
	x.back = apartNet{net: s.replyNet.(*network.Crossbar), sends: s.replyNet.Send}
	for _, p := range s.ports {
		x.forth.from, x.back.to = append(x.forth.from, &p.ahead), append(x.back.to, &p.ahead)
	}
	for _, l := range s.slices {
		l.ahead = newAhead(s)
		x.back.from, x.forth.to = append(x.back.from, &l.ahead), append(x.forth.to, &l.ahead)
	}
	for _, p := range s.partitions {
		p.own = &apartPartition{moment: moment{edges: s.clocks.edges()}}
	}
}

// Depart implements seam.Lookahead.
func (s *System) Depart(now clock.Cycle) {
	x := &s.apart
	if x.forth.net == nil {
		s.prepare()
	}
	x.between = s.clocks.Core.Start(now)
	s.Advance(x.between)
	x.on = true
	x.forth.due, x.back.due = cycleOf(&s.clocks.Network, s.requestDue), cycleOf(&s.clocks.Network, s.replyDue)
	for _, p := range s.ports {
		p.ahead.on, p.ahead.Refused = true, x.forth.net.Refused(p.sm)
	}
	for _, p := range s.partitions {
		p.depart(x.between)
	}
}

// depart gives a partition a present and counters of its own.
func (p *partition) depart(now clock.Time) {
	m, s := p.own, p.system
	m.now, m.reached, m.dramDue, m.l2Due = now, now, *s.dues.channels.At(p.number), clock.NeverTime
	if p.llc != nil {
		m.l2Due = s.dues.llcs[p.number]
	}
	for _, l := range p.slices {
		m.l2Due = min(m.l2Due, *s.dues.slices.At(l.number))
		l.ahead.on, l.ahead.Refused = true, s.apart.back.net.Refused(l.number)
	}
	p.at = &m.moment
	p.countIn(&m.counts)
}

// countIn names the counters of all that is in a partition.
func (p *partition) countIn(set *counters.Set) {
	p.counts = set
	p.channel.CountIn(set)
	if p.llc != nil {
		p.llc.counts.set = set
	}
	for _, l := range p.slices {
		l.counts.set = set
		if l.prefetch != nil {
			l.prefetch.counts = set
		}
	}
}

// Meet implements seam.Lookahead.
func (s *System) Meet() {
	x := &s.apart
	x.forth.finish()
	x.back.finish()
	x.on = false
	s.requestDue, s.replyDue = edge(&s.clocks.Network, x.forth.due), edge(&s.clocks.Network, x.back.due)
	s.now, s.l2Due, s.dramDue = x.between, clock.NeverTime, clock.NeverTime
	for _, p := range s.partitions {
		p.meet()
	}
	s.dues.channels.Settle()
	s.dues.slices.Settle()
	for _, p := range s.ports {
		p.ahead.on, p.sent = false, p.requests.Items
		if p.arrived = x.back.net.Arrived(p.sm); p.arrived > 0 {
			p.to.Wake()
		}
	}
}

// meet ends the running apart of a partition.
func (p *partition) meet() {
	s, m := p.system, p.own
	for _, l := range p.slices {
		for coming := l.coming(); coming <= s.apart.between; coming = l.coming() {
			l.waiting++
			s.wakeSliceAt(coming, l)
		}
		l.ahead.on = false
	}
	s.l2Due, s.dramDue = min(s.l2Due, m.l2Due), min(s.dramDue, m.dramDue)
	p.at = &s.moment
	p.countIn(s.global)
	s.global.Add(&m.counts)
	m.counts = counters.Set{}
}

// coming is the time at which the next request arrives that the slice has yet to see.
func (l *slice) coming() clock.Time {
	at, ok := l.system.apart.forth.net.ArrivalOf(l.number, l.ahead.takes.Len()+l.waiting)
	if !ok {
		return clock.NeverTime
	}
	return clock.Time(at) * l.system.clocks.Network.Period
}

// Reach implements seam.Lookahead. What the networks grant next arrives some cycles after
// the first cycle that they have yet to do.
func (s *System) Reach() (sms clock.Cycle, partitions clock.Time) {
	x := &s.apart
	period := s.clocks.Network.Period
	next := x.between/period + 1
	arrives := func(n *apartNet) clock.Time { return (next + clock.Time(n.net.Latency())) * period }
	return s.clocks.Core.CyclesUntil(arrives(&x.back)), arrives(&x.forth)
}

// Between implements seam.Lookahead.
func (s *System) Between() clock.Time { return s.apart.between }

// Look implements seam.Lookahead.
func (s *System) Look(sm int) *seam.Sight {
	a := &s.ports[sm].ahead
	a.look(s, s.apart.forth.net, s.apart.back.net, sm)
	return &a.Sight
}

// Wake implements seam.Lookahead.
func (s *System) Wake(sm int) { s.ports[sm].to.Wake() }

// Partitions implements seam.Lookahead.
func (s *System) Partitions() int { return len(s.partitions) }

// RunNetworks implements seam.Lookahead.
func (s *System) RunNetworks(to clock.Time) {
	x := &s.apart
	for _, p := range s.partitions {
		to = min(to, p.own.reached)
	}
	if to <= x.between {
		return
	}
	last := int64(to / s.clocks.Network.Period)
	x.forth.run(last)
	x.back.run(last)
	x.between = to
}

// apartFreed tells a slice that waits that it may send again. The network is in its
// cycle due.
func (s *System) apartFreed(l *slice) {
	l.ahead.Refused = false
	s.wakeSliceAt(clock.Time(s.apart.back.at)*s.clocks.Network.Period, l)
}

var _ seam.Lookahead = (*System)(nil)
