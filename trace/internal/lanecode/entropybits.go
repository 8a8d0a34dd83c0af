// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"github.com/warptape/warptape/trace/samefloat"
)

// CountedBits is the entropy of counted classes, and their open bits.
func CountedBits(counts []uint32) (bits float64) {
	n := uint32(0)
	for class, count := range counts {
		if count > 0 {
			n += count
			bits += float64(float64(count)*float64(Classes[class].Open)) - selfBits(count)
		}
	}
	return bits + selfBits(n)
}

// selfBits is a count times its logarithm: the entropy of counted symbols is that of
// their number less those of their counts.
func selfBits(count uint32) float64 {
	if count < uint32(len(smallSelfBits)) {
		return smallSelfBits[count]
	}
	return float64(count) * samefloat.Log2(float64(count))
}

var smallSelfBits = func() (t [1024]float64) {
	for n := 1; n < len(t); n++ {
		t[n] = float64(n) * samefloat.Log2(float64(n))
	}
	return t
}()
