// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"math/bits"
	"slices"

	"github.com/warptape/warptape/trace/internal/columns"
)

// Shape is how the lanes of an execution lie to each other: as those of a recorded
// pattern, under a mask, or of a stride. It refers to the pattern and copies nothing.
type Shape struct {
	Mask    uint32
	Pattern int32 // place in the chunk's patterns, -1 for a stride
	Stride  int32
}

// Offset is the distance of a lane of the mask from the lowest one.
func (s *Shape) Offset(l int, lanes *Patterns) uint64 {
	if s.Pattern >= 0 {
		return lanes.At(s.Pattern)[l]
	}
	return uint64(int64(l-Lane(s.Mask))) * uint64(int64(s.Stride))
}

// Place tells with which base the shape yields an access, whose lanes it has, if any.
func (s *Shape) Place(a *Access, lanes *Patterns) (base uint64, ok bool) {
	if s.Pattern >= 0 && a.Lanes >= 0 {
		mine, its := lanes.At(s.Pattern), lanes.At(a.Lanes)
		away := -mine[Lane(a.Mask)]
		for m := a.Mask; m != 0; m &= m - 1 {
			if its[Lane(m)] != mine[Lane(m)]+away {
				return 0, false
			}
		}
		return a.Base + away, true
	}
	base = a.Lowest() - s.Offset(Lane(a.Mask), lanes)
	for m := a.Mask; m != 0; m &= m - 1 {
		if a.At(Lane(m), lanes) != base+s.Offset(Lane(m), lanes) {
			return 0, false
		}
	}
	return base, true
}

// equal reports whether both have the same lanes in the same places.
func (s *Shape) equal(o *Shape, lanes *Patterns) bool {
	if s.Mask != o.Mask {
		return false
	}
	if s.Mask == AllWarpLanes && s.Pattern >= 0 && o.Pattern >= 0 {
		return *lanes.At(s.Pattern) == *lanes.At(o.Pattern)
	}
	if n, ok := Prefix(s.Mask); ok && s.Pattern >= 0 && o.Pattern >= 0 {
		return slices.Equal(lanes.At(s.Pattern)[:n], lanes.At(o.Pattern)[:n])
	}
	for m := s.Mask; m != 0; m &= m - 1 {
		if s.Offset(Lane(m), lanes) != o.Offset(Lane(m), lanes) {
			return false
		}
	}
	return true
}

// hash mixes the mask and the offsets, four of them side by side. Quality matters only
// for speed, since every hit is compared.
func (s *Shape) hash(lanes *Patterns) uint64 {
	h := [4]uint64{uint64(s.Mask), 1, 2, 3}
	if n, ok := Prefix(s.Mask); ok && s.Pattern >= 0 {
		p := lanes.At(s.Pattern)[:n]
		for ; len(p) >= 4; p = p[4:] {
			h[0] = (bits.RotateLeft64(h[0], 23) ^ p[0]) * columns.HashFactor
			h[1] = (bits.RotateLeft64(h[1], 23) ^ p[1]) * columns.HashFactor
			h[2] = (bits.RotateLeft64(h[2], 23) ^ p[2]) * columns.HashFactor
			h[3] = (bits.RotateLeft64(h[3], 23) ^ p[3]) * columns.HashFactor
		}
		for l, offset := range p {
			h[l] = (bits.RotateLeft64(h[l], 23) ^ offset) * columns.HashFactor
		}
	} else {
		for m := s.Mask; m != 0; m &= m - 1 {
			l := Lane(m)
			h[l&3] = (bits.RotateLeft64(h[l&3], 23) ^ s.Offset(l, lanes)) * columns.HashFactor
		}
	}
	all := h[0]
	for _, part := range h[1:] {
		all = (all ^ all>>29 ^ part) * columns.HashFactor
	}
	return all ^ all>>32
}

// ShapeTable numbers the distinct shapes of a stream in the order of their first use.
// Its memory is reused after reset.
type ShapeTable struct {
	Shapes []Shape
	hashes []uint64
	slots  []uint32 // open addressing: number + 1, 0 is free
}

func (t *ShapeTable) Reset() {
	if len(t.Shapes) > 0 {
		t.Shapes, t.hashes = t.Shapes[:0], t.hashes[:0]
		clear(t.slots)
	}
}

// Intern returns the number of the shape and whether it is new.
func (t *ShapeTable) Intern(s Shape, lanes *Patterns) (number int, added bool) {
	if 2*len(t.Shapes) >= len(t.slots) {
		t.grow()
	}
	h := s.hash(lanes)
	mask := uint64(len(t.slots) - 1)
	i := h & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		n := int(t.slots[i] - 1)
		if t.hashes[n] == h && t.Shapes[n].equal(&s, lanes) {
			return n, false
		}
	}
	t.slots[i] = uint32(len(t.Shapes) + 1)
	t.hashes = append(columns.Doubled(t.hashes, 1), h)
	t.Shapes = append(columns.Doubled(t.Shapes, 1), s)
	return len(t.Shapes) - 1, true
}

func (t *ShapeTable) grow() {
	t.slots = make([]uint32, max(64, 4*len(t.slots)))
	mask := uint64(len(t.slots) - 1)
	for n, h := range t.hashes {
		i := h & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = uint32(n + 1)
	}
}
