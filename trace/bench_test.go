package trace

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/internal/lanecode"
)

// BenchmarkDecodeChunk isolates ReadChunk on one core: decompression and column
// decoding, from memory.
func BenchmarkDecodeChunk(b *testing.B) {
	for _, wl := range workloads() {
		b.Run(wl.name, func(b *testing.B) {
			data := encodeWorkload(b, wl, Options{})
			r, err := NewReader(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				b.Fatal(err)
			}
			chunk := NewChunk()
			read := uint64(0)
			b.ReportAllocs()
			for i := 0; b.Loop(); i = (i + 1) % len(r.Chunks()) {
				if err := r.ReadChunk(i, chunk); err != nil {
					b.Fatal(err)
				}
				read += r.Chunks()[i].WarpInstructions
			}
			b.ReportMetric(float64(read)/b.Elapsed().Seconds(), "warp-insn/s")
		})
	}
}

// BenchmarkEncodeChunk isolates what a worker does with a raw chunk: columns and
// compression.
func BenchmarkEncodeChunk(b *testing.B) {
	for _, wl := range workloads() {
		b.Run(wl.name, func(b *testing.B) {
			chunk := firstRawChunk(b, wl)
			z, err := frames.NewCompressor(LevelDefault.speed())
			if err != nil {
				b.Fatal(err)
			}
			var e chunkEncoder
			var raw, frame []byte
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				raw = e.encode(raw[:0], chunk)
				frame = frames.Append(frame[:0], 4, raw, z)
				n++
			}
			b.ReportMetric(float64(n)*float64(chunk.warpInstructions)/b.Elapsed().Seconds(), "warp-insn/s")
		})
	}
}

// BenchmarkRecordVisits isolates the recording thread: the calls for the warps of
// a saxpy, EndBlock included. Encoding runs beside it where there is a free core.
func BenchmarkRecordVisits(b *testing.B) {
	w, err := NewWriter(discard{}, "discard", Header{}, Options{Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Abort()
	if _, err := w.AddKernel(saxpyKernel()); err != nil {
		b.Fatal(err)
	}
	if _, err := w.BeginLaunch(Launch{Grid: Dim3{1 << 31, 1, 1}, Block: Dim3{256, 1, 1}}); err != nil {
		b.Fatal(err)
	}
	var x [WarpSize]uint64
	block := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		w.BeginBlock(block)
		for warp := range 8 {
			w.Visit(warp, 0, allLanes)
			w.Visit(warp, 1, allLanes)
			for l := range x {
				x[l] = block*1024 + uint64(warp)*128 + 4*uint64(l)
			}
			w.Access(warp, allLanes, &x)
			w.Access(warp, allLanes, &x)
			w.Access(warp, allLanes, &x)
			w.Visit(warp, 2, allLanes)
		}
		if err := w.EndBlock(); err != nil {
			b.Fatal(err)
		}
		block++
	}
	b.ReportMetric(float64(block)*8*17/b.Elapsed().Seconds(), "warp-insn/s")
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// firstRawChunk records a workload up to its first full chunk.
func firstRawChunk(b *testing.B, wl workload) *rawChunk {
	b.Helper()
	w, err := NewWriter(discard{}, wl.name, Header{}, Options{Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	jobs := slices.Clone(w.out.free.jobs) // which go round, and belong to the next writer after Finish
	if _, err := w.AddKernel(wl.kernel); err != nil {
		b.Fatal(err)
	}
	if err := wl.record(w); err != nil {
		b.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		b.Fatal(err)
	}
	largest := &jobs[0].chunk
	for _, j := range jobs {
		if j.chunk.warpInstructions > largest.warpInstructions {
			largest = &j.chunk
		}
	}
	largest.earlier, largest.precedents = nil, nil // it is encoded again and again
	return largest
}

// BenchmarkDecodeLaneModel isolates what a stream of explicit lanes takes to decode
// under each lane model, classes, open bits and addresses included.
func BenchmarkDecodeLaneModel(b *testing.B) {
	for _, x := range gathers() {
		x.warps = min(x.warps, 100)
		b.Run(fmt.Sprintf("%d", x.model), func(b *testing.B) {
			data := x.record(b)
			r, err := NewReader(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				b.Fatal(err)
			}
			chunk := NewChunk()
			if err := r.ReadChunk(0, chunk); err != nil {
				b.Fatal(err)
			}
			lanes := 0
			b.ReportAllocs()
			for b.Loop() {
				if err := chunk.decode(r.Launches(), r.plans); err != nil {
					b.Fatal(err)
				}
				lanes += len(chunk.LaneAddresses)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(lanes), "ns/lane")
		})
	}
}

// BenchmarkEntropyDecode isolates the four-state loop over lane classes.
func BenchmarkEntropyDecode(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	classes := make([]byte, 1<<16)
	var counts [lanecode.MaxClass + 1]uint32
	for i := range classes {
		classes[i] = byte(min(lanecode.MaxClass, math.Abs(rng.NormFloat64())*12))
		counts[classes[i]]++
	}
	var e lanecode.EntropyEncoder
	var d lanecode.EntropyDecoder
	coded := e.Append(nil, classes, counts[:])
	b.SetBytes(int64(len(classes)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Append(classes[:0], coded, len(classes)); err != nil {
			b.Fatal(err)
		}
	}
}
