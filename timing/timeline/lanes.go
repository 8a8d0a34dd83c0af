// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"fmt"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
)

// Slice is something that is known with both its ends.
type Slice struct {
	Name       string
	Stream     uint32
	Start, End clock.Cycle // core cycles since the start of the run
	Launch     int         // -1: none
}

// lane is one of several tracks that share what overlaps in time.
type lane struct {
	track uint64
	end   clock.Cycle // of its last slice
}

// laneFor finds a lane whose last slice ends before start, or adds one.
func (r *Recorder) laneFor(list *[]lane, group uint64, title string, start, end clock.Cycle) uint64 {
	for i := range *list {
		if l := &(*list)[i]; l.end <= start {
			l.end = end
			return l.track
		}
	}
	l := lane{track: r.w.track(group, title, false), end: end}
	*list = append(*list, l)
	return l.track
}

// Request implements seam.Watcher. A request that was sent before the run's time
// moved on relative to the machine's clock is shown with its length on that clock.
func (r *Recorder) Request(now clock.Cycle, q seam.Request) {
	t := r.of(q.SM)
	if t == nil {
		return
	}
	start, end := q.Sent+r.clockOffset, max(now, q.Sent+1)+r.clockOffset
	if r.look(start) >= end {
		return // no look falls into it
	}
	track := r.laneFor(&t.requests, t.group, "requests", start, end)
	r.w.slice(track, start, end, r.servedName(served{q.Kind, q.Served}), note{})
	r.checkLimit(end)
}

// served names a kind of request and the level that served it.
type served struct{ kind, level string }

func (r *Recorder) servedName(s served) name {
	n, ok := r.served[s]
	if !ok {
		n = r.w.intern(s.kind + " served by " + s.level)
		r.served[s] = n
	}
	return n
}

// lanes writes slices by stream.
func (r *Recorder) lanes(title string, list []Slice) {
	var streams [][]lane
	for _, s := range list {
		n := int(min(s.Stream, maxStreams-1))
		for len(streams) <= n {
			streams = append(streams, nil)
		}
		a := note{}
		if s.Launch >= 0 {
			a = note{id: launchAnnotation, value: uint64(s.Launch)}
		}
		if s.End > s.Start {
			r.w.slice(r.laneFor(&streams[n], r.gpu, fmt.Sprintf("%s, stream %d", title, s.Stream), s.Start, s.End), s.Start, s.End, name{text: s.Name}, a)
		}
	}
}

// maxStreams is the number of streams with tracks of their own.
const maxStreams = 1024
