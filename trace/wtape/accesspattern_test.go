// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"math/bits"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/wtape"
)

// patternWriter writes accesses as patterns, and keeps each for as long as the trace.
type patternWriter struct {
	*wtape.Writer
	known map[patternKey]*wtape.AccessPattern
	again int
}

type patternKey struct {
	mask    uint32
	offsets [trace.WarpSize]uint64
}

func (w *patternWriter) access(warp int, a *testtraces.Access) {
	if a.Mask == 0 {
		w.Access(warp, 0, &a.Addresses)
		return
	}
	base := a.Addresses[bits.TrailingZeros32(a.Mask)]
	key := patternKey{mask: a.Mask}
	for l := range key.offsets {
		if a.Mask>>l&1 == 1 {
			key.offsets[l] = a.Addresses[l] - base
		}
	}
	p := w.known[key]
	if p == nil {
		p = &wtape.AccessPattern{Mask: key.mask, Offsets: key.offsets}
		w.known[key] = p
	} else if p.Note.Recorder == w.Writer {
		w.again++
	}
	w.AccessPattern(warp, base, p)
}

// alike makes most accesses of a model irregular ones of few patterns.
func alike(m *testtraces.Trace) {
	n := uint64(0)
	for i := range m.Launches {
		for j := range m.Launches[i].Blocks {
			for k := range m.Launches[i].Blocks[j].Warps {
				accesses := m.Launches[i].Blocks[j].Warps[k].Accesses
				for x := range accesses {
					if n++; n%5 == 0 {
						continue
					}
					a := &accesses[x]
					for l := range a.Addresses {
						if a.Addresses[l] = 0; a.Mask>>l&1 == 1 {
							a.Addresses[l] = 1<<32 + 256*n + 4*uint64(l*l)%(64+n%2)
						}
					}
				}
			}
		}
	}
}

func TestPatternsGiveTheBytesOfTheirAddresses(t *testing.T) {
	again := 0
	for seed := range uint64(12) {
		m := testtraces.Random(seed)
		alike(m)
		want := m.Encode(t, wtape.Options{})
		var out bytes.Buffer
		w, err := wtape.NewWriter(&out, "model", m.Header, wtape.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := &patternWriter{Writer: w, known: map[patternKey]*wtape.AccessPattern{}}
		if err := m.WriteWith(w, p.access); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, out.Bytes()) {
			t.Errorf("seed %d: patterns give another file", seed)
		}
		again += p.again
	}
	if again < 100 {
		t.Errorf("only %d accesses were of a pattern that the writer had met", again)
	}
}

// A pattern stays known from one thread block to the next, but not past one that is only
// counted nor past the end of a chunk.
func TestPatternsStayKnownWhileTheyAreKept(t *testing.T) {
	record := func(access func(w *wtape.Writer, warp int, p *wtape.AccessPattern)) []byte {
		var out bytes.Buffer
		w, err := wtape.NewWriter(&out, "patterns", trace.Header{Sampling: "some"}, wtape.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.AddKernel(gatherKernel()); err != nil {
			t.Fatal(err)
		}
		var patterns [6]wtape.AccessPattern
		for i := range patterns {
			patterns[i].Mask = testtraces.AllLanes >> i
			for l := range trace.WarpSize - i {
				patterns[i].Offsets[l] = uint64(4 * l * l * (i + 1))
			}
		}
		for range 2 {
			if _, err := w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 8, Y: 1, Z: 1}, Block: trace.Dim3{X: trace.WarpSize, Y: 1, Z: 1}}); err != nil {
				t.Fatal(err)
			}
			for block := range 8 {
				w.BeginBlock(uint64(block))
				for load := range 2 {
					p := &patterns[(block+3*load)%len(patterns)]
					w.Visit(0, 0, p.Mask)
					access(w, 0, p)
					access(w, 0, p)
				}
				w.Visit(0, 1, testtraces.AllLanes)
				end := w.EndBlock
				if block%3 == 2 {
					end = w.CountBlock
				}
				if err := end(); err != nil {
					t.Fatal(err)
				}
				if block == 3 {
					w.BeginChunk()
				}
			}
			if err := w.EndLaunch(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	want := record(func(w *wtape.Writer, warp int, p *wtape.AccessPattern) {
		var addresses [trace.WarpSize]uint64
		p.Place(1<<20, &addresses)
		w.Access(warp, p.Mask, &addresses)
	})
	if got := record(func(w *wtape.Writer, warp int, p *wtape.AccessPattern) { w.AccessPattern(warp, 1<<20, p) }); !bytes.Equal(want, got) {
		t.Error("patterns give another file than their addresses")
	}
}
