// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/lanecode"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/tracetest"
)

func TestEachLaneModelIsChosenForWhatItIsMadeFor(t *testing.T) {
	for _, x := range tracetest.Draw(t, testtraces.Gathers(), 1) {
		data := x.Record(t)
		r := testtraces.Open(t, data)
		c := new(content.Chunk)
		if err := r.Content().ReadChunkNumber(0, c); err != nil {
			t.Fatal(err)
		}
		streams := c.Decoded.Columns.Streams
		if got := int(streams[len(streams)-1].LaneModel); got != x.Model {
			t.Errorf("lane model %d, want %d", got, x.Model)
		}
		if err := compareWithReference(data); err != nil {
			t.Errorf("model %d: %v", x.Model, err)
		}
	}
}

// A random permutation of n nodes that is walked again and again costs its entropy,
// log2(n!) bits, and the start of each walk; not log2(n) bits for every step.
func TestPointerChaseCostsTheEntropyOfItsLinks(t *testing.T) {
	x := testtraces.Gathers()[6]
	x.Warps = 100
	r := testtraces.Open(t, x.Record(t))
	nodes := 5000.0
	links, _ := math.Lgamma(nodes + 1)
	starts := float64(x.Warps) * trace.WarpSize * math.Log2(nodes)
	floor := (links/math.Ln2 + starts) / 8
	have := 0.0
	for _, c := range r.Chunks() {
		have += float64(c.Length)
	}
	steps := float64(x.Warps*x.Visits) * trace.WarpSize * math.Log2(nodes) / 8
	if have > 2*floor || have > steps/5 {
		t.Errorf("%.0f bytes, the floor is %.0f, and %.0f without a memory of the links", have, floor, steps)
	}
}

func TestLaneClassesCoverAllCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	codes := []uint64{0, 1, 7, 8, 9, 15, 16, 17, math.MaxUint64, math.MaxUint64 - 1, 1 << 63}
	for range 2000 {
		codes = append(codes, rng.Uint64()>>rng.IntN(64))
	}
	z := lanecode.Encoder{Codes: codes}
	for _, c := range codes {
		class, _ := lanecode.Class(c)
		z.Classes = append(z.Classes, class)
	}
	r := lanecode.NewCodeReader(z.Classes, z.OpenBits())
	for at := 0; at < len(codes); {
		mask := rng.Uint32() >> rng.IntN(32)
		for bits.OnesCount32(mask) > len(codes)-at {
			mask &= mask - 1
		}
		var got [trace.WarpSize]uint64
		r.Take(mask, &got)
		for l := range got {
			if mask>>l&1 == 0 {
				continue
			}
			if got[l] != codes[at] {
				t.Fatalf("code %d: got %#x, want %#x", at, got[l], codes[at])
			}
			at++
		}
	}
	if err := r.Check(); err != nil {
		t.Error(err)
	}
}

// entropyOf is Shannon's, in bytes for all of the data.
func entropyOf(data []byte) float64 {
	var counts [256]float64
	for _, b := range data {
		counts[b]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			bits += n * math.Log2(float64(len(data))/n)
		}
	}
	return bits / 8
}

func TestCodedClassesComeCloseToTheirEntropy(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, spread := range []float64{0, 0.01, 0.3, 2, 40} {
		classes := make([]byte, 60000)
		var counts [lanecode.MaxClass + 1]uint32
		for i := range classes {
			classes[i] = byte(min(lanecode.MaxClass, math.Abs(rng.NormFloat64())*spread))
			counts[classes[i]]++
		}
		var e lanecode.EntropyEncoder
		coded := e.Append(nil, classes, counts[:])
		if limit := 1.01*entropyOf(classes) + 300; float64(len(coded)) > limit {
			t.Errorf("spread %g: %d bytes, want at most %.0f", spread, len(coded), limit)
		}
		var d lanecode.EntropyDecoder
		got, err := d.Append(nil, coded, len(classes))
		if err != nil || !bytes.Equal(got, classes) {
			t.Errorf("spread %g: does not decode to what it was: %v", spread, err)
		}
		if _, err := d.Append(nil, coded, len(classes)-1); err == nil {
			t.Error("more classes than allowed were decoded")
		}
	}
}

func TestRareClassesKeepAFrequency(t *testing.T) {
	var counts [lanecode.MaxClass + 1]uint32
	var classes []byte
	for class := range counts { // all but one are rarer than 1/4096
		n := 1
		if class == 5 {
			n = 2_000_000
		}
		counts[class] = uint32(n)
		classes = append(classes, bytes.Repeat([]byte{byte(class)}, n)...)
	}
	var e lanecode.EntropyEncoder
	var d lanecode.EntropyDecoder
	got, err := d.Append(nil, e.Append(nil, classes, counts[:]), len(classes))
	if err != nil || !bytes.Equal(got, classes) {
		t.Errorf("does not decode to what it was: %v", err)
	}
}

func FuzzEntropyDecoder(f *testing.F) {
	var e lanecode.EntropyEncoder
	var counts [lanecode.MaxClass + 1]uint32
	classes := []byte{0, 0, 0, 1, 0, 2, 0, 0, 9, 0, 251}
	for _, c := range classes {
		counts[c]++
	}
	f.Add(e.Append(nil, classes, counts[:]))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, coded []byte) {
		var d lanecode.EntropyDecoder
		out, err := d.Append(nil, coded, 1<<16)
		if err == nil && len(out) > 1<<16 {
			t.Fatalf("%d classes", len(out))
		}
	})
}

// A decoder's model, which sees codes only, keeps in step with the encoder's.
func TestUnitsInvertCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for kind := lanecode.ModelUniform; kind < lanecode.ModelEnd; kind++ {
		var encoder, decoder lanecode.Model
		var watch lanecode.Watch
		encoder.Start(kind, 1<<12, &watch, 2, 0)
		decoder.Start(kind, 1<<12, &watch, 2, 0)
		for warp := range 40 {
			for range 1 + r.IntN(8) {
				mask := r.Uint32() | 1<<r.IntN(32)
				if r.IntN(3) == 0 {
					mask = lanecode.AllWarpLanes
				}
				watch.Warp, watch.Seen = warp-r.IntN(2), r.Uint32()
				var units, got [trace.WarpSize]uint64
				for l := range units {
					watch.Addresses[l] = r.Uint64N(1 << 12)
					if mask>>l&1 == 1 {
						units[l] = watch.Addresses[l]>>2 + 77 + r.Uint64N(2)*r.Uint64N(1<<10)
					}
				}
				if r.IntN(10) == 0 && mask>>3&1 == 1 {
					units[3] = r.Uint64() >> 1
				}
				got = units
				encoder.Codes(warp, mask, &got)
				decoder.Units(warp, mask, &got)
				for l := range got {
					if mask>>l&1 == 1 && got[l] != units[l] {
						t.Fatalf("model %d, warp %d, mask %08x: lane %d has units %d, want %d", kind, warp, mask, l, got[l], units[l])
					}
				}
			}
		}
	}
}
