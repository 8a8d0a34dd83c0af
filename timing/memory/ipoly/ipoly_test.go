// SPDX-License-Identifier: Apache-2.0

package ipoly

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// remainder divides polynomials as one does by hand.
func remainder(n uint64, degree int) uint64 {
	for bits.Len64(n) > degree {
		n ^= polynomials[degree] << (bits.Len64(n) - 1 - degree)
	}
	return n
}

func TestPlacesAreRemainders(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 2))
	for degree := 1; degree < len(polynomials); degree++ {
		h := New(1 << degree)
		for range 2000 {
			n := g.Uint64() >> g.IntN(64)
			if got, want := h.Of(n), remainder(n, degree); got != want {
				t.Fatalf("degree %d: %#x has place %d, want %d", degree, n, got, want)
			}
		}
	}
	if h := New(1); h.Of(12345) != 0 {
		t.Error("one place is not place 0")
	}
}

// As many places as there may be are all there, the last one among them.
func TestAllPlacesOfTheLargestHashAreVisited(t *testing.T) {
	h := New(MaxPlaces)
	seen := map[uint64]bool{}
	for n := range uint64(1) << 12 {
		seen[h.Of(n)] = true
	}
	if MaxPlaces != 1<<12 || len(seen) != MaxPlaces {
		t.Errorf("%d of %d places are visited", len(seen), MaxPlaces)
	}
}

// The polynomials are primitive: the powers of x come back after all other places, and no
// sooner.
func TestPolynomialsArePrimitive(t *testing.T) {
	for degree := 1; degree < len(polynomials); degree++ {
		power, n := uint64(1), 0
		for {
			power, n = remainder(power<<1, degree), n+1
			if power == 1 {
				break
			}
		}
		if n != 1<<degree-1 {
			t.Errorf("degree %d: x has order %d", degree, n)
		}
	}
}

// What the paper promises for a stride of a power of two. As many consecutive elements as
// there are places lie in different places, when they start at a multiple of the stretch.
func TestStridesOfPowersOfTwoVisitAllPlaces(t *testing.T) {
	for degree := 1; degree < len(polynomials); degree++ {
		h := New(1 << degree)
		for stride := range 64 - degree {
			seen := make([]bool, 1<<degree)
			for i := range uint64(1) << degree {
				seen[h.Of(i<<stride)] = true
			}
			for place, ok := range seen {
				if !ok {
					t.Fatalf("%d places, stride 2^%d: place %d is not visited", 1<<degree, stride, place)
				}
			}
		}
	}
}

// The equations that GPGPU-Sim prints for 32 and 64 places (gpgpu-sim/hashing.cc), as the bits
// of the number that each bit of the place takes.
func TestPlacesAreThoseOfTheReferenceSimulator(t *testing.T) {
	for places, equations := range map[int][]uint64{
		32: {1<<18 | 1<<17 | 1<<16 | 1<<15 | 1<<14 | 1<<11 | 1<<10 | 1<<8 | 1<<5 | 1<<0, 1<<19 | 1<<18 | 1<<17 | 1<<16 | 1<<15 | 1<<12 | 1<<11 | 1<<9 | 1<<6 | 1<<1},
		64: {1<<24 | 1<<23 | 1<<22 | 1<<21 | 1<<18 | 1<<16 | 1<<12 | 1<<11 | 1<<6 | 1<<0, 1<<21 | 1<<19 | 1<<18 | 1<<17 | 1<<16 | 1<<13 | 1<<11 | 1<<7 | 1<<6 | 1<<1},
	} {
		h := New(places)
		covered := bits.Len(uint(places)) - 1 + map[int]int{32: 15, 64: 19}[places]
		for bit, equation := range equations {
			for n := range covered {
				if got := h.Of(1<<n)>>bit&1 != 0; got != (equation>>n&1 != 0) {
					t.Errorf("%d places: bit %d of the place takes bit %d of the number: %v", places, bit, n, got)
				}
			}
		}
	}
}
