// SPDX-License-Identifier: Apache-2.0

package references

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/frames"
)

const chunk = wtapepb.FrameKind_FRAME_KIND_CHUNK

// random is bytes that nothing compresses.
func random(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// sharing is a payload that begins as another one does, for so many percent of it.
func sharing(with []byte, percent int, seed uint64) []byte {
	own := random(seed, len(with))
	copy(own, with[:len(with)*percent/100])
	return own
}

func alone(t *testing.T, raw []byte) *Frame {
	t.Helper()
	z, err := frames.NewCompressor(zstd.SpeedDefault)
	if err != nil {
		t.Fatal(err)
	}
	return &Frame{Kind: chunk, Raw: raw, Bytes: frames.Append(nil, chunk, raw, z)}
}

// read takes a frame apart as the format says, with zstd's own decoder.
func read(t *testing.T, f *Frame, reference []byte) (distance uint64, raw []byte) {
	t.Helper()
	var h frames.Header
	if err := h.Parse(f.Bytes); err != nil {
		t.Fatal(err)
	}
	stored := f.Bytes[frames.HeaderBytes:]
	if int(h.Stored) != len(stored) || int(h.Raw) != len(f.Raw) || h.Kind != f.Kind {
		t.Errorf("%+v of a frame of %d bytes, %d uncompressed", h, len(stored), len(f.Raw))
	}
	var options []zstd.DOption
	if h.Compression == frames.CompressionReference {
		distance, stored = binary.LittleEndian.Uint64(stored), stored[frames.ReferenceBytes:]
		options = append(options, zstd.WithDecoderDictRaw(0, reference))
	}
	z, err := zstd.NewReader(nil, options...)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if raw, err = z.DecodeAll(stored, nil); err != nil {
		t.Fatal(err)
	}
	return distance, raw
}

// A frame is compressed with the payload of an earlier one where that is worth it. At the same place of
// an earlier launch a sixteenth has to go away, and at the same place of another kernel a quarter. Elsewhere in
// the kernel half has to. What is not shared cannot be compressed. All frames can be read.
func TestAReferenceMustBeWorthIt(t *testing.T) {
	first := random(1, 64<<10)
	for _, c := range []struct {
		kernel, percent int
		block           uint64
		want            bool
	}{
		{0, 99, 3, true}, {0, 40, 3, true}, {0, 15, 3, true}, {0, 0, 3, false},
		{1, 99, 3, true}, {1, 40, 3, true}, {1, 15, 3, false}, {1, 0, 3, false},
		{0, 99, 4, true}, {0, 70, 4, true}, {0, 40, 4, false}, {0, 0, 4, false},
		{1, 99, 4, false}, // nothing of it is known
	} {
		var h History
		e := NewEncoder(zstd.SpeedDefault)
		a := alone(t, first)
		h.AddChunk(a, 0, 3, len(first))
		b := alone(t, sharing(first, c.percent, 2))
		h.AddChunk(b, c.kernel, c.block, len(b.Raw))
		for i, f := range []*Frame{a, b} {
			if err := e.Encode(f); err != nil {
				t.Fatal(err)
			}
			f.Place(int64(100 + 70000*i))
		}
		if distance, raw := read(t, a, nil); distance != 0 || !bytes.Equal(raw, first) {
			t.Errorf("%+v: the first frame refers to another one, or is another one", c)
		}
		distance, raw := read(t, b, first)
		if (distance == 70000) != c.want || (distance == 0) == c.want || !bytes.Equal(raw, b.Raw) {
			t.Errorf("%+v: the second frame refers %d bytes back", c, distance)
		}
		if most := len(first)*(100-c.percent)/100 + 1000; c.want && len(b.Bytes) > most {
			t.Errorf("%+v: %d bytes, %d are expected at most", c, len(b.Bytes), most)
		}
	}
}

// A frame refers to one that stands on its own, so that reading takes two frames at most: the third of three
// that are alike refers to the first.
func TestReferencesHaveNoChains(t *testing.T) {
	first := random(1, 16<<10)
	var h History
	e := NewEncoder(zstd.SpeedDefault)
	for i := range 4 {
		f := alone(t, sharing(first, 95, uint64(10+i)))
		if i == 0 {
			f = alone(t, first)
		}
		h.AddChunk(f, 0, 0, len(f.Raw))
		if err := e.Encode(f); err != nil {
			t.Fatal(err)
		}
		f.Place(int64(1000 * i))
		if distance, raw := read(t, f, first); distance != uint64(1000*i) || !bytes.Equal(raw, f.Raw) {
			t.Errorf("frame %d refers %d bytes back", i, distance)
		}
		f.Forget()
	}
}

// More roots than compressors, in turn: all frames are read with the roots that they were written with.
func TestRootsTakeTurns(t *testing.T) {
	var h History
	e := NewEncoder(zstd.SpeedDefault)
	at := int64(0)
	var roots [5][]byte
	var places [5]int64
	for round := range 6 {
		for k := range roots {
			raw := random(uint64(k), 4<<10)
			if round > 0 {
				raw = sharing(raw, 90, uint64(100*round+k))
			} else {
				roots[k], places[k] = raw, at
			}
			f := alone(t, raw)
			h.AddChunk(f, k, uint64(k), len(raw))
			if err := e.Encode(f); err != nil {
				t.Fatal(err)
			}
			f.Place(at)
			if distance, got := read(t, f, roots[k]); distance != uint64(at-places[k]) || !bytes.Equal(got, raw) {
				t.Errorf("round %d, kernel %d: %d bytes back, want %d", round, k, distance, at-places[k])
			}
			at += 5000
		}
	}
	e.Forget()
	for _, c := range e.compressors {
		if c.root != nil {
			t.Error("a root is not forgotten")
		}
	}
}

// Kernels refer to the first one. Of chunks those are forgotten that have more than 64 MiB behind them, but for the
// first of a kernel.
func TestWhatAHistoryKnows(t *testing.T) {
	var h History
	var kernels [3]Frame
	for i := range kernels {
		h.AddKernel(&kernels[i])
		if got := kernels[i].candidates[0].earlier; got != kernels[0].memory {
			t.Errorf("kernel %d refers to another one than the first", i)
		}
	}
	var chunks [4]Frame
	for i := range chunks {
		h.AddChunk(&chunks[i], 0, uint64(i), 25<<20)
	}
	for i, known := range []bool{false, false, true, true} { // the last two have 50 MiB
		if (h.chunks[key{0, uint64(i)}] == chunks[i].memory) != known || (h.places[uint64(i)] == chunks[i].memory) != known {
			t.Errorf("chunk %d is known: %t", i, !known)
		}
	}
	var again Frame
	h.AddChunk(&again, 0, 0, 1)
	if c := again.candidates; c[0].earlier != nil || c[1].earlier != nil || c[2].earlier != chunks[0].memory {
		t.Error("a forgotten place has no reference to the first chunk of its kernel, or has one to a forgotten chunk")
	}
	if h.bytes != 50<<20+1 || len(h.order) != 3 {
		t.Errorf("%d chunks of %d bytes are kept", len(h.order), h.bytes)
	}
}

// Payload and dictionary have 8 MiB together at most, and a payload of more than half of that is no dictionary.
func TestLargePayloadsStandAlone(t *testing.T) {
	large := random(7, 5<<20)
	for _, c := range []struct {
		first, second int
		want          bool
	}{{4 << 20, 4 << 20, true}, {4 << 20, 4<<20 + 1, false}, {4<<20 + 1, 1 << 20, false}} {
		var h History
		e := NewEncoder(zstd.SpeedFastest)
		for _, n := range []int{c.first, c.second} {
			f := &Frame{Kind: chunk, Raw: large[:n], Bytes: make([]byte, n)} // as if it were stored as it is
			h.AddChunk(f, 0, 0, n)
			if err := e.Encode(f); err != nil {
				t.Fatal(err)
			}
		}
		if tried := e.changes > 0; tried != c.want {
			t.Errorf("%d bytes behind %d: a dictionary is tried: %t", c.second, c.first, tried)
		}
	}
}
