// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// Thread block i of a grid goes round a loop i+1 times a thousand, in turns with the others.
// Its warps read rows, patterns and places that differ from lane to lane.
const turnsText = `.version 7.8
.target sm_70
.address_size 64
.entry k(.param .u64 in) {
	.reg .b64 %d<8>; .reg .b32 %r<16>; .reg .pred %p<4>;
	ld.param.u64 %d1, [in]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
	mad.lo.u32 %r3, %r2, 1000, 1000; mov.u32 %r4, 0; mov.u32 %r9, 0;
NEXT:
	mad.lo.u32 %r5, %r1, %r1, %r4; and.b32 %r5, %r5, 1023; mad.wide.u32 %d2, %r5, 4, %d1; ld.global.u32 %r6, [%d2];
	and.b32 %r7, %r4, 63; mad.lo.u32 %r7, %r1, 4, %r7; and.b32 %r7, %r7, 1023; mad.wide.u32 %d3, %r7, 4, %d1;
	setp.gt.u32 %p2, %r1, 40;
	@%p2 ld.global.u32 %r8, [%d3];
	add.u32 %r9, %r9, %r6;
	add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r3; @%p1 bra NEXT;
	ret;
}
`

// recordTurns records three thread blocks that take turns, with so many bytes for logs.
func recordTurns(t *testing.T, logBytes int64, options wtape.Options) (*wtape.Reader, *wtape.Writer, error) {
	t.Helper()
	d := NewDevice(Options{LogBytes: logBytes})
	k := kernelOf(t, d, "k.ptx", turnsText, "k")
	in := upload(t, d, "in", make([]uint32, 1024))
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "turns", trace.Header{}, options)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if _, err := w.AddKernel(k.Static()); err != nil {
		t.Fatal(err)
	}
	l := LaunchRequest{Kernel: k, Grid: dims(3, 1), Block: dims(64, 1), Cooperative: true, Arguments: pack(in), Recorder: w}
	if _, err := w.BeginLaunch(trace.Launch{Grid: l.Grid, Block: l.Block, Arguments: l.Arguments}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Launch(l); err != nil {
		return nil, w, err
	}
	if err := errors.Join(w.EndLaunch(), w.Finish()); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r, w, verification.Verify(r)
}

// What thread blocks in turns do is kept until their turn in the trace comes. When that takes
// more memory than it may, the thread blocks that go on are counted: the totals are those of
// a recording with room for all.
func TestThreadBlocksThatTakeTurnsAreRecordedInBoundedMemory(t *testing.T) {
	whole, w, err := recordTurns(t, 0, wtape.Options{CountLarge: true})
	if err != nil || w.Large() != 0 {
		t.Fatalf("%v, %d thread blocks are not stored", err, w.Large())
	}
	for _, c := range []struct {
		bytes int64
		large uint64
	}{{700_000, 1}, {200_000, 2}, {1, 3}} {
		r, w, err := recordTurns(t, c.bytes, wtape.Options{CountLarge: true})
		if err != nil || w.Large() != c.large {
			t.Errorf("%d bytes: %v, %d thread blocks are not stored, want %d", c.bytes, err, w.Large(), c.large)
			continue
		}
		if d := cmp.Diff(whole.Totals(), r.Totals()); d != "" {
			t.Errorf("%d bytes: totals differ\n%s", c.bytes, d)
		}
		if !strings.Contains(r.Header().Sampling, "are counted and not stored") {
			t.Errorf("%d bytes: the header says %q", c.bytes, r.Header().Sampling)
		}
	}
	// A recorder that stores all or nothing says what does not fit.
	if _, _, err := recordTurns(t, 200_000, wtape.Options{}); err == nil || !strings.Contains(err.Error(), "run in turns") {
		t.Errorf("got %v", err)
	}
}
