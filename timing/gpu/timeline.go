// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"slices"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/trace"
)

// timeline orders the steps of the recorded host timeline in time.
//
// The host issues the steps in program order and without delay. It stops at a
// synchronize until the stream (or all) is done, and at host computation for as long as
// that takes. A copy, fill or launch waits for the step before it in its stream, for
// what the recording says (HostEvent.After), and for the host. Host computation also
// waits for the copies to the host before it, for it may read them. Nothing else orders
// steps of different streams: stream 0 is one like the others. A serial timeline does
// one step after the other. Launches are on their way for a while before they may begin.
//
// Times are core cycles since the start of the run.
type timeline struct {
	events []trace.HostEvent
	// waits counts, per event, the earlier events that it still waits for;
	// first and next link, per event, the edges to those that wait for it.
	waits []int32
	first []int32
	edges []edge
	ready []int32 // events that wait for nothing any more
	left  int     // events that have yet to end

	running  []hostStep  // steps that end at a known time
	coming   []hostStep  // launches that may begin at a time
	launches []hostStep  // launches that may begin since a time
	gap      clock.Cycle // for which a launch is on its way
	copies   []hostStep  // copies that wait for the link since a time
	begun    bool
	link     link
	rates    hostRates
	// copied is told when a copy to the device ends; it may be nil.
	copied func(address, bytes uint64) error
	// execute offers a step to the machine now; false, or nil: the timeline times it.
	execute  func(event int32) bool
	executed []bool // per event; nil without execute
	log      []Copy
}

// edge is one element of a list of waiting events.
type edge struct{ event, next int32 }

// hostStep is an event with the time of its end, or from which it may begin.
type hostStep struct {
	at    clock.Cycle
	event int32
}

const noEdge = int32(-1)

// newTimeline prepares the steps; those without a predecessor are ready.
func newTimeline(events []trace.HostEvent, serial bool, l link, rates hostRates) *timeline {
	t := &timeline{
		events: events, waits: make([]int32, len(events)), first: make([]int32, len(events)), left: len(events),
		link: l, rates: rates,
	}
	for i := range t.first {
		t.first[i] = noEdge
	}
	if serial {
		for i := 1; i < len(events); i++ {
			t.order(int32(i-1), int32(i))
		}
	} else {
		t.orderStreams()
	}
	for i, n := range t.waits {
		if n == 0 {
			t.ready = append(t.ready, int32(i))
		}
	}
	return t
}

// orderStreams finds what each step waits for.
func (t *timeline) orderStreams() {
	host := noEdge             // the last step at which the host stopped
	last := map[uint32]int32{} // per stream: its last step, since the host waited for all
	var streams []uint32       // those in last
	var reads []int32          // copies to the host since the last computation
	for i := range t.events {
		e, n := &t.events[i], int32(i)
		t.order(host, n)
		for _, earlier := range e.After {
			t.order(int32(earlier), n)
		}
		switch e.Kind {
		case trace.EventSynchronize:
			if e.AllStreams {
				for _, s := range streams {
					t.order(last[s], n)
				}
				clear(last)
				streams = streams[:0]
			} else if before, known := last[e.Stream]; known {
				t.order(before, n)
			}
			host = n
		case trace.EventCompute:
			for _, r := range reads {
				t.order(r, n)
			}
			reads = reads[:0]
			host = n
		case trace.EventCopyToDevice, trace.EventCopyToHost, trace.EventFill, trace.EventLaunch:
			before, known := last[e.Stream]
			if !known {
				streams = append(streams, e.Stream)
				before = noEdge
			}
			t.order(before, n)
			last[e.Stream] = n
			if e.Kind == trace.EventCopyToHost {
				reads = append(reads, n)
			}
		}
	}
}

// order lets event b wait for event a; noEdge for a is no event.
func (t *timeline) order(a, b int32) {
	if a == noEdge {
		return
	}
	t.edges = append(t.edges, edge{event: b, next: t.first[a]})
	t.first[a] = int32(len(t.edges) - 1)
	t.waits[b]++
}

// advance ends all steps up to the time now, and starts what waited for them.
func (t *timeline) advance(now clock.Cycle) error {
	if !t.begun {
		t.begun = true
		if err := t.startReady(0); err != nil {
			return err
		}
	}
	for len(t.running) > 0 && t.running[0].at <= now {
		at := t.running[0].at
		for len(t.running) > 0 && t.running[0].at == at {
			n := t.running[0].event
			t.running = t.running[1:]
			if err := t.end(n); err != nil {
				return err
			}
		}
		if err := t.startReady(at); err != nil {
			return err
		}
	}
	for len(t.coming) > 0 && t.coming[0].at <= now {
		t.launches = insert(t.launches, t.coming[0])
		t.coming = t.coming[1:]
	}
	return nil
}

// next is the time at which a running step ends or a launch has come, clock.Never without any.
func (t *timeline) next() clock.Cycle {
	next := clock.Never
	for _, list := range [][]hostStep{t.running, t.coming} {
		if len(list) > 0 {
			next = min(next, list[0].at)
		}
	}
	return next
}

// takeLaunch gives the launch that has waited longest to begin, and since when it may.
func (t *timeline) takeLaunch() (l hostStep, ok bool) {
	if len(t.launches) == 0 {
		return hostStep{}, false
	}
	l = t.launches[0]
	t.launches = t.launches[1:]
	return l, true
}

// ended tells that the launch, or the executed step, of an event has ended at a
// time.
func (t *timeline) ended(event int, at clock.Cycle) {
	t.running = insert(t.running, hostStep{at, int32(event)})
}

// end takes an event out of the way of those that wait for it.
func (t *timeline) end(event int32) error {
	t.left--
	switch e := &t.events[event]; e.Kind {
	case trace.EventCopyToDevice:
		if t.isExecuted(event) {
			break
		}
		t.link.release(e.Kind)
		if t.copied != nil {
			if err := t.copied(e.Address, e.Bytes); err != nil {
				return err
			}
		}
	case trace.EventCopyToHost:
		if !t.isExecuted(event) {
			t.link.release(e.Kind)
		}
	}
	for i := t.first[event]; i != noEdge; i = t.edges[i].next {
		n := t.edges[i].event
		if t.waits[n]--; t.waits[n] == 0 {
			t.ready = append(t.ready, n)
		}
	}
	return nil
}

// startReady starts what is ready at a time. What takes no time ends at once,
// and lets others be ready.
func (t *timeline) startReady(at clock.Cycle) error {
	for len(t.ready) > 0 {
		n := t.ready[len(t.ready)-1]
		t.ready = t.ready[:len(t.ready)-1]
		e := &t.events[n]
		if e.Kind != trace.EventLaunch && t.isOffered(at, n) {
			continue
		}
		switch e.Kind {
		case trace.EventLaunch:
			t.coming = insert(t.coming, hostStep{later(at, t.gap), n})
		case trace.EventCopyToDevice, trace.EventCopyToHost:
			t.copies = insert(t.copies, hostStep{at, n})
		default:
			if cycles := t.rates.cycles(e); cycles > 0 {
				t.running = insert(t.running, hostStep{later(at, cycles), n})
			} else if err := t.end(n); err != nil {
				return err
			}
		}
	}
	t.startCopies(at)
	return nil
}

// startCopies gives the link to the copies that wait for it and may have it, the
// one that has waited longest first.
func (t *timeline) startCopies(at clock.Cycle) {
	kept := t.copies[:0]
	for _, s := range t.copies {
		e := &t.events[s.event]
		if !t.link.take(e.Kind) {
			kept = append(kept, s)
			continue
		}
		end := later(at, t.link.cycles(e.Bytes))
		t.log = append(t.log, Copy{Event: int(s.event), ToDevice: e.Kind == trace.EventCopyToDevice, Bytes: e.Bytes, Stream: e.Stream, Start: at, End: end})
		t.running = insert(t.running, hostStep{end, s.event})
	}
	t.copies = kept
}

// insert keeps steps in the order of time, and of the program at equal times.
func insert(list []hostStep, s hostStep) []hostStep {
	at, _ := slices.BinarySearchFunc(list, s, func(a, b hostStep) int {
		if a.at != b.at {
			if a.at < b.at {
				return -1
			}
			return 1
		}
		return int(a.event - b.event)
	})
	return slices.Insert(list, at, s)
}
