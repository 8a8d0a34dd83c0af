// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"math"
	"math/bits"
)

// DetectStride finds base and stride of the active lanes' addresses, such that
// lane i is at base + i*stride modulo 2^64. A single lane has stride 0. The mask
// must not be empty. It fails when the addresses are irregular or the stride does
// not fit 32 bits.
func DetectStride(mask uint32, a *[32]uint64) (base uint64, stride int32, ok bool) {
	lo := bits.TrailingZeros32(mask)
	base = a[lo]
	rest := mask & (mask - 1)
	if rest == 0 {
		return base, 0, true
	}
	second := bits.TrailingZeros32(rest)
	step := int64(a[second] - base)
	if gap := int64(second - lo); gap > 1 {
		if step%gap != 0 {
			return 0, 0, false
		}
		step /= gap
	}
	if step < math.MinInt32 || step > math.MaxInt32 {
		return 0, 0, false
	}
	base -= uint64(step) * uint64(lo)
	if mask == math.MaxUint32 {
		want := base
		for _, have := range a {
			if have != want {
				return 0, 0, false
			}
			want += uint64(step)
		}
		return base, int32(step), true
	}
	for rest &= rest - 1; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest)
		if a[l] != base+uint64(step)*uint64(l) {
			return 0, 0, false
		}
	}
	return base, int32(step), true
}
