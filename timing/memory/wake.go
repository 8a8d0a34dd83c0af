// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"github.com/warptape/warptape/timing/clock"
)

// The wake functions make a component due at its first clock edge after the
// event in progress.

func (s *System) wakeSlice(l *slice) { s.wakeSliceAt(l.partition.at.now, l) }

// wakeSliceAt is wakeSlice for an event at another time.
func (s *System) wakeSliceAt(at clock.Time, l *slice) {
	m := l.partition.at
	edge := m.edges.l2.After(at)
	if due := s.dues.slices.At(l.number); edge < *due { // l2Due is not after it
		m.l2Due = min(m.l2Due, edge)
		if *due = edge; m == &s.moment {
			s.dues.slices.Keep(l.number>>clock.GroupBits, edge)
		}
	}
}

func (s *System) wakeLLC(p *partition) {
	edge := p.at.edges.l2.After(p.at.now)
	s.dues.llcs[p.number] = min(s.dues.llcs[p.number], edge)
	p.at.l2Due = min(p.at.l2Due, edge)
}

// wakeChannelAt makes a channel due at the first edge of the DRAM domain after the event.
func (s *System) wakeChannelAt(p *partition, edge clock.Time) {
	due := s.dues.channels.At(p.number)
	*due = min(*due, edge)
	p.at.dramDue = min(p.at.dramDue, edge)
	if p.at == &s.moment {
		s.dues.channels.Keep(p.number>>clock.GroupBits, edge)
	}
}

// wakeRequestsNow and wakeRepliesNow give the network cycle of that edge.
func (s *System) wakeRequestsNow() int64 { return s.wakeNetwork(&s.requestDue, s.now) }
func (s *System) wakeRepliesNow() int64  { return s.wakeNetwork(&s.replyDue, s.now) }

// wakeRequests and wakeReplies are for ports, which act at a core edge.
func (s *System) wakeRequests(now clock.Cycle) int64 {
	return s.wakeNetwork(&s.requestDue, s.clocks.Core.Start(now))
}

func (s *System) wakeReplies(now clock.Cycle) int64 {
	return s.wakeNetwork(&s.replyDue, s.clocks.Core.Start(now))
}

func (s *System) wakeNetwork(due *clock.Time, now clock.Time) int64 {
	cycle, edge := s.edges.network.Next(now)
	if edge < *due {
		*due = edge
	}
	return int64(cycle)
}

// wakePort wakes the SM of a port at the first core edge not before the event.
func (s *System) wakePort(sm int) {
	if p := s.ports[sm]; p != nil {
		p.to.Wake()
	}
}

// requestEnds listens to the request network.
type requestEnds System

// Freed implements network.Listener: an SM may send again.
func (e *requestEnds) Freed(end int) {
	if end < len(e.ports) {
		e.ports[end].ahead.Refused = false
		(*System)(e).wakePort(end)
	}
}

// Arrived implements network.Listener: a request waits for a slice.
func (e *requestEnds) Arrived(end int) {
	if e.apart.on {
		return // the slice has looked ahead
	}
	if end < len(e.slices) {
		e.slices[end].waiting++
		(*System)(e).wakeSlice(e.slices[end])
		return
	}
	e.offloader.Arrived((*System)(e).behindSlices(end), false)
}

// replyEnds listens to the reply network.
type replyEnds System

// Freed implements network.Listener: a slice may answer again.
func (e *replyEnds) Freed(end int) {
	if end < len(e.slices) {
		if e.apart.on {
			(*System)(e).apartFreed(e.slices[end])
			return
		}
		(*System)(e).wakeSlice(e.slices[end])
	}
}

// Arrived implements network.Listener: an answer waits for an SM.
func (e *replyEnds) Arrived(end int) {
	if e.apart.on {
		return // the SM has looked ahead
	}
	if end < len(e.ports) {
		e.ports[end].arrived++
		(*System)(e).wakePort(end)
		return
	}
	e.offloader.Arrived((*System)(e).behindSMs(end), true)
}
