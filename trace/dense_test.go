package trace

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/internal/lanecode"
)

// Of executions by one lane at random places, in turns with those by all lanes at one,
// kinds and residuals cost more than codes: every execution has explicit lanes. A
// stream that is regular but for a few executions keeps its strides.
func TestOnlyIrregularStreamsAreDense(t *testing.T) {
	seldom := gather{lanecode.ModelUniform, 40, 40, func(g *gatherState) (_, second [WarpSize]uint64) {
		if g.visit%20 > 0 {
			return noGather, g.each(func(l int) uint64 { return 1<<20 + 4*uint64(l) + 128*uint64(g.visit+g.warp) })
		}
		return noGather, g.each(func(int) uint64 { return 4 * uint64(g.IntN(9000)) })
	}}
	for _, x := range []struct {
		name  string
		data  []byte
		dense bool
	}{{"turns", recordTurns(t), true}, {"seldom", seldom.record(t), false}} {
		r := openBytes(t, x.data)
		c := NewChunk()
		if err := r.ReadChunk(0, c); err != nil {
			t.Fatal(err)
		}
		s := &c.columns.streams[1]
		if dense := len(s.residual) == 0 && len(s.stride) == 0; dense != x.dense {
			t.Errorf("%s: %d bytes of residuals, %d of strides", x.name, len(s.residual), len(s.stride))
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
	w, err := NewWriter(&out, "turns", Header{}, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	g := gathers()[0]
	k, err := w.AddKernel(g.kernel())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.BeginLaunch(Launch{Kernel: k, Grid: Dim3{1, 1, 1}, Block: Dim3{32, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	w.BeginBlock(0)
	for visit := range 1000 {
		mask, address := allLanes, uint64(400)
		if visit%4 > 0 {
			mask, address = 1<<rng.IntN(32), 4*rng.Uint64N(9000)
		}
		var second [WarpSize]uint64
		for l := range second {
			second[l] = address
		}
		w.Visit(0, 0, mask)
		w.Access(0, mask, &noGather)
		w.Access(0, mask, &second)
	}
	w.Visit(0, 1, allLanes)
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
	z, err := frames.NewCompressor(LevelDefault.speed())
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
