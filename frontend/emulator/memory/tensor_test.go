// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/frontend/ptx"
)

// drawTensor draws a map that the CUDA driver would take.
func drawTensor(r *rand.Rand) TensorMap {
	m := TensorMap{Element: ptx.F32, Address: 1 << 20, FillNaN: r.IntN(2) == 0, Swizzle: SwizzleSpans[0]}
	rank, stride := 1+r.IntN(5), uint64(0)
	for d := range rank {
		m.Sizes = append(m.Sizes, uint64(4+4*r.IntN(3)))
		m.Box = append(m.Box, uint32(1+r.IntN(3)))
		m.ElementStrides = append(m.ElementStrides, uint32(1+r.IntN(2)))
		if d == 0 {
			m.Box[0], m.ElementStrides[0] = uint32(4*(1+r.IntN(2))), 1 // a multiple of 16 bytes
			stride = m.Sizes[0] * 4
			continue
		}
		stride += uint64(16 * r.IntN(2))
		m.Strides = append(m.Strides, stride)
		stride *= m.Sizes[d]
	}
	return m
}

// A map comes back from its bytes, whatever another one has left in the place that it is read into.
func TestTensorMapsComeBackFromTheirBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 93))
	var got TensorMap
	for range 100 {
		m := drawTensor(r)
		b, err := m.Encode()
		if err != nil {
			t.Fatalf("%+v: %v", m, err)
		}
		if err := got.Decode(b); err != nil {
			t.Fatalf("%+v: %v", m, err)
		}
		if m.Strides == nil {
			m.Strides = []uint64{}
		}
		if got.Strides == nil {
			got.Strides = []uint64{}
		}
		if d := cmp.Diff(m, got); d != "" {
			t.Fatalf("(-want +got):\n%s", d)
		}
	}
}

// The pieces of a copy are the box's elements that lie in the tensor, each at its place. The formula for one element is
// that of PTX ISA 5.5.3. There is a piece for each row at most.
func TestPiecesOfABoxAreItsElementsInTheTensor(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 93))
	for range 200 {
		s := TensorCopy{Layout: drawTensor(r)}
		m := &s.Layout
		rows := 1
		for d := range m.Sizes {
			s.Coordinates[d] = int64(r.IntN(14) - 4)
			if d > 0 {
				rows *= m.Count(d)
			}
		}
		want := map[uint64]uint64{} // the address of each element in the box
		index, place := make([]int64, len(m.Sizes)), uint64(0)
		for more := true; more; {
			inside, address := true, m.Address
			for d, i := range index {
				at := s.Coordinates[d] + i*int64(m.ElementStrides[d])
				inside = inside && at >= 0 && at < int64(m.Sizes[d])
				if d == 0 {
					address += uint64(at) * 4
				} else {
					address += uint64(at) * m.Strides[d-1]
				}
			}
			if inside {
				want[place] = address
			}
			place += 4
			more = false
			for d := range index {
				index[d]++
				if more = index[d] < int64((m.Box[d]+m.ElementStrides[d]-1)/m.ElementStrides[d]); more {
					break
				}
				index[d] = 0
			}
		}
		s.Find()
		got := map[uint64]uint64{}
		for _, run := range s.Runs {
			for at := uint64(0); at < run.Bytes; at += 4 {
				if _, twice := got[run.Place+at]; twice {
					t.Fatalf("%+v from %v: byte %d of the box is moved twice", m, s.Coordinates, run.Place+at)
				}
				got[run.Place+at] = run.Global + at
			}
		}
		if d := cmp.Diff(want, got); d != "" || s.Bytes() != place || len(s.Runs) > rows {
			t.Fatalf("%+v from %v: %d bytes of %d, %d pieces of %d rows:\n%s", m, s.Coordinates, s.Bytes(), place, len(s.Runs), rows, d)
		}
	}
}
