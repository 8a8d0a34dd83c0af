// SPDX-License-Identifier: Apache-2.0

package loadstore

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The twin keeps, with each arrival, the copies before it. Random copies end in any order.
func TestArrivalsWaitForTheCopiesBeforeThem(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 8))
		var b Behind
		b.Reset()
		type pending struct {
			place  uint64
			behind []uint32
		}
		var flying []uint32
		var waiting []pending
		for place := range uint64(500) {
			switch r.IntN(3) {
			case 0:
				flying = append(flying, b.Start())
			case 1:
				if b.Arrive(place, 1) != (len(flying) > 0) {
					t.Fatalf("seed %d: an arrival behind %d copies", seed, len(flying))
				}
				if len(flying) > 0 {
					waiting = append(waiting, pending{place, slices.Clone(flying)})
				}
			case 2:
				if len(flying) == 0 {
					continue
				}
				i := r.IntN(len(flying))
				n := flying[i]
				flying = slices.Delete(flying, i, i+1)
				var got, want []uint64
				b.Finish(n, func(place uint64, _ int64) { got = append(got, place) })
				for j := range waiting {
					waiting[j].behind = slices.DeleteFunc(waiting[j].behind, func(m uint32) bool { return m == n })
				}
				waiting = slices.DeleteFunc(waiting, func(p pending) bool {
					if len(p.behind) == 0 {
						want = append(want, p.place)
						return true
					}
					return false
				})
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d: arrivals %v, want %v", seed, got, want)
				}
			}
		}
	}
}

// Nothing is kept of arrivals that have happened.
func TestNoArrivalStays(t *testing.T) {
	var b Behind
	for range 3 {
		first := b.Start()
		b.Arrive(8, 1)
		second := b.Start()
		b.Arrive(16, 1)
		n := int64(0)
		for _, number := range []uint32{first, second} {
			b.Finish(number, func(_ uint64, count int64) { n += count })
		}
		if n != 2 || len(b.arrivals) != 0 {
			t.Errorf("%d have arrived, %d have yet to", n, len(b.arrivals))
		}
	}
}

// Another warp waits for no copy of the one before.
func TestAnotherWarpHasNoCopiesBehindIt(t *testing.T) {
	var b Behind
	b.Start()
	b.Arrive(8, 1)
	b.Reset()
	if b.Arrive(16, 1) {
		t.Error("an arrival waits for copies of the warp before")
	}
	if n := b.Start(); n != 0 {
		t.Errorf("the first copy has the number %d", n)
	}
	b.Finish(0, func(place uint64, _ int64) { t.Errorf("an arrival at %d is of the warp before", place) })
}
