// SPDX-License-Identifier: Apache-2.0

package lanesets

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// Sets of any lanes at any addresses give what went in, at any base, in the bytes that the
// greatest distance needs.
func TestSetsGiveWhatWentIn(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s Sets
	for range 2 { // the second time in the memory of the first
		s.Reset()
		type put struct {
			at    int32
			moved uint64 // base of the access less what Add was told of
			want  [lanes]uint64
			mask  uint32
		}
		var all []put
		for range 2000 {
			mask := r.Uint32()
			switch r.IntN(3) {
			case 0:
				mask = 1<<32 - 1
			case 1:
				mask = 1 << r.IntN(32)
			}
			if mask == 0 {
				mask = 1
			}
			var units, want [lanes]uint64
			shift, width := uint8(r.IntN(8)), r.IntN(65)
			base, low := r.Uint64(), r.Uint64()
			for l := range units {
				units[l] = low + r.Uint64()>>(64-uint(width))
			}
			before := s.Bytes()
			lowest, at := s.Add(mask, shift, &units)
			base += lowest << shift
			if lowest != units[lowestOf(mask, &units)] {
				t.Fatalf("the lowest of lanes %08x of %x is said to be %#x", mask, units, lowest)
			}
			for l := range units {
				if mask>>l&1 == 1 {
					want[l] = base + (units[l]-lowest)<<shift
				}
			}
			if s.Bytes()-before > pageBytes {
				t.Fatalf("a set took %d bytes", s.Bytes()-before)
			}
			all = append(all, put{at, base, want, mask})
		}
		if s.Count() != len(all) {
			t.Fatalf("%d sets of %d", s.Count(), len(all))
		}
		for i, p := range all {
			var got [lanes]uint64
			got[3] = 7 // what was there before goes
			s.Place(p.at, p.moved, &got)
			if got != p.want {
				t.Fatalf("set %d: %x, want %x", i, got, p.want)
			}
			for l, want := range p.want {
				if one := s.Lane(p.at, p.moved, l); one != want && p.mask>>l&1 == 1 {
					t.Fatalf("set %d, lane %d: %x, want %x", i, l, one, want)
				}
			}
		}
	}
}

// A set takes six bytes and those of its lanes' distances, and a page loses less than a set.
func TestSetsTakeWhatTheirDistancesNeed(t *testing.T) {
	for _, c := range []struct {
		span uint64
		each int
	}{{0, 0}, {255, 1}, {256, 2}, {1<<24 - 1, 3}, {1 << 24, 4}, {1 << 32, 5}, {1<<64 - 1, 8}} {
		for _, mask := range []uint32{1<<32 - 1, 0x8000_0001, 0x00ff_00ff} {
			var s Sets
			units := [lanes]uint64{}
			units[31-bits.LeadingZeros32(mask)] = c.span
			const n = 1 << 12
			for range n {
				s.Add(mask, 2, &units)
			}
			set := headerBytes + c.each*bits.OnesCount32(mask)
			if most := int64(n*set)*pageBytes/(pageBytes-loadBytes-int64(set)) + pageBytes; s.Bytes() > most {
				t.Errorf("%d sets of %d bytes take %d, more than %d", n, set, s.Bytes(), most)
			}
		}
	}
	if PageSets*MaxBytes+loadBytes > pageBytes {
		t.Errorf("%d sets do not fit into a page", PageSets)
	}
}

// lowestOf is the lane of a mask that has the lowest units.
func lowestOf(mask uint32, units *[lanes]uint64) (lane int) {
	lane = bits.TrailingZeros32(mask)
	for l := range units {
		if mask>>l&1 == 1 && units[l] < units[lane] {
			lane = l
		}
	}
	return lane
}
