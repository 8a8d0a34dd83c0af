// SPDX-License-Identifier: Apache-2.0

package ipoly

import (
	"fmt"
	"testing"
)

// turn is the place of turn n of all rounds.
func (r *Rounds) turn(n uint64) uint64 {
	places := r.odd << r.shift
	return r.Place(n/places, n%places)
}

// Each round has every place once, whatever the number of places.
func TestARoundHasEveryPlaceOnce(t *testing.T) {
	for places := 1; places <= 200; places++ {
		r := NewRounds(places)
		for _, round := range []uint64{0, 1, 2, 31, 32, 33, 1000, 1<<40 + 12345} {
			seen := make([]bool, places)
			for at := range uint64(places) {
				p := r.Place(round, at)
				if p >= uint64(places) || seen[p] {
					t.Fatalf("%d places, round %d: turn %d has place %d", places, round, at, p)
				}
				seen[p] = true
			}
		}
	}
}

// Where the places are a power of two, the place is Rau's: the remainder of the turn's number.
func TestAPowerOfTwoOfPlacesHasTheRemainders(t *testing.T) {
	for places := 1; places <= 256; places *= 2 {
		r, h := NewRounds(places), New(places)
		for n := range uint64(5000) {
			if got, want := r.turn(n*977), h.Of(n*977); got != want {
				t.Fatalf("%d places: turn %d has place %d, want %d", places, n*977, got, want)
			}
		}
	}
}

// The places of no polynomial move on by one after as many rounds as it has places.
func TestTheRestMovesOnAfterTheRoundsOfAPolynomial(t *testing.T) {
	for _, c := range []struct{ power, odd uint64 }{{1, 3}, {4, 3}, {8, 5}, {32, 5}} {
		r := NewRounds(int(c.power * c.odd))
		for round := range 2 * c.power * c.odd {
			for at := range c.power * c.odd {
				if got, want := r.Place(round, at)/c.power, (at/c.power+round/c.power)%c.odd; got != want {
					t.Errorf("%d times %d places, round %d: turn %d is in part %d, want %d", c.power, c.odd, round, at, got, want)
				}
			}
		}
	}
}

// Programs have strides of powers of two, small products of them, and multiples of all
// places. No place gets more than four times its share of the accesses, and over a longer walk
// each gets some. Without a hash one place in 32 gets all of a stride of 32 on 160.
func TestStridesReachAllPlaces(t *testing.T) {
	for _, places := range []int{6, 11, 12, 22, 24, 40, 48, 80, 96, 160} {
		r := NewRounds(places)
		var strides []uint64
		for k := range 16 {
			strides = append(strides, 1<<k)
			if k < 8 {
				strides = append(strides, uint64(places)<<k, 3<<k, 5<<k, 7<<k)
			}
		}
		for _, stride := range strides {
			t.Run(fmt.Sprintf("%d places, stride %d", places, stride), func(t *testing.T) {
				const share = 4
				for _, walk := range []int{share, 16 * share} {
					count := make([]int, places)
					for i := range uint64(walk * places) {
						count[r.turn(7919+i*stride)]++
					}
					for p, n := range count {
						if n > 4*walk || walk > share && n == 0 {
							t.Fatalf("place %d has %d of %d accesses", p, n, walk*places)
						}
					}
				}
			})
		}
	}
}
