// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
)

// Classes come back as they were coded, in columns of one state and of several; a column that is cut off or
// goes on, or that holds more than is allowed, is refused.
func TestClassesComeBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var e EntropyEncoder
	var d EntropyDecoder
	for _, n := range []int{1, 5, entropyLong - 1, entropyLong, entropyLong + 1, entropyLong + 3, 3 * entropyLong} {
		for _, spread := range []float64{0, 0.3, 9, 40} {
			classes := make([]byte, n)
			var counts [MaxClass + 1]uint32
			for i := range classes {
				classes[i] = byte(min(MaxClass, math.Abs(rng.NormFloat64())*spread))
				counts[classes[i]]++
			}
			column := e.Append(nil, classes, counts[:])
			got, err := d.Append([]byte("before"), column, n)
			if err != nil || !bytes.Equal(got, append([]byte("before"), classes...)) {
				t.Fatalf("%d classes, spread %g: they come back as others: %v", n, spread, err)
			}
			if _, err := d.Append(nil, column, n-1); err == nil {
				t.Errorf("%d classes are %d at most", n, n-1)
			}
			for _, damaged := range [][]byte{column[:len(column)-1], column[:len(column)-2], append(bytes.Clone(column), 0, 0)} {
				if _, err := d.Append(nil, damaged, n); err == nil {
					t.Errorf("%d classes, spread %g: %d bytes of %d are accepted", n, spread, len(damaged), len(column))
				}
			}
		}
	}
}

// Units near those of a companion come back, whatever lanes the companion has had, and both models stay in step.
func TestUnitsOfCompanionsComeBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, kind := range []int{ModelCompanion, ModelNearCompanion, ModelMap} {
		var encoder, decoder Model
		watches := [2]Watch{}
		encoder.Start(kind, 10000, &watches[0], 2, 0)
		decoder.Start(kind, 10000, &watches[1], 2, 0)
		for round := range 300 {
			warp, mask := round/8, rng.Uint32()|1<<rng.IntN(32)
			if rng.IntN(3) == 0 {
				mask = AllWarpLanes
			}
			var addresses, units [WarpLanes]uint64
			for l := range addresses {
				addresses[l] = 1<<20 + uint64(rng.IntN(1<<12))<<2
				switch units[l] = addresses[l]>>2 + 5; rng.IntN(8) {
				case 0:
					units[l] = uint64(rng.IntN(1 << 20))
				case 1:
					units[l] = 1<<63 - 1 // the largest: streams with wider ones have no model
				}
			}
			if rng.IntN(4) > 0 {
				seen := rng.Uint32()
				if rng.IntN(2) == 0 {
					seen = AllWarpLanes
				}
				watches[0].Note(warp, seen, &addresses)
				watches[1].Note(warp, seen, &addresses)
			}
			got := units
			encoder.Codes(warp, mask, &got)
			decoder.Units(warp, mask, &got)
			for m := mask; m != 0; m &= m - 1 {
				if l := Lane(m); got[l] != units[l] {
					t.Fatalf("model %d, round %d: lane %d has units %d, want %d", kind, round, l, got[l], units[l])
				}
			}
		}
	}
}
