// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/frontend/ptx"
)

// drawTensor draws a map that the CUDA driver would take.
func drawTensor(r *rand.Rand) TensorMap {
	m := TensorMap{Element: TensorElement{Type: ptx.F32}, Address: 1 << 20, FillNaN: r.IntN(2) == 0, Swizzle: SwizzleSpans[0]}
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

// drawUnrolled draws a map in im2col mode.
func drawUnrolled(r *rand.Rand) TensorMap {
	m := drawTensor(r)
	for len(m.Sizes) < 3 {
		m = drawTensor(r)
	}
	m.Box = nil
	p := &Im2col{Channels: uint32(4 * (1 + r.IntN(2))), Pixels: uint32(1 + r.IntN(40))}
	for range len(m.Sizes) - 2 {
		p.Lower, p.Upper = append(p.Lower, -r.IntN(3)), append(p.Upper, -r.IntN(3))
	}
	m.Im2col = p
	return m
}

// A map comes back from its bytes, whatever another one has left in the place that it is read into.
func TestTensorMapsComeBackFromTheirBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 93))
	var got TensorMap
	for n := range 200 {
		m := drawTensor(r)
		if n%2 == 1 {
			m = drawUnrolled(r)
		}
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
		if len(got.Box) == 0 {
			got.Box = nil
		}
		if d := cmp.Diff(m, got); d != "" {
			t.Fatalf("(-want +got):\n%s", d)
		}
	}
}

// found is the address of each element, by its place in the box, that a copy moves.
func (s *TensorCopy) found(t *testing.T) map[uint64]uint64 {
	t.Helper()
	s.Find()
	got := map[uint64]uint64{}
	for _, run := range s.Runs {
		for at := uint64(0); at < run.Bytes; at += 4 {
			if _, twice := got[run.Place+at]; twice {
				t.Fatalf("%+v from %v: byte %d of the box is moved twice", s.Layout, s.Coordinates, run.Place+at)
			}
			got[run.Place+at] = run.Global + at
		}
	}
	return got
}

// In im2col mode the pixels of a copy are those of the bounding box, image after image, from the coordinates on. Offsets
// move each (PTX ISA 5.5.4).
func TestPiecesOfUnrolledPixelsAreTheirElementsInTheTensor(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 93))
	for range 200 {
		s := TensorCopy{Layout: drawUnrolled(r), Im2col: true}
		m, p := &s.Layout, s.Layout.Im2col
		spatial := len(m.Sizes) - 2
		walk := [][]int64{nil} // the places of a bounding box, the innermost dimension first
		for d := range spatial {
			s.Offsets = append(s.Offsets, uint16(r.IntN(4)))
			var longer [][]int64
			for x := int64(p.Lower[d]); x <= int64(m.Sizes[d+1])-1+int64(p.Upper[d]); x += int64(m.ElementStrides[d+1]) {
				for _, place := range walk {
					longer = append(longer, append(place[:len(place):len(place)], x))
				}
			}
			walk = longer
		}
		first, channel, image := r.IntN(len(walk)), int64(r.IntN(3)), int64(r.IntN(int(m.Sizes[spatial+1])))
		s.Coordinates[0], s.Coordinates[spatial+1] = channel, image
		copy(s.Coordinates[1:], walk[first])
		want := map[uint64]uint64{}
		for n := range uint64(p.Pixels) {
			at := uint64(first) + n
			for c := range int64(p.Channels) {
				place := append([]int64{channel + c}, walk[at%uint64(len(walk))]...)
				for d := range spatial {
					place[d+1] += int64(s.Offsets[d])
				}
				place = append(place, image+int64(at/uint64(len(walk))))
				inside, address := true, m.Address+4*uint64(place[0])
				for d, x := range place {
					if inside = inside && x >= 0 && x < int64(m.Sizes[d]); d > 0 {
						address += uint64(x) * m.Strides[d-1]
					}
				}
				if inside {
					want[4*(n*uint64(p.Channels)+uint64(c))] = address
				}
			}
		}
		if d := cmp.Diff(want, s.found(t)); d != "" || s.Bytes() != 4*uint64(p.Channels)*uint64(p.Pixels) {
			t.Fatalf("%+v, %+v from %v moved by %v, %d bytes:\n%s", m, p, s.Coordinates, s.Offsets, s.Bytes(), d)
		}
	}
}

// A copy of four rows has the same part of each, one behind the other (PTX ISA 5.5.3.4).
func TestPiecesOfFourRowsAreTheirElementsInTheTensor(t *testing.T) {
	m := TensorMap{Element: TensorElement{Type: ptx.F32}, Address: 1 << 20, Sizes: []uint64{8, 5}, Strides: []uint64{64}, Box: []uint32{4, 1}, ElementStrides: []uint32{1, 1}}
	s := TensorCopy{Layout: m, FourRows: true, Coordinates: [5]int64{6, 4, 5, -1, 0}}
	want := map[uint64]uint64{0: 1<<20 + 4*64 + 24, 4: 1<<20 + 4*64 + 28, 48: 1<<20 + 24, 52: 1<<20 + 28}
	if d := cmp.Diff(want, s.found(t)); d != "" || s.Bytes() != 64 {
		t.Errorf("%d bytes:\n%s", s.Bytes(), d)
	}
}

// A copy goes by a map of its mode, its dimensions, and no more bytes than shared memory has.
func TestCopiesGoByMapsOfTheirKind(t *testing.T) {
	tile := TensorMap{Element: TensorElement{Type: ptx.F32}, Sizes: []uint64{8, 5}, Box: []uint32{4, 1}, ElementStrides: []uint32{1, 1}}
	with := func(change func(m *TensorMap)) TensorMap {
		m := tile
		m.Sizes, m.Box = slices.Clone(tile.Sizes), slices.Clone(tile.Box)
		change(&m)
		return m
	}
	unrolled := with(func(m *TensorMap) { m.Im2col, m.Box = &Im2col{Channels: 256, Pixels: 256}, nil })
	for _, c := range []struct {
		copied      TensorCopy
		coordinates int
		want        string
	}{
		{TensorCopy{Layout: tile}, 2, ""},
		{TensorCopy{Layout: tile}, 3, "3 coordinates"},
		{TensorCopy{Layout: tile, Im2col: true}, 2, "im2col mode"},
		{TensorCopy{Layout: unrolled}, 2, "im2col mode"},
		{TensorCopy{Layout: unrolled, Im2col: true}, 2, ""},
		{TensorCopy{Layout: with(func(m *TensorMap) { m.Im2col = &Im2col{Channels: 256, Pixels: 257} }), Im2col: true}, 2, "shared memory has at most"},
		{TensorCopy{Layout: tile, FourRows: true}, 5, ""},
		{TensorCopy{Layout: with(func(m *TensorMap) { m.Sizes = append(m.Sizes, 2) }), FourRows: true}, 5, "four rows"},
		{TensorCopy{Layout: with(func(m *TensorMap) { m.Box[1] = 2 }), FourRows: true}, 5, "four rows"},
		{TensorCopy{Layout: with(func(m *TensorMap) { m.Im2col = new(Im2col) }), FourRows: true}, 5, "four rows"},
	} {
		if got := c.copied.Against(c.coordinates); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%+v with %d coordinates: %q, want %q", c.copied, c.coordinates, got, c.want)
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
		got := s.found(t)
		if d := cmp.Diff(want, got); d != "" || s.Bytes() != place || len(s.Runs) > rows {
			t.Fatalf("%+v from %v: %d bytes of %d, %d pieces of %d rows:\n%s", m, s.Coordinates, s.Bytes(), place, len(s.Runs), rows, d)
		}
	}
}

// Under each swizzle the threads that read eight pieces of one column, as a matrix
// multiplication does, have no bank in common.
func TestSwizzlesKeepColumnsOffTheSameBanks(t *testing.T) {
	for _, span := range []int{32, 64, 128} {
		for column := range span / 16 {
			banks := map[uint64]bool{}
			for row := range 8 {
				banks[Swizzled(uint64(row*span+16*column), span)%128/16] = true
			}
			if len(banks) != 8 {
				t.Errorf("span %d column %d: %d of 8 groups of banks", span, column, len(banks))
			}
		}
		seen := map[uint64]bool{}
		for at := uint64(0); at < 1024; at++ {
			pieces := uint64(span / 16) // of a span; the number of the 128 bytes is combined with that of the piece
			if got, want := Swizzled(at, span), at-at%uint64(span)+(at%uint64(span)/16^at/128%pieces)*16+at%16; got != want {
				t.Errorf("span %d: %d goes to %d, want %d", span, at, got, want)
			}
			if back := Swizzled(Swizzled(at, span), span); back != at {
				t.Fatalf("span %d: %d comes back as %d", span, at, back)
			}
			seen[Swizzled(at, span)] = true
		}
		if len(seen) != 1024 {
			t.Errorf("span %d: %d of 1024 places", span, len(seen))
		}
	}
}

func TestTensorMapsAreHeldToTheirLimits(t *testing.T) {
	good := func() TensorMap {
		return TensorMap{Element: TensorElement{Type: ptx.F32}, Address: 4096, Sizes: []uint64{64, 64}, Strides: []uint64{256}, Box: []uint32{32, 8}, ElementStrides: []uint32{1, 1}, Swizzle: 128}
	}
	m := good()
	if _, err := m.Encode(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*TensorMap){
		"no multiple of 16":               func(m *TensorMap) { m.Address = 4100 },
		"stride 8 of dimension 1":         func(m *TensorMap) { m.Strides[0] = 8 },
		"box size 0 of dimension 1":       func(m *TensorMap) { m.Box[1] = 0 },
		"box size 257":                    func(m *TensorMap) { m.Box[0] = 257 },
		"more than the swizzle's 128":     func(m *TensorMap) { m.Box[0] = 64 },
		"which is no multiple of 16":      func(m *TensorMap) { m.Box[0] = 3 },
		"element stride 9":                func(m *TensorMap) { m.ElementStrides[1] = 9 },
		"a swizzle of 16 bytes":           func(m *TensorMap) { m.Swizzle = 16 },
		"cannot be filled with NaN":       func(m *TensorMap) { m.Element.Type, m.FillNaN = ptx.U32, true },
		"im2col mode of a tensor of 2":    func(m *TensorMap) { m.Im2col = &Im2col{Channels: 4, Pixels: 1} },
		"elements of .f16.ftz are not":    func(m *TensorMap) { m.Element = TensorElement{Type: ptx.F16, Flush: true} },
		"elements of .pred are not":       func(m *TensorMap) { m.Element.Type = ptx.Pred },
		"0 strides of a tensor of 2 dime": func(m *TensorMap) { m.Strides = nil },
		"size 0 of dimension 0":           func(m *TensorMap) { m.Sizes[0] = 0 },
	} {
		m := good()
		change(&m)
		if _, err := m.Encode(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for name, change := range map[string]func(*TensorMap){
		"the largest size":           func(m *TensorMap) { m.Sizes[1] = 1 << 32 },
		"the largest stride":         func(m *TensorMap) { m.Strides[0] = 1<<40 - 16 },
		"the largest element stride": func(m *TensorMap) { m.ElementStrides[1] = 8 },
		"the largest box":            func(m *TensorMap) { m.Box[0], m.Box[1], m.Swizzle = 256, 256, 0 },
	} {
		m := good()
		if change(&m); m.check() != nil {
			t.Errorf("%s: %v", name, m.check())
		}
	}
}

// What lies where a map is looked for may be anything.
func TestBytesThatAreNoTensorMapAreRefused(t *testing.T) {
	good := TensorMap{Element: TensorElement{Type: ptx.F32}, Sizes: []uint64{8}, Box: []uint32{4}, ElementStrides: []uint32{1}}
	for want, change := range map[string]func(b []byte){
		"no tensor map lies there":    func(b []byte) { b[MapMagic]++ },
		"its rank is 0":               func(b []byte) { b[MapRank] = 0 },
		"its rank is 6":               func(b []byte) { b[MapRank] = 6 },
		"its element type 13":         func(b []byte) { b[MapElement] = byte(len(tensorElements)) },
		"its swizzle mode 4":          func(b []byte) { b[MapSwizzle] = byte(len(SwizzleSpans)) },
		"interleaved layouts are not": func(b []byte) { b[MapInterleave] = 1 },
		"box size 0 of dimension 0":   func(b []byte) { clear(b[MapBox : MapBox+2]) },
	} {
		b, err := good.Encode()
		if err != nil {
			t.Fatal(err)
		}
		change(b)
		var m TensorMap
		if err := m.Decode(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// The offsets of a bounding box have the bits that its dimensions leave them, and some box is left.
func TestBoundingBoxesAreHeldToTheirLimits(t *testing.T) {
	for rank, limit := range map[int]int{3: 1 << 15, 4: 1 << 7, 5: 1 << 4} {
		for last := range rank - 2 {
			for _, c := range []struct {
				lower, upper int
				want         string
			}{
				{-limit, 0, ""}, {-limit - 1, 0, "corner offset"}, {limit - 1, limit - 1, ""}, {0, limit, "corner offset"},
				{0, -3, ""}, {0, -4, "is empty"}, {-4, -7, ""}, {-4, -8, "is empty"}, {3, 0, ""}, {4, 0, "is empty"},
			} {
				m := TensorMap{Element: TensorElement{Type: ptx.F32}, Im2col: &Im2col{Channels: 4, Pixels: 1}}
				for d := range rank {
					m.Sizes, m.ElementStrides = append(m.Sizes, 4), append(m.ElementStrides, 1)
					if d > 0 {
						m.Strides = append(m.Strides, 16)
					}
				}
				m.Im2col.Lower, m.Im2col.Upper = make([]int, rank-2), make([]int, rank-2)
				m.Im2col.Lower[last], m.Im2col.Upper[last] = c.lower, c.upper
				if _, err := m.Encode(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
					t.Errorf("%d dimensions, offsets %d and %d: %v, want %q", rank, c.lower, c.upper, err, c.want)
				}
			}
		}
	}
	for want, p := range map[string]*Im2col{
		"0 channels of 1 pixels": {Lower: []int{0}, Upper: []int{0}, Pixels: 1}, "257 channels": {Lower: []int{0}, Upper: []int{0}, Channels: 257, Pixels: 1},
		"of 0 pixels": {Lower: []int{0}, Upper: []int{0}, Channels: 4}, "of 1025 pixels": {Lower: []int{0}, Upper: []int{0}, Channels: 4, Pixels: 1025},
		"corners of 1 and 0": {Lower: []int{0}, Channels: 4, Pixels: 1}, "corners of 0 and 1": {Upper: []int{0}, Channels: 4, Pixels: 1},
	} {
		m := TensorMap{Element: TensorElement{Type: ptx.F32}, Sizes: []uint64{4, 4, 4}, Strides: []uint64{16, 64}, ElementStrides: []uint32{1, 1, 1}, Im2col: p}
		if _, err := m.Encode(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
