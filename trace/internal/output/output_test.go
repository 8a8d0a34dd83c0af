// SPDX-License-Identifier: Apache-2.0

package output

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/container"
)

// someFrames are payloads of all sizes, so that workers end in another order than they begin.
func someFrames() (kinds []wtapepb.FrameKind, payloads [][]byte) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		b := make([]byte, rng.IntN(20000))
		for i := range b {
			b[i] = byte(rng.IntN(1 + rng.IntN(40)))
		}
		kinds = append(kinds, []wtapepb.FrameKind{wtapepb.FrameKind_FRAME_KIND_KERNEL, wtapepb.FrameKind_FRAME_KIND_TIMELINE}[rng.IntN(2)])
		payloads = append(payloads, b)
	}
	return kinds, payloads
}

func submitAll(o *Output) {
	kinds, payloads := someFrames()
	for i, kind := range kinds {
		j := o.Take()
		j.Kind, j.Raw = kind, append(j.Raw[:0], payloads[i]...)
		o.Submit(j)
	}
	o.Stop()
}

func written(t *testing.T, workers int) []byte {
	t.Helper()
	var out bytes.Buffer
	o, err := New(&out, zstd.SpeedDefault, workers)
	if err != nil {
		t.Fatal(err)
	}
	submitAll(o)
	if err := o.Finish(); err != nil {
		t.Fatal(err)
	}
	o.Recycle()
	return out.Bytes()
}

// The index lists the frames as they were submitted, and the file has what they hold,
// whatever the number of workers and whosever memory they use.
func TestFramesAreInTheOrderOfSubmission(t *testing.T) {
	kinds, payloads := someFrames()
	first := written(t, 1)
	for _, workers := range []int{1, 2, 7} {
		if !bytes.Equal(first, written(t, workers)) {
			t.Errorf("%d workers write another file than one", workers)
		}
	}
	f := container.File{In: bytes.NewReader(first), Size: int64(len(first))}
	if err := errors.Join(f.ReadMagic(), f.ReadFooter(), f.ReadIndex()); err != nil {
		t.Fatal(err)
	}
	if len(f.Index.Others) != len(kinds) {
		t.Fatalf("the index lists %d frames of %d", len(f.Index.Others), len(kinds))
	}
	var scratch container.Buffer
	for i, at := range f.Index.Others {
		h, raw, err := f.ReadFrame(at.Offset, at.Length, &scratch)
		if err != nil || h.Kind != kinds[i] || at.Kind != kinds[i] || !bytes.Equal(raw, payloads[i]) {
			t.Fatalf("frame %d of %d bytes: kind %v, %d bytes, %v", i, len(payloads[i]), h.Kind, len(raw), err)
		}
	}
}

// narrow takes some bytes and then no more.
type narrow struct {
	left   int
	failed bool
	after  int // bytes that came after the failure
}

var errNarrow = errors.New("no more room")

func (n *narrow) Write(b []byte) (int, error) {
	if n.failed {
		n.after += len(b)
	}
	if len(b) > n.left {
		n.failed = true
		return 0, errNarrow
	}
	n.left -= len(b)
	return len(b), nil
}

func TestAFailedWriteIsTheLast(t *testing.T) {
	for _, room := range []int{0, 8, 5000, 100_000} {
		n := &narrow{left: room}
		o, err := New(n, zstd.SpeedFastest, 2)
		if err != nil {
			t.Fatal(err)
		}
		submitAll(o)
		for _, err := range []error{o.Err(), o.Finish()} {
			if !errors.Is(err, errNarrow) || !strings.HasPrefix(fmt.Sprint(err), "write failed: ") {
				t.Errorf("room for %d bytes: %v", room, err)
			}
		}
		if n.after > 0 {
			t.Errorf("room for %d bytes: %d were written after the failure", room, n.after)
		}
	}
}

// calls counts the calls and tells of their bytes.
type calls struct {
	n    int
	come chan int
}

func (c *calls) Write(b []byte) (int, error) {
	c.n++
	c.come <- len(b)
	return len(b), nil
}

// Small frames go to the file together, but do not wait for others to come: what a
// process leaves that is killed has them.
func TestFramesThatAreFinishedReachTheFile(t *testing.T) {
	c := &calls{come: make(chan int, 1000)}
	o, err := New(c, zstd.SpeedFastest, 1)
	if err != nil {
		t.Fatal(err)
	}
	const rounds, each = 3, 100
	for range rounds {
		for range each {
			j := o.Take()
			j.Kind, j.Raw = wtapepb.FrameKind_FRAME_KIND_TIMELINE, append(j.Raw[:0], "an event"...)
			j.Before.Kind, j.Before.Raw = wtapepb.FrameKind_FRAME_KIND_TIMELINE, append(j.Before.Raw[:0], "one before"...)
			o.Submit(j)
		}
		for bytes := 0; bytes < 2*each*24; { // at least the heads of all frames
			select {
			case n := <-c.come:
				bytes += n
			case <-time.After(5 * time.Minute):
				t.Fatal("finished frames are not written")
			}
		}
	}
	o.Stop()
	if err := o.Finish(); err != nil {
		t.Fatal(err)
	}
	if c.n > rounds*each {
		t.Errorf("%d calls wrote %d frames", c.n, 2*rounds*each)
	}
	if n := len(o.index.Others); n != 2*rounds*each {
		t.Errorf("the index lists %d frames", n)
	}
}
