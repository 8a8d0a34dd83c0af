// SPDX-License-Identifier: Apache-2.0

package memory

import "github.com/warptape/warptape/timing/clock"

// RunPartition implements seam.Lookahead. It does all events of a partition up to a
// time, or up to one for which a slice would have to know whether the reply network has
// room.
func (s *System) RunPartition(i int, to clock.Time) (steps int) {
	p := s.partitions[i]
	m := p.own
	for _, l := range p.slices {
		l.ahead.Room = s.apart.back.net.Room(l.number) - l.ahead.sends.Len()
	}
	m.arrives = p.arrivals()
	for {
		next := min(m.l2Due, m.arrives)
		if p.tight() {
			// The network may let a slice go on at the next edge already.
			next = min(next, m.edges.l2.After(m.now))
			if sure := s.apart.between + 1; next > sure {
				to = min(to, next-1)
			}
		}
		if next = min(next, m.dramDue); next > to {
			break
		}
		m.now = next
		steps++
		p.step()
	}
	m.reached = max(m.reached, to)
	m.now = max(m.now, m.reached)
	return steps
}

// tight reports whether a slice does not know that the reply network has room.
func (p *partition) tight() bool {
	for _, l := range p.slices {
		if l.ahead.Room <= 0 || l.ahead.Refused {
			return true
		}
	}
	return false
}

// arrivals is the first L2 edge at which a slice sees another request.
func (p *partition) arrivals() clock.Time {
	first := clock.NeverTime
	for _, l := range p.slices {
		first = min(first, l.coming())
	}
	if first == clock.NeverTime {
		return first
	}
	period := p.system.clocks.L2.Period
	return (first/period + 1) * period
}

// see lets the slices see the requests that have come before the present edge.
func (p *partition) see(now clock.Time) {
	for _, l := range p.slices {
		for coming := l.coming(); coming < now; coming = l.coming() {
			l.waiting++
			p.system.wakeSliceAt(coming, l)
		}
	}
	p.own.arrives = p.arrivals()
}

// step lets what is due in a partition do one cycle, as System.step does.
func (p *partition) step() {
	s, m := p.system, p.own
	now := m.now
	if m.dramDue <= now {
		due := s.dues.channels.At(p.number)
		*due = clock.NeverTime
		m.dramDue = clock.NeverTime
		next := edge(&s.clocks.DRAM, p.channel.Cycle(int64(m.edges.dram.Cycle(now))))
		m.dramDue = min(m.dramDue, next)
		*due = m.dramDue
	}
	if m.arrives <= now {
		p.see(now)
	}
	if m.l2Due <= now {
		p.stepL2(now)
	}
}

// stepL2 lets the last-level cache and the slices that are due do one cycle.
func (p *partition) stepL2(now clock.Time) {
	s, m := p.system, p.own
	cycle := int64(m.edges.l2.Cycle(now))
	m.l2Due = clock.NeverTime
	if p.llc != nil {
		due := &s.dues.llcs[p.number]
		if *due <= now {
			*due = clock.NeverTime
			next := edge(&s.clocks.L2, p.llc.cycle(cycle))
			*due = min(*due, next)
		}
	}
	first := int(cycle) & (len(p.slices) - 1)
	for i := range p.slices {
		l := p.slices[i^first]
		if due := s.dues.slices.At(l.number); *due <= now {
			s.stepSlice(l, due, cycle)
		}
	}
	for _, l := range p.slices {
		m.l2Due = min(m.l2Due, *s.dues.slices.At(l.number))
	}
	if p.llc != nil {
		m.l2Due = min(m.l2Due, s.dues.llcs[p.number])
	}
}
