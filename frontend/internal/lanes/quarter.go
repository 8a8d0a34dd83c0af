// SPDX-License-Identifier: Apache-2.0

package lanes

import "math"

// quarterFloat is a floating-point format of 8 bits (5.2.3), into which numbers
// are rounded to nearest.
type quarterFloat struct {
	fraction int // bits of the fraction
	bias     int
	infinity uint64 // the code above the largest number where it is one, else 0
}

// E4M3 has no infinities, and one NaN of each sign, above the largest number;
// E5M2 is the upper half of .f16.
var (
	E4M3 = quarterFloat{fraction: 3, bias: 7}
	E5M2 = quarterFloat{fraction: 2, bias: 15, infinity: 0x7c}
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
		v = math.Ldexp(float64(fraction), 1-f.bias-f.fraction)
	default:
		v = math.Ldexp(float64(fraction|1<<f.fraction), exponent-f.bias-f.fraction)
	}
	if bits&0x80 != 0 {
		return math.Copysign(v, -1)
	}
	return v
}

// Encode rounds a number that is not beyond the largest one, or NaN, to 8 bits.
func (f quarterFloat) Encode(v float64, mode Rounding) uint64 {
	var sign uint64
	if math.Signbit(v) {
		sign = 0x80
	}
	if v != v {
		return quarterNaN
	}
	if v == 0 {
		return sign
	}
	_, e := math.Frexp(v)
	exponent := max(e-1, 1-f.bias) // that of the last place's binade
	scaled := RoundIntegral(math.Ldexp(math.Abs(v), f.fraction-exponent), mode)
	return sign | (uint64(scaled) + uint64(exponent+f.bias-1)<<f.fraction)
}
