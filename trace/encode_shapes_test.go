package trace

import (
	"math/rand/v2"
	"testing"
)

// slowShape is the lanes of a shape and their distances from the lowest one.
func slowShape(s *encodedShape, lanes *lanePatterns) (shape [1 + warpLanes]uint64) {
	shape[0] = uint64(s.mask)
	for l := range warpLanes {
		if s.mask>>l&1 == 1 {
			shape[1+l] = s.offset(l, lanes)
		}
	}
	return shape
}

// Shapes are numbered as if all of each were kept, whether patterns or strides have them.
func TestShapesAreNumberedByWhatTheyAre(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	var table shapeTable
	for range 20 {
		lanes := new(lanePatterns)
		known := map[[1 + warpLanes]uint64]int{}
		table.reset()
		for range 500 {
			s := encodedShape{mask: allWarpLanes, pattern: -1, stride: int32(rng.IntN(3))}
			if rng.IntN(3) == 0 {
				s.mask = 1<<rng.IntN(3) | 1<<31 | 1<<rng.IntN(32)
			}
			if rng.IntN(3) > 0 {
				s.pattern, s.stride = int32(lanes.count), 0
				var p lanePattern
				step, odd := rng.Uint64N(3), rng.Uint64N(2)
				for m := s.mask; m != 0; m &= m - 1 {
					p[lane(m)] = uint64(lane(m)-lane(s.mask)) * step
				}
				if s.mask == allWarpLanes {
					p[17] += odd
				}
				lanes.add(&p)
			}
			want, met := known[slowShape(&s, lanes)]
			if !met {
				want = len(known)
				known[slowShape(&s, lanes)] = want
			}
			if got, added := table.intern(s, lanes); got != want || added == met {
				t.Fatalf("number %d, added %v, want %d, %v", got, added, want, !met)
			}
		}
	}
}

// A shape yields an access exactly where the distances between the lanes are its own.
func TestShapesAreFoundInAccesses(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for range 4000 {
		lanes := new(lanePatterns)
		for range 2 {
			var p lanePattern
			for l := 1; l < warpLanes; l++ {
				p[l] = 4 * uint64(l)
			}
			if rng.IntN(2) == 0 {
				p[1+rng.IntN(31)] += 4
			}
			lanes.add(&p)
		}
		s := encodedShape{mask: allWarpLanes, pattern: int32(rng.IntN(3)) - 1, stride: 4}
		a := accessRecord{base: rng.Uint64(), stride: 4, lanes: int32(rng.IntN(3)) - 1, mask: rng.Uint32() | 1}
		want := true
		base := a.lowest() - s.offset(lane(a.mask), lanes)
		for m := a.mask; m != 0; m &= m - 1 {
			want = want && a.at(lane(m), lanes) == base+s.offset(lane(m), lanes)
		}
		if got, ok := s.place(&a, lanes); ok != want || ok && got != base {
			t.Fatalf("%v at %v: %x, %v, want %x, %v", s, a, got, ok, base, want)
		}
	}
}
