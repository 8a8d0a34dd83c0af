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
