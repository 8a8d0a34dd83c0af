package trace

import "math/bits"

// encodedShape is how the lanes of an execution lie to each other: as those of a recorded
// pattern, under a mask, or of a stride. It refers to the pattern and copies nothing.
type encodedShape struct {
	mask    uint32
	pattern int32 // place in the chunk's patterns, -1 for a stride
	stride  int32
}

// offset is the distance of a lane of the mask from the lowest one.
func (s *encodedShape) offset(l int, lanes *lanePatterns) uint64 {
	if s.pattern >= 0 {
		return lanes.at(s.pattern)[l]
	}
	return uint64(int64(l-lane(s.mask))) * uint64(int64(s.stride))
}

// place tells with which base the shape yields an access, whose lanes it has, if any.
func (s *encodedShape) place(a *accessRecord, lanes *lanePatterns) (base uint64, ok bool) {
	if s.pattern >= 0 && a.lanes >= 0 {
		mine, its := lanes.at(s.pattern), lanes.at(a.lanes)
		away := -mine[lane(a.mask)]
		for m := a.mask; m != 0; m &= m - 1 {
			if its[lane(m)] != mine[lane(m)]+away {
				return 0, false
			}
		}
		return a.base + away, true
	}
	base = a.lowest() - s.offset(lane(a.mask), lanes)
	for m := a.mask; m != 0; m &= m - 1 {
		if a.at(lane(m), lanes) != base+s.offset(lane(m), lanes) {
			return 0, false
		}
	}
	return base, true
}

// equal reports whether both have the same lanes in the same places.
func (s *encodedShape) equal(o *encodedShape, lanes *lanePatterns) bool {
	if s.mask != o.mask {
		return false
	}
	if s.mask == allWarpLanes && s.pattern >= 0 && o.pattern >= 0 {
		return *lanes.at(s.pattern) == *lanes.at(o.pattern)
	}
	for m := s.mask; m != 0; m &= m - 1 {
		if s.offset(lane(m), lanes) != o.offset(lane(m), lanes) {
			return false
		}
	}
	return true
}

// hash mixes the mask and the offsets, four of them side by side. Quality matters only
// for speed, since every hit is compared.
func (s *encodedShape) hash(lanes *lanePatterns) uint64 {
	h := [4]uint64{uint64(s.mask), 1, 2, 3}
	if s.mask == allWarpLanes && s.pattern >= 0 {
		p := lanes.at(s.pattern)
		for l := 0; l < warpLanes; l += 4 {
			h[0] = (bits.RotateLeft64(h[0], 23) ^ p[l]) * hashFactor
			h[1] = (bits.RotateLeft64(h[1], 23) ^ p[l+1]) * hashFactor
			h[2] = (bits.RotateLeft64(h[2], 23) ^ p[l+2]) * hashFactor
			h[3] = (bits.RotateLeft64(h[3], 23) ^ p[l+3]) * hashFactor
		}
	} else {
		for m := s.mask; m != 0; m &= m - 1 {
			l := lane(m)
			h[l&3] = (bits.RotateLeft64(h[l&3], 23) ^ s.offset(l, lanes)) * hashFactor
		}
	}
	all := h[0]
	for _, part := range h[1:] {
		all = (all ^ all>>29 ^ part) * hashFactor
	}
	return all ^ all>>32
}

// shapeTable numbers the distinct shapes of a stream in the order of their first use.
// Its memory is reused after reset.
type shapeTable struct {
	shapes []encodedShape
	hashes []uint64
	slots  []uint32 // open addressing: number + 1, 0 is free
}

func (t *shapeTable) reset() {
	if len(t.shapes) > 0 {
		t.shapes, t.hashes = t.shapes[:0], t.hashes[:0]
		clear(t.slots)
	}
}

// intern returns the number of the shape and whether it is new.
func (t *shapeTable) intern(s encodedShape, lanes *lanePatterns) (number int, added bool) {
	if 2*len(t.shapes) >= len(t.slots) {
		t.grow()
	}
	h := s.hash(lanes)
	mask := uint64(len(t.slots) - 1)
	i := h & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		n := int(t.slots[i] - 1)
		if t.hashes[n] == h && t.shapes[n].equal(&s, lanes) {
			return n, false
		}
	}
	t.slots[i] = uint32(len(t.shapes) + 1)
	t.hashes = append(doubled(t.hashes, 1), h)
	t.shapes = append(doubled(t.shapes, 1), s)
	return len(t.shapes) - 1, true
}

func (t *shapeTable) grow() {
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
