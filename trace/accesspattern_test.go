package trace

import (
	"bytes"
	"math/bits"
	"testing"
)

// patternWriter writes accesses as patterns, each of which is kept for as long as the trace.
type patternWriter struct {
	*Writer
	known map[patternKey]*AccessPattern
	again int
}

type patternKey struct {
	mask    uint32
	offsets [WarpSize]uint64
}

func (w *patternWriter) access(warp int, a *modelAccess) {
	if a.mask == 0 {
		w.Access(warp, 0, &a.addresses)
		return
	}
	base := a.addresses[bits.TrailingZeros32(a.mask)]
	key := patternKey{mask: a.mask}
	for l := range key.offsets {
		if a.mask>>l&1 == 1 {
			key.offsets[l] = a.addresses[l] - base
		}
	}
	p := w.known[key]
	if p == nil {
		p = &AccessPattern{Mask: key.mask, Offsets: key.offsets}
		w.known[key] = p
	} else if p.Note.Recorder == w.Writer {
		w.again++
	}
	w.AccessPattern(warp, base, p)
}

// alike makes most accesses of a model irregular ones of few patterns.
func alike(m *modelTrace) {
	n := uint64(0)
	for i := range m.launches {
		for j := range m.launches[i].blocks {
			for k := range m.launches[i].blocks[j].warps {
				accesses := m.launches[i].blocks[j].warps[k].accesses
				for x := range accesses {
					if n++; n%5 == 0 {
						continue
					}
					a := &accesses[x]
					for l := range a.addresses {
						if a.addresses[l] = 0; a.mask>>l&1 == 1 {
							a.addresses[l] = 1<<32 + 256*n + 4*uint64(l*l)%(64+n%2)
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
		m := randomModel(seed)
		alike(m)
		want := m.encode(t, Options{})
		var out bytes.Buffer
		w, err := NewWriter(&out, "model", m.header, Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := &patternWriter{Writer: w, known: map[patternKey]*AccessPattern{}}
		if err := m.writeWith(w, p.access); err != nil {
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
	record := func(access func(w *Writer, warp int, p *AccessPattern)) []byte {
		var out bytes.Buffer
		w, err := NewWriter(&out, "patterns", Header{Sampling: "some"}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.AddKernel(gatherKernel()); err != nil {
			t.Fatal(err)
		}
		var patterns [6]AccessPattern
		for i := range patterns {
			patterns[i].Mask = allLanes >> i
			for l := range WarpSize - i {
				patterns[i].Offsets[l] = uint64(4 * l * l * (i + 1))
			}
		}
		for range 2 {
			if _, err := w.BeginLaunch(Launch{Grid: Dim3{8, 1, 1}, Block: Dim3{WarpSize, 1, 1}}); err != nil {
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
				w.Visit(0, 1, allLanes)
				end := w.EndBlock
				if block%3 == 2 {
					end = w.CountBlock
				}
				if err := end(); err != nil {
					t.Fatal(err)
				}
				if block == 3 {
					w.beginChunk()
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
	want := record(func(w *Writer, warp int, p *AccessPattern) {
		var addresses [WarpSize]uint64
		p.Place(1<<20, &addresses)
		w.Access(warp, p.Mask, &addresses)
	})
	if got := record(func(w *Writer, warp int, p *AccessPattern) { w.AccessPattern(warp, 1<<20, p) }); !bytes.Equal(want, got) {
		t.Error("patterns give another file than their addresses")
	}
}
