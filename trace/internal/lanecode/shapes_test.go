// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"math/rand/v2"
	"testing"
)

// slowShape is the lanes of a shape and their distances from the lowest one.
func slowShape(s *Shape, lanes *Patterns) (shape [1 + WarpLanes]uint64) {
	shape[0] = uint64(s.Mask)
	for l := range WarpLanes {
		if s.Mask>>l&1 == 1 {
			shape[1+l] = s.Offset(l, lanes)
		}
	}
	return shape
}

// Shapes are numbered as if all of each were kept, whether patterns or strides have them.
func TestShapesAreNumberedByWhatTheyAre(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	var table ShapeTable
	for range 20 {
		lanes := new(Patterns)
		known := map[[1 + WarpLanes]uint64]int{}
		table.Reset()
		for range 500 {
			s := Shape{Mask: AllWarpLanes, Pattern: -1, Stride: int32(rng.IntN(3))}
			if rng.IntN(3) == 0 {
				s.Mask = 1<<rng.IntN(3) | 1<<31 | 1<<rng.IntN(32)
			}
			if rng.IntN(3) > 0 {
				s.Pattern, s.Stride = int32(lanes.count), 0
				var p Pattern
				step, odd := rng.Uint64N(3), rng.Uint64N(2)
				for m := s.Mask; m != 0; m &= m - 1 {
					p[Lane(m)] = uint64(Lane(m)-Lane(s.Mask)) * step
				}
				if s.Mask == AllWarpLanes {
					p[17] += odd
				}
				for m := ^s.Mask; m != 0; m &= m - 1 {
					p[Lane(m)] = rng.Uint64() // of the pattern's other lanes, which are not meant
				}
				lanes.Add(&p)
			}
			want, met := known[slowShape(&s, lanes)]
			if !met {
				want = len(known)
				known[slowShape(&s, lanes)] = want
			}
			if got, added := table.Intern(s, lanes); got != want || added == met {
				t.Fatalf("number %d, added %v, want %d, %v", got, added, want, !met)
			}
		}
	}
}

// A shape yields an access exactly where the distances between the lanes are its own.
func TestShapesAreFoundInAccesses(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for range 1500 {
		lanes := new(Patterns)
		for range 2 {
			var p Pattern
			for l := 1; l < WarpLanes; l++ {
				p[l] = 4 * uint64(l)
			}
			if rng.IntN(2) == 0 {
				p[1+rng.IntN(31)] += 4
			}
			lanes.Add(&p)
		}
		s := Shape{Mask: AllWarpLanes, Pattern: int32(rng.IntN(3)) - 1, Stride: 4}
		a := Access{Base: rng.Uint64(), Stride: 4, Lanes: int32(rng.IntN(3)) - 1, Mask: rng.Uint32()&^(1<<rng.IntN(4)-1) | 1<<31}
		if a.Lanes >= 0 { // the access's own pattern counts from its lowest lane
			p := *lanes.At(a.Lanes)
			for l := range p {
				p[l] -= lanes.At(a.Lanes)[Lane(a.Mask)]
			}
			a.Lanes = lanes.Add(&p)
		}
		want := true
		base := a.Lowest() - s.Offset(Lane(a.Mask), lanes)
		for m := a.Mask; m != 0; m &= m - 1 {
			want = want && a.At(Lane(m), lanes) == base+s.Offset(Lane(m), lanes)
		}
		if got, ok := s.Place(&a, lanes); ok != want || ok && got != base {
			t.Fatalf("%v at %v: %x, %v, want %x, %v", s, a, got, ok, base, want)
		}
	}
}
