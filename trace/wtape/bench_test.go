// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/chunks"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/internal/lanecode"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/wtape"
)

// BenchmarkDecodeChunk isolates ReadChunk on one core: decompression and column
// decoding, from memory.
func BenchmarkDecodeChunk(b *testing.B) {
	for _, wl := range testtraces.Workloads() {
		b.Run(wl.Name, func(b *testing.B) {
			data := testtraces.Encode(b, wl, wtape.Options{})
			r, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				b.Fatal(err)
			}
			chunk := wtape.NewChunk()
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
	for _, wl := range testtraces.Workloads() {
		b.Run(wl.Name, func(b *testing.B) {
			chunk := largestRawChunk(b, wl)
			z, err := frames.NewCompressor(zstd.SpeedDefault)
			if err != nil {
				b.Fatal(err)
			}
			var e chunks.Encoder
			var raw, frame []byte
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				raw = e.Encode(raw[:0], chunk)
				frame = frames.Append(frame[:0], 4, raw, z)
				n++
			}
			b.ReportMetric(float64(n)*float64(chunk.WarpInstructions)/b.Elapsed().Seconds(), "warp-insn/s")
		})
	}
}

// BenchmarkRecordVisits isolates the recording thread: the calls for the warps of
// a saxpy, EndBlock included. Encoding runs in parallel with it where there is a
// free core.
func BenchmarkRecordVisits(b *testing.B) {
	w, err := wtape.NewWriter(discard{}, "discard", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Abort()
	if _, err := w.AddKernel(testtraces.SaxpyKernel()); err != nil {
		b.Fatal(err)
	}
	if _, err := w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 1 << 31, Y: 1, Z: 1}, Block: trace.Dim3{X: 256, Y: 1, Z: 1}}); err != nil {
		b.Fatal(err)
	}
	var x [trace.WarpSize]uint64
	block := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		w.BeginBlock(block)
		for warp := range 8 {
			w.Visit(warp, 0, testtraces.AllLanes)
			w.Visit(warp, 1, testtraces.AllLanes)
			for l := range x {
				x[l] = block*1024 + uint64(warp)*128 + 4*uint64(l)
			}
			w.Access(warp, testtraces.AllLanes, &x)
			w.Access(warp, testtraces.AllLanes, &x)
			w.Access(warp, testtraces.AllLanes, &x)
			w.Visit(warp, 2, testtraces.AllLanes)
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

// chunkRecorder records a workload into chunks that are not encoded.
type chunkRecorder struct {
	chunks.ThreadBlock
	plan         *content.Plan
	launch       trace.Launch
	id           uint64
	raw, largest *chunks.Raw
	behaviour    chunks.Behaviour
}

func (r *chunkRecorder) BeginLaunch(l trace.Launch, _ ...int) (int, error) {
	r.launch = l
	r.begin()
	return 0, nil
}

func (r *chunkRecorder) begin() {
	r.raw.Reset(r.plan.Plan, 0, r.launch.Warps())
	r.behaviour.Reset()
}

func (r *chunkRecorder) BeginBlock(id uint64) {
	r.id = id
	r.ThreadBlock.Begin(r.launch.Warps())
}

func (r *chunkRecorder) EndBlock() error {
	_, err := r.raw.CommitBlock(&r.ThreadBlock, r.id, &r.behaviour, r.launch.FullMask)
	if r.raw.Full() {
		r.end()
	}
	return err
}

// end keeps the larger of two chunks.
func (r *chunkRecorder) end() {
	r.raw.CountVisits(nil, nil)
	if r.raw.WarpInstructions > r.largest.WarpInstructions {
		r.ThreadBlock.Exchange(r.raw)
		r.raw, r.largest = r.largest, r.raw
	} else {
		r.ThreadBlock.Drop()
	}
	r.begin()
}

func (r *chunkRecorder) EndLaunch() error {
	r.end()
	return nil
}

// largestRawChunk records a workload and returns its largest chunk.
func largestRawChunk(b *testing.B, wl testtraces.Workload) *chunks.Raw {
	b.Helper()
	r := &chunkRecorder{plan: content.NewPlan(wl.Kernel), raw: new(chunks.Raw), largest: new(chunks.Raw)}
	if err := wl.Record(r); err != nil {
		b.Fatal(err)
	}
	return r.largest
}

// BenchmarkDecodeLaneModel isolates what a stream of explicit lanes takes to decode
// under each lane model, classes, open bits and addresses included.
func BenchmarkDecodeLaneModel(b *testing.B) {
	for _, x := range testtraces.Gathers() {
		x.Warps = min(x.Warps, 100)
		b.Run(fmt.Sprintf("%d", x.Model), func(b *testing.B) {
			data := x.Record(b)
			r, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				b.Fatal(err)
			}
			chunk := new(content.Chunk)
			if err := r.Content().ReadChunkNumber(0, chunk); err != nil {
				b.Fatal(err)
			}
			lanes := 0
			b.ReportAllocs()
			for b.Loop() {
				if err := chunk.Decode(r.Launches(), r.Content().Plans); err != nil {
					b.Fatal(err)
				}
				lanes += chunk.Decoded.Lanes.Count() * trace.WarpSize
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
