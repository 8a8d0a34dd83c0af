// SPDX-License-Identifier: Apache-2.0

package recovery

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/frames"
)

// Each launch has an event and a chunk. The launches whose events are whole keep their kernels, with an index or without
// one. The chunks that are whole and have an event are theirs.
func TestLaunchesKeepTheirKernelsWhateverIsDamaged(t *testing.T) {
	names := []string{"first", "second", "third", "fourth"}
	c := contentsOf(t, launchesTrace(t))
	chunks := c.r.Chunks()
	index := len(c.data) - frames.FooterBytes - int(c.r.Content().File.Footer.IndexLength)
	for _, end := range []int{len(c.data), index} {
		for damage := range 1 << (2*len(names) - 1) {
			data := bytes.Clone(c.data[:end])
			var launches, withChunk []string
			var causes []string
			for i, name := range names {
				// The others are compressed by the first chunk.
				lostEvent, lostChunk := damage>>i&1 != 0, i > 0 && damage>>(len(names)+i-1)&1 != 0
				if lostEvent {
					data[c.events[i].Offset+frames.HeaderBytes] ^= 0x55
					causes = append(causes, "timeline damaged")
				} else {
					launches = append(launches, name)
				}
				switch {
				case lostChunk:
					data[chunks[i].Offset+frames.HeaderBytes] ^= 0x55
					causes = append(causes, "chunk damaged")
				case lostEvent:
					causes = append(causes, "chunk the event of its launch is lost")
				default:
					withChunk = append(withChunk, name)
				}
			}
			what := fmt.Sprintf("damage %#x of %d bytes", damage, end)
			r, report, err := recoverBytes(t, data)
			if len(withChunk) == 0 {
				continue // there may be nothing to recover
			}
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			var gotLaunches, gotWithChunk, gotCauses []string
			for _, l := range r.Launches() {
				gotLaunches = append(gotLaunches, r.Kernels()[l.Kernel].Name)
			}
			for _, chunk := range r.Chunks() {
				gotWithChunk = append(gotWithChunk, gotLaunches[chunk.Launch])
			}
			for _, l := range report.Losses {
				gotCauses = append(gotCauses, l.Kind+" "+l.Cause)
			}
			if !slices.Equal(gotLaunches, launches) || !slices.Equal(gotWithChunk, withChunk) || !slices.Equal(gotCauses, causes) {
				t.Errorf("%s: launches %q, those with a chunk %q, losses %q; want %q, %q, %q", what, gotLaunches, gotWithChunk, gotCauses, launches, withChunk, causes)
			}
		}
	}
}

// An event that cannot be one is noted, and a wait for all streams stands in its place.
func TestAnEventThatCannotBeIsAWait(t *testing.T) {
	s := &salvage{content: &content.Content{}}
	beyond := []*wtapepb.HostAccess{{HostAddress: ^uint64(0), Bytes: 2}}
	s.addEvents(&wtapepb.Timeline{Events: []*wtapepb.HostEvent{
		{Kind: wtapepb.EventKind_EVENT_KIND_HOST_ALLOCATE, Accesses: beyond}, {Kind: wtapepb.EventKind_EVENT_KIND_LAUNCH, Accesses: beyond},
	}})
	if len(s.content.Timeline) != 2 {
		t.Fatalf("the timeline is %+v", s.content.Timeline)
	}
	for i, e := range s.content.Timeline {
		if e.Kind != trace.EventSynchronize || !e.AllStreams {
			t.Errorf("event %d is %+v", i, e)
		}
	}
	if l := s.content.Launches; len(l) != 1 || l[0].Kernel >= 0 {
		t.Errorf("the launches are %+v", l)
	}
	if len(s.losses) != 3 || s.losses[0].Kind != "event" || s.losses[1].Kind != "event" || s.losses[2].Kind != "launch" || s.losses[0].Cause == "" {
		t.Errorf("the losses are %+v", s.losses)
	}
}

// An event that waits for others whose numbers are not known waits for all streams.
func TestAnEventBehindLostOnesWaitsForAll(t *testing.T) {
	s := &salvage{content: &content.Content{}}
	allocate := func(after ...uint32) *wtapepb.HostEvent {
		return &wtapepb.HostEvent{Kind: wtapepb.EventKind_EVENT_KIND_HOST_ALLOCATE, After: after}
	}
	s.addEvents(&wtapepb.Timeline{Events: []*wtapepb.HostEvent{allocate(), allocate(0), allocate(0, 7), allocate(1)}})
	var got []string
	for _, e := range s.content.Timeline {
		got = append(got, fmt.Sprint(e.AllStreams, e.After))
	}
	if want := []string{"false []", "false [0]", "true []", "false [0]", "false [1]"}; !slices.Equal(got, want) || len(s.losses) > 0 {
		t.Errorf("the events wait for all streams, or for others: %q, want %q; losses %+v", got, want, s.losses)
	}
}

// A timeline with more launches than can have been before a chunk does not belong there, nor does what is before it.
func TestTimelinesOfTooManyLaunchesDoNotBelongThere(t *testing.T) {
	timeline := func(launches int) *wtapepb.Timeline {
		m := &wtapepb.Timeline{}
		for range launches {
			m.Events = append(m.Events, &wtapepb.HostEvent{Kind: wtapepb.EventKind_EVENT_KIND_LAUNCH})
		}
		return m
	}
	for _, c := range []struct {
		held     []int // launches of each timeline
		launches int   // before the chunk
		events   int   // that are left
	}{{[]int{1, 1}, 2, 2}, {[]int{1, 1}, 4, 2}, {[]int{2, 1}, 2, 1}, {[]int{1, 2, 1}, 2, 1}, {[]int{0, 2, 1}, 3, 3}, {[]int{5}, 2, 0}} {
		s := &salvage{content: &content.Content{}, unsureLaunches: true}
		for _, n := range c.held {
			s.held = append(s.held, timeline(n))
		}
		s.release(c.launches)
		if len(s.content.Timeline) != c.events || len(s.content.Launches) != c.launches || s.unsureLaunches {
			t.Errorf("%+v: %d events, %d launches", c, len(s.content.Timeline), len(s.content.Launches))
		}
	}
}

// What is made anew, has no content or lies behind all content is no loss.
func TestWhatHasNoContentIsNoLoss(t *testing.T) {
	for _, c := range []struct {
		kind       wtapepb.FrameKind
		summarised bool
		want       int
	}{
		{wtapepb.FrameKind_FRAME_KIND_INDEX, false, 0}, {127, false, 1}, {128, false, 0}, {129, true, 0}, {0, true, 0}, {0, false, 1}, {kernelKind, true, 1}, {kernelKind, false, 1},
	} {
		s := &salvage{content: &content.Content{Summarised: c.summarised}}
		s.lose(&piece{FrameInfo: container.FrameInfo{Kind: c.kind, Length: 10}, expected: -1}, errDamaged)
		if len(s.losses) != c.want {
			t.Errorf("kind %d, summarised %v: %+v", c.kind, c.summarised, s.losses)
		}
	}
	s := &salvage{content: &content.Content{}}
	if err := s.take(&piece{FrameInfo: container.FrameInfo{Kind: 128, Length: 10}, whole: true, expected: -1}); err != nil || s.usedBytes != 10 || len(s.losses)+len(s.used) > 0 {
		t.Errorf("a frame of a kind that may be passed over: %v, %d bytes, losses %+v", err, s.usedBytes, s.losses)
	}
}
