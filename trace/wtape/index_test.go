// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/chunks"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/internal/lanecode"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/wtape"
)

// longTrace is a file whose index says that it has so many thread blocks. Opening
// reads no chunk, so where they would be are zeros.
func longTrace(t testing.TB, blocks, perChunk int) []byte {
	t.Helper()
	z, err := frames.NewCompressor(zstd.SpeedFastest)
	if err != nil {
		t.Fatal(err)
	}
	var small bytes.Buffer
	w, err := wtape.NewWriter(&small, "long", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	w.AddKernel(testtraces.SaxpyKernel())
	w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: uint32(blocks), Y: 1, Z: 1}, Block: trace.Dim3{X: 256, Y: 1, Z: 1}})
	w.EndLaunch()
	w.UpdateHeader(func(h *trace.Header) { h.Sampling = "no chunk is real" })
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	r := testtraces.Open(t, small.Bytes())
	out := bytes.Clone(small.Bytes()[:r.Content().File.Footer.IndexOffset])
	x := container.Index{Others: r.Content().File.Index.Others}
	for first := 0; first < blocks; first += perChunk {
		n := min(perChunk, blocks-first)
		x.Chunks = append(x.Chunks, wtape.ChunkInfo{
			FirstBlock: uint64(first), LastBlock: uint64(first + n - 1), Blocks: n, WarpInstructions: uint64(n) * 2000,
			Offset: int64(len(out)), Length: frames.HeaderBytes, RawBytes: 100,
		})
		out = append(out, make([]byte, frames.HeaderBytes)...)
	}
	raw, err := x.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	frame := frames.Append(nil, wtapepb.FrameKind_FRAME_KIND_INDEX, raw, z)
	foot := frames.Footer{IndexOffset: uint64(len(out)), IndexLength: uint64(len(frame))}
	return foot.Append(append(out, frame...))
}

// BenchmarkOpen isolates opening a trace of ten million thread blocks, from memory:
// footer, index, kernels and timeline. The smaller the thread blocks, the more of
// them has a chunk.
func BenchmarkOpen(b *testing.B) {
	for _, perChunk := range []int{chunks.FlushBlocks, 64} {
		b.Run(fmt.Sprintf("blocks=%d", perChunk), func(b *testing.B) {
			data := longTrace(b, 10_000_000, perChunk)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := wtape.NewReader(bytes.NewReader(data), int64(len(data))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestChunksOfALongTraceAreFound(t *testing.T) {
	data := longTrace(t, 1_000_000, 64)
	r := testtraces.Open(t, data)
	for _, block := range []uint64{0, 63, 64, 777_777, 999_999} {
		if i, err := r.FindChunk(0, block); err != nil || i != int(block/64) {
			t.Errorf("thread block %d is in chunk %d, %v; want %d", block, i, err, block/64)
		}
	}
}

// allotted is how many bytes reading all of a trace allots.
func allotted(t *testing.T, data []byte) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := testtraces.Open(t, data)
	c := wtape.NewChunk()
	for i := range r.Chunks() {
		if err := r.ReadChunk(i, c); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// What a reader keeps is the chunk that it reads and the frame that this refers to.
func TestReadingALongerTraceTakesNoMoreMemory(t *testing.T) {
	record := func(launches int) []byte {
		x := testtraces.Gathers()[lanecode.ModelCompanion-lanecode.ModelUniform]
		var out bytes.Buffer
		w, err := wtape.NewWriter(&out, "longer", trace.Header{}, wtape.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		k, _ := w.AddKernel(x.Kernel())
		for range launches {
			x.Launch(t, w, k)
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	short, long := record(3), record(30)
	allotted(t, short) // fills the pool of decompressors
	// The race detector makes the pool forget decompressors at random; what is kept
	// per chunk would show ten times.
	if few, many := allotted(t, short), allotted(t, long); many > 3*few {
		t.Errorf("%d bytes for 3 launches, %d for 30", few, many)
	}
}
