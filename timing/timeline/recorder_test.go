// SPDX-License-Identifier: Apache-2.0

package timeline_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/timeline"
	"github.com/warptape/warptape/trace"
)

// twoLines is a kernel for records without a replay.
var twoLines = &trace.Kernel{Instructions: []trace.Instruction{{Line: 7}, {Line: 9}}}

// told is a timeline of what a test tells a recorder of one SM.
func told(t testing.TB, o timeline.Options, tell func(r *timeline.Recorder)) (*decoded, []byte) {
	t.Helper()
	var b bytes.Buffer
	r := timeline.New(&b, "m", 1, o)
	tell(r)
	if err := r.Finish(nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	return decode(t, b.Bytes()), b.Bytes()
}

// A warp slot shows the state in which it is at each multiple of the sampling interval. As long as looks in a row find the
// same it has one slice, whatever it did between them.
func TestAStateThatNoLookFindsLeavesNoTrace(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 2))
	for _, sample := range []int{1, 2, 16} {
		const end = 600
		var states [end]seam.WarpState
		d, _ := told(t, timeline.Options{SampleCycles: sample}, func(r *timeline.Recorder) {
			r.Bound(0, 0, 0, twoLines)
			for now, state := 0, seam.WarpGone; now < end; {
				next := min(end, now+1+random.IntN(1+random.IntN(12)))
				if to := seam.WarpState(random.IntN(3)); to != state {
					state = to
					r.Warp(clock.Cycle(now), seam.WarpSlot{State: state, Instruction: 1})
				}
				for ; now < next; now++ {
					states[now] = state
				}
			}
			r.Bound(end, 0, 0, nil)
		})
		var want []event
		for at := 0; at < end; at += sample {
			state := states[at]
			if n := len(want); state != seam.WarpGone && n > 0 && want[n-1].name == state.String() && want[n-1].end == uint64(at) {
				want[n-1].end = uint64(at + sample)
			} else if state != seam.WarpGone {
				want = append(want, event{name: state.String(), start: uint64(at), end: uint64(at + sample)})
			}
		}
		want[len(want)-1].end = min(want[len(want)-1].end, end)
		got := find(d, "SM 0", "warp slot 0").slices
		if len(got) != len(want) {
			t.Fatalf("sample of %d cycles: %d slices, want %d", sample, len(got), len(want))
		}
		for i, is := range got {
			if is.name != want[i].name || is.start != want[i].start || is.end != want[i].end || is.notes["ptx_line"] != 9 {
				t.Fatalf("sample of %d cycles: slice %d is %+v, want %+v at line 9", sample, i, is, want[i])
			}
		}
	}
}

// A request is shown where a look falls between when it is sent and when it is answered. Those that overlap have tracks of
// their own.
func TestRequestsAreShownThatALookFinds(t *testing.T) {
	for _, sample := range []int{1, 16} {
		var want []event
		d, _ := told(t, timeline.Options{SampleCycles: sample}, func(r *timeline.Recorder) {
			r.Bound(0, 0, 0, twoLines)
			r.ClockOffset(3)
			for sent := range 40 {
				for length := range 20 {
					now := 1000*length + sent + 20
					start, end := now-length, max(now, now-length+1)
					found := false
					for at := start; at < end; at++ {
						found = found || (at+3)%sample == 0
					}
					if found {
						want = append(want, event{start: uint64(start + 3), end: uint64(end + 3)})
					}
					r.Request(clock.Cycle(now), seam.Request{Sent: clock.Cycle(now - length), Kind: "read", Served: "L2"})
				}
			}
		})
		var got []event
		for _, k := range d.tracks {
			if k.title == "requests" {
				got = append(got, k.slices...)
			}
		}
		order := func(a, b event) int { return int(a.start*100+a.end) - int(b.start*100+b.end) }
		slices.SortFunc(got, order)
		slices.SortFunc(want, order)
		if !slices.EqualFunc(got, want, func(a, b event) bool {
			return a.start == b.start && a.end == b.end && a.name == "read served by L2"
		}) {
			t.Errorf("sample of %d cycles: %d requests, want %d", sample, len(got), len(want))
		}
	}
}

// Whatever an SM is told of ends a timeline that is as long as it may be: what is open ends there, later events change
// nothing, and the recorder says when.
func TestEveryEventLooksAtTheLimit(t *testing.T) {
	const limit, offset = 1500, 100
	for name, tell := range map[string]func(r *timeline.Recorder, now clock.Cycle){
		"slots": func(r *timeline.Recorder, now clock.Cycle) {
			r.Slots(now, seam.IssueSlots{Count: 1, Cause: counters.Cause(now % 2)})
		},
		"warps": func(r *timeline.Recorder, now clock.Cycle) {
			r.Warp(now, seam.WarpSlot{State: 1 + seam.WarpState(now%2)})
		},
		"requests": func(r *timeline.Recorder, now clock.Cycle) {
			r.Request(now, seam.Request{Sent: now - 1, Kind: "read", Served: "L2"})
		},
		"depths": func(r *timeline.Recorder, now clock.Cycle) { r.Depth(now) },
		"launches": func(r *timeline.Recorder, now clock.Cycle) {
			r.Bound(now, 0, int(now), nil)
			r.Bound(now, 0, int(now), twoLines)
			r.Block(now, 0, 0, uint64(now), true)
		},
	} {
		var stopped clock.Cycle
		d, data := told(t, timeline.Options{LimitBytes: limit, DepthCycles: 1}, func(r *timeline.Recorder) {
			r.ClockOffset(offset)
			depth := 0
			r.Measure([]seam.Gauge{{Name: "queue", SM: -1}}, func(into []int) { depth++; into[0] = depth })
			r.Bound(1, 0, 0, twoLines)
			r.Warp(1, seam.WarpSlot{Warp: 1, State: seam.WarpBarrier})
			r.Block(1, 0, 1, 77, true)
			for now := clock.Cycle(2); now < 400; now++ {
				tell(r, now)
				if at, ended := r.Stopped(); ended && stopped == 0 {
					stopped = at
				}
			}
			if at, ended := r.Stopped(); !ended || at != stopped || r.DepthDue() != clock.Never {
				t.Errorf("%s: it ends at %d, %v, and at %d at first; depths are due in %d", name, at, ended, stopped, r.DepthDue())
			}
		})
		if len(data) < limit || len(data) > limit+400 || stopped <= offset+2 {
			t.Errorf("%s: %d bytes, it ends at %d", name, len(data), stopped)
		}
		for _, title := range []string{"warp slot 1", "block slot 1"} {
			k := find(d, "SM 0", title)
			if len(k.slices) != 1 || k.slices[0].start != offset+1 || name != "launches" && k.slices[0].end != uint64(stopped) {
				t.Errorf("%s: %s has %+v, the timeline ends at %d", name, title, k.slices, stopped)
			}
		}
		k := find(d, "m: 1 ns = 1 core cycle", "limit")
		if len(k.slices) != 1 || k.slices[0].start != uint64(stopped) {
			t.Errorf("%s: the end is told by %+v, want one at %d", name, k.slices, stopped)
		}
	}
}

// Depths are shown where they change, at multiples of their interval, and end with the run at zero; those of an SM only
// while it works for a launch that is shown.
func TestDepthsAreShownWhereTheyChange(t *testing.T) {
	var b bytes.Buffer
	r := timeline.New(&b, "m", 2, timeline.Options{DepthCycles: 10, Launch: func(launch int) bool { return launch == 1 }})
	depths := [3]int{4, 5, 6}
	r.Measure([]seam.Gauge{{Name: "of SM 0", SM: 0}, {Name: "of all", SM: -1}, {Name: "of SM 1", SM: 1}}, func(into []int) { copy(into, depths[:]) })
	r.ClockOffset(1000)
	r.Bound(0, 0, 0, twoLines)
	if r.Depth(5); r.DepthDue() != 10 {
		t.Errorf("depths are due in %d, want 10", r.DepthDue())
	}
	r.Bound(10, 0, 1, twoLines) // SM 1 has none
	for _, now := range []clock.Cycle{10, 20, 33} {
		if r.Depth(now); r.DepthDue() != now/10*10+10 {
			t.Errorf("after %d depths are due in %d", now, r.DepthDue())
		}
		depths[0] -= 2 // 4, 2, 0
	}
	launch := timeline.Slice{Name: "k", Start: 1010, End: 1050, Launch: 1, Stream: 2}
	if err := r.Finish([]timeline.Slice{launch, {Name: "nothing", Start: 1050, End: 1050, Launch: -1, Stream: 2}}, []timeline.Slice{{Name: "gap", Start: 1, End: 2}}, []timeline.Slice{{Name: "copy", Start: 1, End: 9, Launch: -1}}); err != nil {
		t.Fatal(err)
	}
	d := decode(t, b.Bytes())
	value := func(at uint64, v int64) event { return event{start: at, value: v} }
	for _, c := range []struct {
		group, title string
		want         []event
	}{
		{"SM 0", "of SM 0", []event{value(1010, 4), value(1020, 2), value(1033, 0)}},
		{"m: 1 ns = 1 core cycle", "of all", []event{value(1010, 5), value(1050, 0)}},
		{"SM 1", "of SM 1", nil},
	} {
		got := find(d, c.group, c.title).counts
		if !slices.EqualFunc(got, c.want, func(a, b event) bool { return a.start == b.start && a.value == b.value }) {
			t.Errorf("%s: %+v, want %+v", c.title, got, c.want)
		}
	}
	kernels, copies := find(d, "m: 1 ns = 1 core cycle", "kernels, stream 2").slices, find(d, "m: 1 ns = 1 core cycle", "copies, stream 0").slices
	if len(kernels) != 1 || kernels[0].notes["launch"] != 1 || len(kernels[0].notes) != 1 || kernels[0].start != 1010 || kernels[0].end != 1050 {
		t.Errorf("launches: %+v", kernels)
	}
	if gaps := find(d, "m: 1 ns = 1 core cycle", "launches on their way, stream 0").slices; len(gaps) != 1 || fmt.Sprint(gaps[0].notes) != "map[launch:0]" {
		t.Errorf("the first launch is on its way in %+v", gaps)
	}
	if len(copies) != 1 || len(copies[0].notes) != 0 {
		t.Errorf("copies: %+v", copies)
	}
}

// failing is a file. Its value is the number of bytes for which it has room.
type failing int

var errFull = errors.New("no space left")

func (f *failing) Write(b []byte) (int, error) {
	if *f -= failing(len(b)); *f < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// A file that cannot be written is told at the end, also when only its last bytes have no room.
func TestAFileWithoutRoomIsTold(t *testing.T) {
	for _, room := range []failing{0, 1 << 17} {
		for _, events := range []int{1, 20000} {
			w := room
			r := timeline.New(&w, "m", 1, timeline.Options{})
			r.Bound(0, 0, 0, twoLines)
			for now := range events {
				r.Warp(clock.Cycle(now), seam.WarpSlot{State: 1 + seam.WarpState(now%2)})
			}
			if err := r.Finish(nil, nil, nil); errors.Is(err, errFull) != (room == 0 || events > 1) {
				t.Errorf("%d events, room for %d bytes: %v", events, room, err)
			}
		}
	}
}

// A reader takes packets of up to a MiB, says which one it does not understand, and has no use for an end without a
// beginning.
func TestPacketsOfAllSizesAreRead(t *testing.T) {
	packet := func(payload int) []byte { // of one field without a meaning
		size := payload
		b := []byte{0x0a}
		for ; size >= 0x80; size >>= 7 {
			b = append(b, byte(size)|0x80)
		}
		b = append(b, byte(size))
		inner, head := payload-1, []byte{15<<3 | 2}
		for length := 1; ; length++ { // of the inner length
			if n := inner - length; n < 1<<(7*length) {
				for ; length > 1; length-- {
					head = append(head, byte(n)|0x80)
					n >>= 7
				}
				head = append(head, byte(n))
				break
			}
		}
		return append(append(b, head...), make([]byte, payload-len(head))...)
	}
	for _, size := range []int{2, 100, 127, 128, 256, 16383, 16384, 1 << 20} {
		if _, err := timeline.Read(bytes.NewReader(append(packet(size), packet(3)...)), 0, 0); err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	_, err := timeline.Read(bytes.NewReader(append(append(packet(3), packet(200)...), packet(1<<20+1)...)), 0, 0)
	if err == nil || !strings.Contains(err.Error(), "packet 2: has 1048577 bytes, more than 1048576") {
		t.Errorf("a packet of a MiB and a byte: %v", err)
	}
}
