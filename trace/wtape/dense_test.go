// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/internal/lanecode"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/wtape"
)

// Of executions by one lane at random places, in turns with those by all lanes at one,
// kinds and residuals cost more than codes: every execution has explicit lanes. A
// stream that is regular but for a few executions keeps its strides.
func TestOnlyIrregularStreamsAreDense(t *testing.T) {
	seldom := testtraces.Gather{Model: lanecode.ModelUniform, Warps: 40, Visits: 40, Address: func(g *testtraces.GatherState) (_, second [trace.WarpSize]uint64) {
		if g.Visit%20 > 0 {
			return testtraces.NoGather, g.Each(func(l int) uint64 { return 1<<20 + 4*uint64(l) + 128*uint64(g.Visit+g.Warp) })
		}
		return testtraces.NoGather, g.Each(func(int) uint64 { return 4 * uint64(g.IntN(9000)) })
	}}
	for _, x := range []struct {
		name  string
		data  []byte
		dense bool
	}{{"turns", recordTurns(t), true}, {"seldom", seldom.Record(t), false}} {
		r := testtraces.Open(t, x.data)
		c := new(content.Chunk)
		if err := r.Content().ReadChunkNumber(0, c); err != nil {
			t.Fatal(err)
		}
		s := &c.Decoded.Columns.Streams[1]
		if dense := len(s.Residual) == 0 && len(s.Stride) == 0; dense != x.dense {
			t.Errorf("%s: %d bytes of residuals, %d of strides", x.name, len(s.Residual), len(s.Stride))
		}
		if err := compareWithReference(x.data); err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
	}
}

// recordTurns records a gather by all lanes at one place, by one lane at a random place
// three times, and so on.
func recordTurns(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "turns", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	g := testtraces.Gathers()[0]
	k, err := w.AddKernel(g.Kernel())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.BeginLaunch(trace.Launch{Kernel: k, Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}}); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	w.BeginBlock(0)
	for visit := range 1000 {
		mask, address := testtraces.AllLanes, uint64(400)
		if visit%4 > 0 {
			mask, address = 1<<rng.IntN(32), 4*rng.Uint64N(9000)
		}
		var second [trace.WarpSize]uint64
		for l := range second {
			second[l] = address
		}
		w.Visit(0, 0, mask)
		w.Access(0, mask, &testtraces.NoGather)
		w.Access(0, mask, &second)
	}
	w.Visit(0, 1, testtraces.AllLanes)
	if err := w.EndBlock(); err != nil {
		t.Fatal(err)
	}
	if err := w.EndLaunch(); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Cuts are for the compressor alone: the payload is the same with and without them.
func TestCutsChangeNoPayload(t *testing.T) {
	raw := bytes.Repeat([]byte("columns of several kinds "), 2000)
	z, err := frames.NewCompressor(zstd.SpeedDefault)
	if err != nil {
		t.Fatal(err)
	}
	for _, cuts := range [][]int{nil, {0, 10}, {5, 5, 40000}, {len(raw)}, {1, 2, 3, len(raw) - 1}} {
		frame, err := frames.AppendCut(nil, 4, raw, cuts, z)
		if err != nil {
			t.Fatal(err)
		}
		var h frames.Header
		if err := h.Parse(frame); err != nil {
			t.Fatal(err)
		}
		got, err := frames.Decompress(nil, &h, frame[frames.HeaderBytes:], nil)
		if err != nil || !bytes.Equal(got, raw) {
			t.Errorf("cuts %v: %v", cuts, err)
		}
	}
}
