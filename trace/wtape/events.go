// SPDX-License-Identifier: Apache-2.0

package wtape

import (
	"fmt"
	"slices"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/messages"
	"github.com/warptape/warptape/trace/internal/output"
)

// AddEvent appends an event to the host timeline and returns its index. Launches
// are added by BeginLaunch, which is why an EventLaunch is an error here.
func (w *Writer) AddEvent(e trace.HostEvent) (int, error) {
	if err := w.check(); err != nil {
		return 0, err
	}
	if !e.Kind.Known() || e.Kind == trace.EventLaunch {
		return 0, w.fail(fmt.Errorf("BUG: event of kind %v added to the timeline", e.Kind))
	}
	return w.addEvent(e)
}

func (w *Writer) addEvent(e trace.HostEvent) (int, error) {
	index := len(w.timeline)
	if w.cpu.threads > 0 {
		return 0, w.fail(errAfterCPU)
	}
	if i := slices.IndexFunc(e.After, func(i int) bool { return i < 0 || i >= index }); i >= 0 {
		return 0, w.fail(fmt.Errorf("BUG: event %d waits for event %d, which is not before it", index, e.After[i]))
	}
	e.After, e.Accesses = slices.Clone(e.After), slices.Clone(e.Accesses)
	w.timeline = append(w.timeline, e)
	switch e.Kind {
	case trace.EventCopyToDevice:
		w.totals.BytesToDevice += e.Bytes
	case trace.EventCopyToHost:
		w.totals.BytesToHost += e.Bytes
	}
	return index, nil
}

// timelineFrameEvents bounds the events of one Timeline message, timelineFrameWaits the events
// that they wait for, together: each takes up to five bytes of a message, whose size the
// format bounds.
const (
	timelineFrameEvents = 4096
	timelineFrameWaits  = 1 << 20
)

// flushTimeline submits the events since the last call. It precedes every chunk,
// so that a file which is cut off still knows the launches of its chunks.
func (w *Writer) flushTimeline() {
	for w.flushed < len(w.timeline) {
		w.submit(wtapepb.FrameKind_FRAME_KIND_TIMELINE, w.nextTimeline())
	}
}

// attachTimeline is flushTimeline for the events before a chunk. The last of their
// messages, mostly the only one, goes the way of the chunk.
func (w *Writer) attachTimeline(j *output.Job) {
	for w.flushed < len(w.timeline) {
		m := w.nextTimeline()
		if w.flushed < len(w.timeline) {
			w.submit(wtapepb.FrameKind_FRAME_KIND_TIMELINE, m)
			continue
		}
		if raw, ok := w.marshal(j.Before.Raw[:0], m); ok {
			j.Before.Kind, j.Before.Raw = wtapepb.FrameKind_FRAME_KIND_TIMELINE, raw
		}
	}
}

// nextTimeline is the message of the next events, as many as one has.
func (w *Writer) nextTimeline() *wtapepb.Timeline {
	m, waits := new(wtapepb.Timeline), 0
	for i := range w.timeline[w.flushed:min(len(w.timeline), w.flushed+timelineFrameEvents)] {
		e := &w.timeline[w.flushed+i]
		if waits += len(e.After); waits > timelineFrameWaits && i > 0 {
			break
		}
		m.Events = append(m.Events, messages.FromEvent(e, w.launches))
	}
	w.flushed += len(m.Events)
	return m
}
