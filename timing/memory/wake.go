// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"github.com/warptape/warptape/timing/clock"
)

// The wake functions make a component due at its first clock edge after the
// event in progress.

func (s *System) wakeSlice(l *slice) { s.wakeSliceAt(s.now, l) }

// wakeSliceAt is wakeSlice for an event at another time.
func (s *System) wakeSliceAt(at clock.Time, l *slice) {
	edge, due := s.edges.l2.After(at), &s.dues.slices[l.number]
	if edge < *due { // l2Due is not after it
		*due = edge
		s.l2Due = min(s.l2Due, edge)
	}
}

func (s *System) wakeLLC(p *partition) {
	edge := s.edges.l2.After(s.now)
	s.dues.llcs[p.number] = min(s.dues.llcs[p.number], edge)
	s.l2Due = min(s.l2Due, edge)
}

// wakeChannelAt makes a channel due at the first edge of the DRAM domain after the event.
func (s *System) wakeChannelAt(p *partition, edge clock.Time) {
	due := &s.dues.channels[p.number]
	*due = min(*due, edge)
	s.dramDue = min(s.dramDue, edge)
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
		(*System)(e).wakePort(end)
	}
}

// Arrived implements network.Listener: a request waits for a slice.
func (e *requestEnds) Arrived(end int) {
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
		(*System)(e).wakeSlice(e.slices[end])
	}
}

// Arrived implements network.Listener: an answer waits for an SM.
func (e *replyEnds) Arrived(end int) {
	if end < len(e.ports) {
		e.ports[end].arrived++
		(*System)(e).wakePort(end)
		return
	}
	e.offloader.Arrived((*System)(e).behindSMs(end), true)
}
