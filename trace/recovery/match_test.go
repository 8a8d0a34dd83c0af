// SPDX-License-Identifier: Apache-2.0

package recovery

import (
	"bytes"
	"slices"
	"testing"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/wtape"
)

const (
	kernelKind   = wtapepb.FrameKind_FRAME_KIND_KERNEL
	timelineKind = wtapepb.FrameKind_FRAME_KIND_TIMELINE
)

// listed is a frame of the index, that lies somewhere, or nowhere (-1).
func listed(kind wtapepb.FrameKind, offset, length, at int64) expectedFrame {
	return expectedFrame{FrameInfo: container.FrameInfo{Kind: kind, Offset: offset, Length: length}, at: at}
}

// met is a whole frame that the walk has met.
func met(kind wtapepb.FrameKind, offset, length int64) piece {
	return piece{FrameInfo: container.FrameInfo{Kind: kind, Offset: offset, Length: length}, whole: true, expected: -1}
}

// A frame that nothing else tells is the only one of its kind and length between its neighbours. No other missing frame
// may fit there.
func TestAFrameIsTheOnlyOneOfItsKindAndLength(t *testing.T) {
	damaged := met(kernelKind, 160, 50)
	damaged.whole = false
	one := met(kernelKind, 160, 50)
	for name, c := range map[string]struct {
		others []expectedFrame
		walked []piece
		ok     bool
	}{
		"alone":                   {nil, []piece{one}, true},
		"none":                    {nil, nil, false},
		"it is damaged":           {nil, []piece{damaged}, false},
		"another kind":            {nil, []piece{met(timelineKind, 160, 50)}, false},
		"another length":          {nil, []piece{met(kernelKind, 160, 49)}, false},
		"two":                     {nil, []piece{one, met(kernelKind, 220, 50)}, false},
		"one more before":         {nil, []piece{met(kernelKind, 99, 50), one}, true},
		"at the first byte":       {nil, []piece{met(kernelKind, 100, 50)}, true},
		"up to the last byte":     {nil, []piece{met(kernelKind, 250, 50)}, true},
		"one byte too far":        {nil, []piece{met(kernelKind, 251, 50)}, false},
		"one byte too early":      {nil, []piece{met(kernelKind, 99, 50)}, false},
		"another one is missing":  {[]expectedFrame{listed(kernelKind, 500, 50, -1)}, []piece{one}, false},
		"another one is there":    {[]expectedFrame{listed(kernelKind, 500, 50, 480)}, []piece{one}, true},
		"another kind is missing": {[]expectedFrame{listed(timelineKind, 500, 50, -1)}, []piece{one}, true},
		"a longer one is missing": {[]expectedFrame{listed(kernelKind, 500, 51, -1)}, []piece{one}, true},
	} {
		v := &survey{expected: append([]expectedFrame{listed(kernelKind, 150, 50, -1)}, c.others...), walked: c.walked}
		move, ok := v.onlyMove(&v.expected[0], 100, 300)
		if ok != c.ok || ok && !slices.ContainsFunc(c.walked, func(p piece) bool { return p.Offset == 150+move && p.Offset >= 100 && p.Offset+p.Length <= 300 }) {
			t.Errorf("%s: moved by %d, %v", name, move, ok)
		}
	}
}

// Moves come in the order of how many frames they explain: of the kind and length that the index has there.
func TestMovesComeInTheOrderOfWhatTheyExplain(t *testing.T) {
	damaged := met(kernelKind, 1100, 10)
	damaged.whole = false
	v := &survey{
		expected: []expectedFrame{listed(kernelKind, 100, 10, -1), listed(timelineKind, 200, 20, -1), listed(kernelKind, 300, 30, -1)},
		walked: []piece{
			met(kernelKind, 105, 10), met(timelineKind, 205, 20), met(kernelKind, 305, 30), // three by 5
			met(kernelKind, 93, 10), met(timelineKind, 193, 21), met(kernelKind, 193+100, 30), // two by -7: one has another length
			met(timelineKind, 1300, 30), damaged, // none by 1000
			met(kernelKind, 340, 30), // one by 40
		},
	}
	moves := []int64{1000, 40, -7, 5, 0}
	v.bestFirst(moves)
	if want := []int64{5, -7, 40, 1000, 0}; !slices.Equal(moves, want) {
		t.Errorf("moves %v, want %v", moves, want)
	}
}

// What a frame refers to lies where the frame is that was written as far before it, wherever both are now.
func TestReferencesFollowTheirFrames(t *testing.T) {
	v := &survey{
		expected: []expectedFrame{listed(kernelKind, 100, 50, 130), listed(kernelKind, 150, 50, -1), listed(kernelKind, 200, 50, 290), listed(kernelKind, 250, 50, 340)},
		placed:   map[int64]int{130: 0, 290: 2, 340: 3},
	}
	for _, c := range []struct {
		offset, back int64 // how far before it the other was written
		want         int64 // -1: it is lost
	}{{290, 100, 130}, {340, 150, 130}, {340, 50, 290}, {340, 100, -1}, {290, 50, -1}, {290, 90, -1}, {130, 50, -1}, {291, 100, -1}} {
		at, err := v.relocate(c.offset, c.offset-c.back)
		if (err == nil) != (c.want >= 0) || err == nil && at != c.want {
			t.Errorf("%d bytes before %d: %d, %v, want %d", c.back, c.offset, at, err, c.want)
		}
	}
}

// launchesTrace is a file with frames of the same kind and length: four kernels, and a chunk of each.
func launchesTrace(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "launches", trace.Header{Tool: "test"}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	recordLaunches(t, w, "first", "second", "third", "fourth")
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A frame between chunks lies behind what was placed before it, and before the next chunk, also where another one of
// its kind and length would fit.
func TestFramesBetweenChunksKeepTheirOrder(t *testing.T) {
	data := launchesTrace(t)
	kernels := contentsOf(t, data).kernels
	third, fourth := kernels[2], kernels[3]
	chunk := func(offset, at int64) expectedFrame {
		e := listed(wtapepb.FrameKind_FRAME_KIND_CHUNK, offset, 20, at)
		e.chunk = &container.ChunkInfo{}
		return e
	}
	for _, c := range []struct {
		what     string
		expected []expectedFrame
		moved    int64
		want     []int64 // where each is
	}{
		{"the third kernel would be behind the fourth", []expectedFrame{
			listed(kernelKind, fourth.Offset, fourth.Length, -1), listed(kernelKind, third.Offset+170, third.Length, -1), chunk(1170, 1000),
		}, 0, []int64{fourth.Offset, -1, 1000}},
		{"the fourth kernel is behind the third", []expectedFrame{
			listed(kernelKind, third.Offset, third.Length, -1), listed(kernelKind, fourth.Offset+170, fourth.Length, -1), chunk(1170, 1000),
		}, 0, []int64{third.Offset, fourth.Offset, 1000}},
		{"the fourth kernel would be behind the chunk", []expectedFrame{
			listed(kernelKind, fourth.Offset-149, fourth.Length, -1), chunk(third.Offset-20, third.Offset-20),
		}, 149, []int64{-1, third.Offset - 20}},
		{"the fourth kernel is behind the last chunk", []expectedFrame{
			chunk(third.Offset-20, third.Offset-20), listed(kernelKind, fourth.Offset-149, fourth.Length, -1),
		}, 149, []int64{third.Offset - 20, fourth.Offset}},
	} {
		v := surveyed(data)
		if err := v.readEnds(); err != nil {
			t.Fatal(err)
		}
		v.expected, v.moved = c.expected, c.moved
		v.matchOthers()
		for i, want := range c.want {
			if got := v.expected[i].at; got != want {
				t.Errorf("%s: frame %d is at %d, want %d", c.what, i, got, want)
			}
		}
	}
}

// A place at which another chunk lies stays free.
func TestAChunkLeavesThePlaceOfAnotherOne(t *testing.T) {
	v := surveyed(launchesTrace(t))
	if err := v.readEnds(); err != nil || !v.inPlace() {
		t.Fatalf("all frames are in place: %v", err)
	}
	v.content.File.Relocate = v.relocate
	var chunks []int
	for i := range v.expected {
		if v.expected[i].chunk != nil {
			chunks = append(chunks, i)
		}
	}
	second, third := chunks[1], chunks[2]
	move := v.expected[third].Offset - v.expected[second].Offset
	v.forget(second)
	v.forget(third)
	key, _ := v.expected[second].key()
	if v.isAt(second, key, move, int64(frames.MagicBytes), false) || v.expected[second].at >= 0 {
		t.Errorf("the second chunk is taken for the third: %+v", v.expected[second])
	}
	if i, taken := v.placed[v.expected[third].Offset]; taken {
		t.Errorf("the place of the third chunk is taken by frame %d", i)
	}
	if !v.isAt(second, key, 0, int64(frames.MagicBytes), false) || v.expected[second].at != v.expected[second].Offset {
		t.Errorf("the second chunk is not found in its place: %+v", v.expected[second])
	}
}
