// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// strideOf is the step of at most 32 bits by which lanes lie, modulo 2^64. Two lanes that are gap apart differ by
// gap*step, whose size is below 2^36: as an integer that is the difference itself.
func strideOf(mask uint32, a *[WarpLanes]uint64) (step *big.Int, ok bool) {
	first := bits.TrailingZeros32(mask)
	for l := first + 1; l < WarpLanes; l++ {
		if mask>>l&1 == 0 {
			continue
		}
		quotient, rest := new(big.Int).QuoRem(big.NewInt(int64(a[l]-a[first])), big.NewInt(int64(l-first)), new(big.Int))
		if rest.Sign() != 0 || step != nil && step.Cmp(quotient) != 0 {
			return nil, false
		}
		step = quotient
	}
	return step, step.Cmp(big.NewInt(math.MinInt32)) >= 0 && step.Cmp(big.NewInt(math.MaxInt32)) <= 0
}

// A stride is found exactly where all pairs of lanes are as many steps apart as their numbers.
func TestStridesAreThoseOfAllPairsOfLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 1))
	steps := []int64{0, 1, -4, 12, math.MaxInt32, math.MinInt32, math.MaxInt32 + 1, math.MinInt32 - 1, 1 << 40}
	for range 4000 {
		mask := []uint32{AllWarpLanes, r.Uint32(), r.Uint32() & r.Uint32() & r.Uint32()}[r.IntN(3)] | 3<<r.IntN(30)
		step, base := steps[r.IntN(len(steps))], r.Uint64()
		var a [WarpLanes]uint64
		for l := range a {
			if a[l] = base + uint64(step*int64(l)); mask>>l&1 == 0 {
				a[l] = r.Uint64()
			}
		}
		if r.IntN(3) == 0 {
			a[r.IntN(WarpLanes)] += r.Uint64N(3)
		}
		if r.IntN(3) == 0 { // only two lanes, with a gap between them
			first := Lane(mask)
			mask = 1<<first | 1<<(31-bits.LeadingZeros32(mask))
		}
		want, regular := strideOf(mask, &a)
		from, stride, ok := DetectStride(mask, &a)
		if ok != regular {
			t.Fatalf("lanes %08x, step %d: found %v, want %v", mask, step, ok, regular)
		}
		if ok && (int64(stride) != want.Int64() || from+uint64(int64(stride)*int64(Lane(mask))) != a[Lane(mask)]) {
			t.Fatalf("lanes %08x, step %v: stride %d from %x", mask, want, stride, from)
		}
	}
	if from, stride, ok := DetectStride(1<<9, &[WarpLanes]uint64{9: 77}); from != 77 || stride != 0 || !ok {
		t.Errorf("one lane: %d, %d, %v", from, stride, ok)
	}
}
