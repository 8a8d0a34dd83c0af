// SPDX-License-Identifier: Apache-2.0

package recovery

import (
	"errors"
	"fmt"
	"slices"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/messages"
)

func (s *salvage) takeTimeline(p *piece) error {
	m, err := s.content.ReadTimeline(p.FrameInfo, &s.chunk.Frame)
	if err != nil {
		return err
	}
	for _, e := range m.Events {
		if !messages.EventKind(e).Known() {
			return fmt.Errorf("an event has the unknown kind %d", e.GetKind())
		}
	}
	s.held = append(s.held, m)
	if !s.unsureLaunches {
		s.release(0)
	}
	return nil
}

// release adds the timelines that were held. There are so many launches up to here; a
// writer puts a launch's event, and none of a later launch, before its first chunk. Those
// that are missing were lost before the timelines; timelines of more do not belong here.
func (s *salvage) release(launches int) {
	if s.unsureLaunches && launches > 0 {
		first := len(s.held) // of those that can be
		for ; first > 0; first-- {
			n := launchesOf(s.held[first-1])
			if launches-n < len(s.content.Launches) {
				break
			}
			launches -= n
		}
		s.held = s.held[first:]
		for len(s.content.Launches) < min(launches, maxLostLaunches) {
			s.content.Launches = append(s.content.Launches, trace.Launch{Kernel: -1})
		}
		s.unsureLaunches = false
	}
	for _, m := range s.held {
		s.addEvents(m)
	}
	s.held = nil
}

func launchesOf(m *wtapepb.Timeline) (n int) {
	for _, e := range m.Events {
		if e.Kind == wtapepb.EventKind_EVENT_KIND_LAUNCH {
			n++
		}
	}
	return n
}

// maxLostLaunches bounds what a chunk with a wild launch makes of itself.
const maxLostLaunches = 1 << 22

// addEvents appends the events of a timeline. An event that waits for one whose number
// is not known, and what follows lost events, waits for all streams.
func (s *salvage) addEvents(m *wtapepb.Timeline) {
	r := s.content
	for _, e := range m.Events {
		known := slices.DeleteFunc(slices.Clone(e.After), func(i uint32) bool { return int64(i) >= int64(s.events) })
		if s.lostEvents || len(known) < len(e.After) {
			r.Timeline = append(r.Timeline, trace.HostEvent{Kind: trace.EventSynchronize, AllStreams: true})
			s.lostEvents, s.unsureEvents = false, true
		}
		e.After = known
		event, err := messages.ToEvent(e, len(r.Timeline), len(r.Launches))
		if err != nil {
			s.note(Loss{Kind: "event", Cause: err.Error()})
			event = trace.HostEvent{Kind: trace.EventSynchronize, AllStreams: true}
		}
		if e.Kind == wtapepb.EventKind_EVENT_KIND_LAUNCH {
			r.Launches = append(r.Launches, s.launch(e, err))
		}
		r.Timeline = append(r.Timeline, event)
		if !s.unsureEvents {
			s.events++
		}
	}
}

// launch is that of an event; one that cannot be has no kernel.
func (s *salvage) launch(e *wtapepb.HostEvent, err error) trace.Launch {
	l := messages.ToLaunch(e.Launch)
	if problem := l.Validate(len(s.content.Kernels)); err != nil || problem != nil {
		if !s.unsureKernels {
			s.note(Loss{Kind: "launch", Cause: fmt.Sprint(errors.Join(err, problem))})
		}
		return trace.Launch{Kernel: -1}
	}
	return l
}
