// SPDX-License-Identifier: Apache-2.0

package lanes

import "math"

// quarterFloat is a floating-point format of 8 bits (5.2.3), into which numbers
// are rounded to nearest.
type quarterFloat struct {
	fraction int // bits of the fraction
	bias     int
	infinity uint64 // the code above the largest number where it is one, else 0
	// grid is a double whose last place is that of the format's subnormals.
	grid float64
}

// E4M3 has no infinities, and one NaN of each sign, above the largest number;
// E5M2 is the upper half of .f16.
var (
	E4M3 = quarterFloat{fraction: 3, bias: 7, grid: 0x1p43}
	E5M2 = quarterFloat{fraction: 2, bias: 15, infinity: 0x7c, grid: 0x1p36}
)

// quarterNaN is the NaN of results in both formats. PTX does not say which of
// .e5m2's it is.
const quarterNaN = 0x7f

// Decode gives the value of 8 bits; it is exact.
func (f quarterFloat) Decode(bits uint64) float64 {
	magnitude := bits & 0x7f
	exponent, fraction := int(magnitude>>f.fraction), magnitude&(1<<f.fraction-1)
	var v float64
	switch {
	case f.infinity != 0 && magnitude == f.infinity:
		v = math.Inf(1)
	case magnitude == quarterNaN, f.infinity != 0 && magnitude > f.infinity:
		v = math.NaN()
	case exponent == 0:
		v = math.Float64frombits(math.Float64bits(f.grid)|fraction) - f.grid
	default:
		v = math.Float64frombits(uint64(exponent-f.bias+doubleBias)<<doubleFraction | fraction<<(doubleFraction-f.fraction))
	}
	if bits&0x80 != 0 {
		return math.Copysign(v, -1)
	}
	return v
}

// Encode rounds a number that is not beyond the largest one, or NaN, to the nearest of 8 bits,
// the one way that PTX has.
func (f quarterFloat) Encode(v float64, _ Rounding) uint64 {
	bits := math.Float64bits(v)
	sign, magnitude := bits>>56&0x80, bits&^(1<<63)
	if v != v {
		return quarterNaN
	}
	if magnitude < uint64(doubleBias+1-f.bias)<<doubleFraction { // subnormal
		sum := math.Float64frombits(magnitude) + f.grid
		return sign | (math.Float64bits(sum) - math.Float64bits(f.grid))
	}
	// As in SmallFloat.Encode.
	drop := doubleFraction - f.fraction
	magnitude += 1<<(drop-1) - 1 + magnitude>>drop&1 - uint64(doubleBias-f.bias)<<doubleFraction
	return sign | magnitude>>drop
}
