// SPDX-License-Identifier: Apache-2.0

package memory

import "fmt"

// TensorCopy is what one copy by a tensor map moves (9.7.9.25.5).
type TensorCopy struct {
	Layout      TensorMap
	Coordinates [5]int64
	Offsets     []uint16 // im2colOffsets
	Im2col      bool
	FourRows    bool // gather4 and scatter4 (5.5.3.4): a column and four rows
	// Runs are the pieces of the box that lie in the tensor.
	Runs []TensorRun
}

// MaxSharedBytes is more than any GPU gives to a thread block (227 KiB).
const MaxSharedBytes = 256 << 10

// TensorRun is a piece of the box that lies in one piece in global memory too.
type TensorRun struct {
	Global uint64
	Place  uint64 // in the box
	Bytes  uint64
}

// Against says why a copy with a number of coordinates cannot go by the map; empty if it can.
func (s *TensorCopy) Against(coordinates int) string {
	switch {
	case s.FourRows && (len(s.Layout.Sizes) != 2 || s.Layout.Im2col != nil || s.Layout.Box[1] != 1):
		return "a copy of four rows takes a tensor of two dimensions, and a box of one row of it (PTX ISA 5.5.3.4)"
	case !s.FourRows && len(s.Layout.Sizes) != coordinates:
		return fmt.Sprintf("%d coordinates in a tensor of %d dimensions", coordinates, len(s.Layout.Sizes))
	case s.Im2col != (s.Layout.Im2col != nil):
		return "the map and the copy are not both in tile mode, or both in im2col mode"
	case s.Bytes() > MaxSharedBytes:
		return fmt.Sprintf("its box has %d bytes; shared memory has at most %d", s.Bytes(), MaxSharedBytes)
	}
	return ""
}

// Find lists the runs.
func (s *TensorCopy) Find() {
	s.Runs = s.Runs[:0]
	switch {
	case s.Im2col:
		s.unroll()
	case s.FourRows:
		s.fourRows()
	default:
		s.tile()
	}
}

// addRun notes the part of a row of elements that lies in the tensor. Its
// elements are those from coordinates on in the innermost dimension, at a place
// of the box; at is the position in the other dimensions.
func (s *TensorCopy) addRun(at *[5]int64, elements uint32, place uint64) {
	m := &s.Layout
	for d := 1; d < len(m.Sizes); d++ {
		if at[d] < 0 || uint64(at[d]) >= m.Sizes[d] {
			return
		}
	}
	first, end := max(at[0], 0), min(at[0]+int64(elements), int64(m.Sizes[0]))
	if first >= end {
		return
	}
	width := uint64(m.Element.Type.Bytes())
	r := TensorRun{Global: m.Address + uint64(first)*width, Place: place + uint64(first-at[0])*width, Bytes: uint64(end-first) * width}
	for d, stride := range m.Strides {
		r.Global += uint64(at[d+1]) * stride
	}
	s.Runs = append(s.Runs, r)
}

// tile lists the rows of a box in tile mode (5.5.3).
func (s *TensorCopy) tile() {
	m := &s.Layout
	row := uint64(m.Box[0]) * uint64(m.Element.Type.Bytes())
	var index [5]int
	for place := uint64(0); ; place += row {
		at := s.Coordinates
		for d := 1; d < len(m.Sizes); d++ {
			at[d] += int64(index[d]) * int64(m.ElementStrides[d])
		}
		s.addRun(&at, m.Box[0], place)
		d := 1
		for ; d < len(m.Sizes); d++ {
			if index[d]++; index[d] < m.Count(d) {
				break
			}
			index[d] = 0
		}
		if d >= len(m.Sizes) {
			return
		}
	}
}

// fourRows lists the parts of four rows, which lie one behind the other in shared memory.
func (s *TensorCopy) fourRows() {
	m := &s.Layout
	for i := range rowsGathered {
		s.addRun(&[5]int64{s.Coordinates[0], s.Coordinates[1+i]}, m.Box[0], uint64(i)*m.BoxBytes())
	}
}

// rowsGathered is the number of rows of gather4 and scatter4.
const rowsGathered = 4

// unroll lists the pixels of a copy in im2col mode (5.5.4). From the coordinates on,
// each step is in the innermost spatial dimension. From the end of the bounding box
// it goes on at its beginning in the next one, and at last in the next image. The
// offsets move every pixel.
func (s *TensorCopy) unroll() {
	m, p := &s.Layout, s.Layout.Im2col
	images := len(m.Sizes) - 1
	row := uint64(p.Channels) * uint64(m.Element.Type.Bytes())
	at := s.Coordinates
	for n := range p.Pixels {
		moved := at
		for i, offset := range s.Offsets {
			moved[i+1] += int64(offset)
		}
		s.addRun(&moved, p.Channels, uint64(n)*row)
		d := 1
		for ; d < images; d++ {
			if at[d] += int64(m.ElementStrides[d]); at[d] <= int64(m.Sizes[d])-1+int64(p.Upper[d-1]) {
				break
			}
			at[d] = int64(p.Lower[d-1])
		}
		if d == images {
			at[images]++
		}
	}
}

// Bytes is what a copy moves in shared memory.
func (s *TensorCopy) Bytes() uint64 {
	if s.FourRows {
		return rowsGathered * s.Layout.BoxBytes()
	}
	return s.Layout.BoxBytes()
}
