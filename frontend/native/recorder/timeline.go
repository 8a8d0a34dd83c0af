// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"math"
	"slices"

	"github.com/warptape/warptape/frontend/native/wire"
	"github.com/warptape/warptape/trace"
)

// stream is what the recorder knows of a stream of the program.
type stream struct {
	id uint32
	// nonBlocking streams do not wait for the legacy stream, nor it for them.
	nonBlocking bool
	// last is the stream's last event of the timeline, -1 without one.
	last int
	// after are events of other streams that its next step waits for.
	after []int
	// asked is when the program asked for its last step, began when that begins.
	asked, began float64
	// end is when its last step ends, in nanoseconds of the estimate.
	end float64
}

// mark is what a CUDA event has recorded.
type mark struct {
	events []int // of the timeline
	stream uint32
	at     float64
	// asked and began are of the last step before the mark.
	asked, began float64
}

// legacyStream is the stream of calls that name none: it waits for all blocking streams,
// and they for it.
const legacyStream = 0

// waitingStream is the stream that a wait for an event names, which has no steps.
const waitingStream = math.MaxInt32

func (s *session) stream(id uint64) (*stream, error) {
	if id >= waitingStream {
		return nil, refuse(errInvalidHandle, "stream %d", id)
	}
	if t := s.streams[uint32(id)]; t != nil {
		return t, nil
	}
	if len(s.streams) >= maxStreams {
		return nil, refuse(errMemory, "more than %d streams", maxStreams)
	}
	t := &stream{id: uint32(id), last: -1}
	s.streams[t.id] = t
	s.order = append(s.order, t)
	return t, nil
}

// waits are the events that the next step of a stream waits for, besides the stream's own.
func (s *session) waits(t *stream) []int {
	after := t.after
	t.after = nil
	if t.nonBlocking {
		return after
	}
	for _, other := range s.order {
		legacy := t.id == legacyStream || other.id == legacyStream
		if other != t && legacy && !other.nonBlocking && other.last > t.last {
			after = append(after, other.last)
		}
	}
	slices.Sort(after)
	return slices.Compact(after)
}

// took adds a step of so many nanoseconds to the estimate of time.
func (s *session) took(t *stream, after []int, nanoseconds float64) {
	begin := max(t.end, s.hostTime)
	for _, e := range after {
		begin = max(begin, s.ends[e])
	}
	t.asked, t.began, t.end = s.hostTime, begin, begin+nanoseconds
}

// step records a step of a stream.
func (s *session) step(t *stream, e trace.HostEvent, nanoseconds float64) error {
	e.Stream, e.After = t.id, s.waits(t)
	n, err := s.sink.AddEvent(e)
	if err != nil {
		return err
	}
	s.took(t, e.After, nanoseconds)
	s.stepped(t, n)
	return nil
}

func (s *session) stepped(t *stream, event int) {
	t.last = event
	s.noteEnd(event, t.end)
}

// noteEnd keeps when an event of the timeline ends.
func (s *session) noteEnd(event int, at float64) {
	for len(s.ends) <= event {
		s.ends = append(s.ends, 0)
	}
	s.ends[event] = at
}

// outside records an event that belongs to no stream.
func (s *session) outside(e trace.HostEvent) error {
	n, err := s.sink.AddEvent(e)
	if err == nil {
		s.noteEnd(n, s.hostTime)
	}
	return err
}

// synchronize records that the host waits for a stream.
func (s *session) synchronize(t *stream) error {
	// The legacy stream waits for the others first, though it may have no step itself.
	e := trace.HostEvent{Kind: trace.EventSynchronize, Stream: t.id, After: s.waits(t)}
	s.hostTime = max(s.hostTime, t.end)
	for _, n := range e.After {
		s.hostTime = max(s.hostTime, s.ends[n])
	}
	return s.outside(e)
}

func (s *session) synchronizeAll() error {
	for _, t := range s.order {
		s.hostTime = max(s.hostTime, t.end)
	}
	return s.outside(trace.HostEvent{Kind: trace.EventSynchronize, AllStreams: true})
}

// synchronizeMark records that the host waits for a CUDA event.
func (s *session) synchronizeMark(id uint64) error {
	m, ok := s.marks[id]
	if !ok || len(m.events) == 0 {
		return nil
	}
	s.hostTime = max(s.hostTime, m.at)
	return s.outside(trace.HostEvent{Kind: trace.EventSynchronize, Stream: waitingStream, After: slices.Clone(m.events)})
}

// record marks the present end of a stream.
func (s *session) record(event, id uint64) error {
	t, err := s.stream(id)
	if err != nil {
		return err
	}
	m := mark{events: slices.Clone(t.after), stream: t.id, at: max(t.end, s.hostTime), asked: t.asked, began: t.began}
	if t.last >= 0 {
		m.events = append(m.events, t.last)
	}
	for _, e := range t.after { // waits that no step has made its own
		m.at = max(m.at, s.ends[e])
	}
	if t.id == legacyStream { // an event in the legacy stream waits for the others
		for _, other := range s.order {
			if !other.nonBlocking {
				m.at = max(m.at, other.end)
				if other.last > t.last { // for the others the stream has waited
					m.events = append(m.events, other.last)
				}
			}
		}
	}
	slices.Sort(m.events)
	m.events = slices.Compact(m.events)
	return s.setMark(event, m)
}

// setMark keeps what an event has recorded, within what the events of a session may take.
func (s *session) setMark(event uint64, m mark) error {
	before, known := s.marks[event]
	if len(s.marks) >= maxMarks && !known {
		return refuse(errMemory, "more than %d events", maxMarks)
	}
	marked := s.marked - len(before.events) + len(m.events)
	if marked > maxWaits {
		return refuse(errMemory, "events that wait for more than %d steps together", maxWaits)
	}
	s.marks[event], s.marked = m, marked
	return nil
}

// noStream is the stream of marks that are of several.
const noStream = math.MaxUint32

// join makes a mark of several: it is reached when all are.
func (s *session) join(q *wire.Join) error {
	m := mark{stream: noStream, at: s.hostTime, asked: s.hostTime}
	for _, id := range q.Of {
		of, ok := s.marks[id]
		if !ok {
			return refuse(errInvalidHandle, "a join of event %d, which was not recorded", id)
		}
		m.events = append(m.events, of.events...)
		m.at = max(m.at, of.at)
		if len(m.events) > 2*maxJoined {
			slices.Sort(m.events)
			m.events = slices.Compact(m.events)
		}
		if len(m.events) > maxJoined {
			return refuse(errMemory, "an event waits for more than %d steps", maxJoined)
		}
	}
	slices.Sort(m.events)
	m.events, m.began = slices.Compact(m.events), m.at
	return s.setMark(q.Event, m)
}

// maxJoined bounds the steps that one mark is of.
const maxJoined = 1 << 16

// maxMarks bounds the events that a program has recorded, maxWaits the steps that they mark
// together, and those that the timeline's steps wait for: each takes eight bytes.
const (
	maxMarks = 1 << 20
	maxWaits = 1 << 26
)

// streamWait lets a stream wait for a mark.
func (s *session) streamWait(id, event uint64) error {
	t, err := s.stream(id)
	if err != nil {
		return err
	}
	m, ok := s.marks[event]
	if !ok || m.stream == t.id {
		return nil
	}
	after := slices.Clone(t.after)
	for _, e := range m.events {
		if e != t.last {
			after = append(after, e)
		}
	}
	slices.Sort(after)
	if after = slices.Compact(after); len(after) > maxJoined {
		return refuse(errMemory, "a stream waits for more than %d steps of others", maxJoined)
	}
	t.after = after
	return nil
}
