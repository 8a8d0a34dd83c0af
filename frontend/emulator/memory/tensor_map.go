// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// TensorMap describes a tensor in global memory, and the boxes of it that bulk copies
// move (5.5). The host makes it; kernels take its TensorMapBytes bytes as a parameter.
// Dimensions are listed innermost first.
type TensorMap struct {
	Element TensorElement
	Address uint64
	// Sizes are the elements in each of one to five dimensions, Strides the bytes
	// from one to the next element of all dimensions but the innermost.
	Sizes, Strides []uint64
	// Box are the elements of a box; each ElementStrides-th one is moved. It is
	// unused with Im2col.
	Box            []uint32
	ElementStrides []uint32
	// Swizzle is the span in bytes in which 16-byte pieces change places in shared
	// memory: 32, 64 or 128, or 0 for none.
	Swizzle int
	// FillNaN puts NaNs where a box goes beyond the tensor, instead of zeros.
	FillNaN bool
	// Im2col, if not nil, makes it a map for copies in im2col mode (5.5.4).
	Im2col *Im2col
}

// Im2col is the bounding box of im2col mode, by offsets from the first and from the
// last pixel in each spatial dimension, and what a copy moves.
type Im2col struct {
	Lower, Upper     []int
	Channels, Pixels uint32
}

// TensorMapBytes is the size of a tensor map (5.5.8), TensorMapAlign its alignment.
const (
	TensorMapBytes = 128
	TensorMapAlign = 64
)

// The layout of a tensor map. PTX leaves it open; this one is ours: little-endian,
// at the following bytes.
const (
	MapMagic          = 0  // 4 bytes
	MapElement        = 4  // the rest of the head is one byte each
	MapRank           = 5  // 1 to 5
	MapSwizzle        = 6  // 0 none, 1 to 3: 32, 64 and 128 bytes
	MapFill           = 7  // 1: NaN
	MapInterleave     = 8  // 0: none
	mapMode           = 9  // 1: im2col
	MapAddress        = 16 // 8 bytes
	MapSizes          = 24 // 5 of 4 bytes, each one less
	MapBox            = 44 // 5 of 2 bytes; of im2col the channels and the pixels
	MapElementStrides = 54 // 5 of 1 byte
	MapStrides        = 64 // 4 of 8 bytes
	mapLower          = 96 // 3 of 2 bytes
	mapUpper          = 102

	TensorMagic = 0x6d547477 // "wtTm"
)

// SwizzleSpans are the spans of swizzles in bytes, by their numbers.
var SwizzleSpans = []int{0, 32, 64, 128}

// Encode checks a tensor map, by the rules of the CUDA driver's encoding functions,
// and gives its bytes.
func (m *TensorMap) Encode() ([]byte, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	b := make([]byte, TensorMapBytes)
	le := binary.LittleEndian
	le.PutUint32(b[MapMagic:], TensorMagic)
	b[MapElement], b[MapRank], b[MapSwizzle] = byte(m.Element.Number()), byte(len(m.Sizes)), byte(IndexOf(SwizzleSpans, m.Swizzle))
	if m.FillNaN {
		b[MapFill] = 1
	}
	le.PutUint64(b[MapAddress:], m.Address)
	for i, n := range m.Sizes {
		le.PutUint32(b[MapSizes+4*i:], uint32(n-1))
	}
	for i, n := range m.Strides {
		le.PutUint64(b[MapStrides+8*i:], n)
	}
	for i, n := range m.ElementStrides {
		b[MapElementStrides+i] = byte(n)
	}
	box := m.Box
	if p := m.Im2col; p != nil {
		b[mapMode], box = 1, []uint32{p.Channels, p.Pixels}
		for i := range p.Lower {
			le.PutUint16(b[mapLower+2*i:], uint16(p.Lower[i]))
			le.PutUint16(b[mapUpper+2*i:], uint16(p.Upper[i]))
		}
	}
	for i, n := range box {
		le.PutUint16(b[MapBox+2*i:], uint16(n))
	}
	return b, nil
}

func IndexOf[T comparable](list []T, v T) int {
	for i := range list {
		if list[i] == v {
			return i
		}
	}
	return -1
}

// decodeTensorMap reads the bytes of a tensor map into m, whose slices are reused.
func (m *TensorMap) Decode(b []byte) error {
	le := binary.LittleEndian
	if le.Uint32(b[MapMagic:]) != TensorMagic {
		return errors.New("no tensor map lies there; the host makes them with gpu.tensor_map")
	}
	rank := int(b[MapRank])
	switch {
	case rank < 1 || rank > 5:
		return fmt.Errorf("its rank is %d; a tensor has 1 to 5 dimensions", rank)
	case int(b[MapSwizzle]) >= len(SwizzleSpans):
		return fmt.Errorf("its swizzle mode %d is not supported", b[MapSwizzle])
	case b[MapInterleave] != 0:
		return errors.New("interleaved layouts are not supported: lay the slices of channels out as a dimension of their own")
	}
	element, ok := TensorElementOf(uint64(b[MapElement]))
	if !ok {
		return fmt.Errorf("its element type %d is not supported", b[MapElement])
	}
	m.Element, m.Swizzle, m.FillNaN, m.Address = element, SwizzleSpans[b[MapSwizzle]], b[MapFill] == 1, le.Uint64(b[MapAddress:])
	m.Sizes, m.Strides, m.Box, m.ElementStrides, m.Im2col = m.Sizes[:0], m.Strides[:0], m.Box[:0], m.ElementStrides[:0], nil
	for i := range rank {
		m.Sizes = append(m.Sizes, uint64(le.Uint32(b[MapSizes+4*i:]))+1)
		m.Box = append(m.Box, uint32(le.Uint16(b[MapBox+2*i:])))
		m.ElementStrides = append(m.ElementStrides, uint32(b[MapElementStrides+i]))
		if i > 0 {
			m.Strides = append(m.Strides, le.Uint64(b[MapStrides+8*(i-1):]))
		}
	}
	if b[mapMode] == 1 {
		p := &Im2col{Channels: uint32(le.Uint16(b[MapBox:])), Pixels: uint32(le.Uint16(b[MapBox+2:]))}
		for i := range min(max(rank-2, 0), 3) {
			p.Lower = append(p.Lower, int(int16(le.Uint16(b[mapLower+2*i:]))))
			p.Upper = append(p.Upper, int(int16(le.Uint16(b[mapUpper+2*i:]))))
		}
		m.Im2col, m.Box = p, m.Box[:0]
	}
	return m.check()
}

// check holds a tensor map against the limits of the CUDA driver API
// (cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col).
func (m *TensorMap) check() error {
	rank := len(m.Sizes)
	switch {
	case rank < 1 || rank > 5:
		return fmt.Errorf("a tensor of %d dimensions; 1 to 5 are possible", rank)
	case m.Element.Number() < 0:
		return fmt.Errorf("elements of .%s are not supported", m.Element)
	case IndexOf(SwizzleSpans, m.Swizzle) < 0:
		return fmt.Errorf("a swizzle of %d bytes; 32, 64 and 128 are possible, 0 for none", m.Swizzle)
	case m.Address%16 != 0:
		return fmt.Errorf("the tensor's address 0x%x is no multiple of 16", m.Address)
	case len(m.Strides) != rank-1:
		return fmt.Errorf("%d strides of a tensor of %d dimensions; all but the innermost have one", len(m.Strides), rank)
	case len(m.ElementStrides) != rank:
		return fmt.Errorf("%d element strides of a tensor of %d dimensions", len(m.ElementStrides), rank)
	case m.FillNaN && !m.Element.Type.Float():
		return fmt.Errorf("elements of .%s cannot be filled with NaN", m.Element)
	}
	for i, n := range m.Sizes {
		if n < 1 || n > 1<<32 {
			return fmt.Errorf("size %d of dimension %d is outside 1..2^32", n, i)
		}
		if s := m.ElementStrides[i]; s < 1 || s > 8 {
			return fmt.Errorf("element stride %d of dimension %d is outside 1..8", s, i)
		}
	}
	for i, s := range m.Strides {
		if s%16 != 0 || s >= 1<<40 {
			return fmt.Errorf("stride %d of dimension %d is no multiple of 16 below 2^40", s, i+1)
		}
	}
	if m.Im2col != nil {
		return m.checkIm2col()
	}
	if len(m.Box) != rank {
		return fmt.Errorf("a box of %d dimensions in a tensor of %d", len(m.Box), rank)
	}
	for i, n := range m.Box {
		if n < 1 || n > 256 {
			return fmt.Errorf("box size %d of dimension %d is outside 1..256", n, i)
		}
	}
	return m.checkInner(m.Box[0])
}

// checkInner checks the innermost dimension of what a copy moves.
func (m *TensorMap) checkInner(elements uint32) error {
	bytes := int(elements) * m.Element.Type.Bytes()
	switch {
	case bytes%16 != 0:
		return fmt.Errorf("the innermost dimension of a box has %d bytes, which is no multiple of 16", bytes)
	case m.Swizzle != 0 && bytes > m.Swizzle:
		return fmt.Errorf("the innermost dimension of a box has %d bytes, more than the swizzle's %d", bytes, m.Swizzle)
	}
	return nil
}

// cornerLimits bounds the offsets of the bounding box by the number of dimensions.
var cornerLimits = map[int]int{3: 1 << 15, 4: 1 << 7, 5: 1 << 4}

func (m *TensorMap) checkIm2col() error {
	p, rank := m.Im2col, len(m.Sizes)
	switch {
	case rank < 3:
		return fmt.Errorf("im2col mode of a tensor of %d dimensions; it needs 3 to 5", rank)
	case len(p.Lower) != rank-2 || len(p.Upper) != rank-2:
		return fmt.Errorf("corners of %d and %d numbers; %d spatial dimensions have them", len(p.Lower), len(p.Upper), rank-2)
	case p.Channels < 1 || p.Channels > 256 || p.Pixels < 1 || p.Pixels > 1024:
		return fmt.Errorf("%d channels of %d pixels; 1 to 256 of 1 to 1024 are possible", p.Channels, p.Pixels)
	}
	limit := cornerLimits[rank]
	for i := range p.Lower {
		for _, v := range []int{p.Lower[i], p.Upper[i]} {
			if v < -limit || v >= limit {
				return fmt.Errorf("corner offset %d of spatial dimension %d is outside %d..%d", v, i, -limit, limit-1)
			}
		}
		if p.Lower[i] > int(m.Sizes[i+1])-1+p.Upper[i] {
			return fmt.Errorf("the bounding box is empty in spatial dimension %d", i)
		}
	}
	return m.checkInner(p.Channels)
}

// BoxBytes is what a copy moves in shared memory.
func (m *TensorMap) BoxBytes() uint64 {
	bytes := uint64(m.Element.Type.Bytes())
	if p := m.Im2col; p != nil {
		return bytes * uint64(p.Channels) * uint64(p.Pixels)
	}
	for i := range m.Box {
		bytes *= uint64(m.Count(i))
	}
	return bytes
}

// Count is the number of elements of a box in a dimension. The innermost one has
// no element stride.
func (m *TensorMap) Count(dimension int) int {
	if dimension == 0 {
		return int(m.Box[0])
	}
	s := m.ElementStrides[dimension]
	return int((m.Box[dimension] + s - 1) / s)
}

// Swizzled is where a byte of shared memory lies under a swizzle of the given span
// (5.5.6). The number of the 16-byte piece in the span is combined with the number
// of the 128 bytes that it lies in, by exclusive or.
func Swizzled(address uint64, span int) uint64 {
	if span == 0 {
		return address
	}
	return address ^ (address>>7&(uint64(span)/16-1))<<4
}
