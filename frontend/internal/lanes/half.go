// SPDX-License-Identifier: Apache-2.0

package lanes

import "math"

// SmallFloat is a 16-bit floating-point format.
type SmallFloat struct {
	fraction    int // bits of the fraction
	bias        int
	exponentMax uint64 // all exponent bits
}

var (
	Half     = SmallFloat{fraction: 10, bias: 15, exponentMax: 31}
	Brain    = SmallFloat{fraction: 7, bias: 127, exponentMax: 255}
	smallNaN = uint64(0x7fff) // the canonical NaN of both
)

// Decode gives the value of 16 bits; it is exact.
func (f SmallFloat) Decode(bits uint64) float64 {
	fraction := bits & (1<<f.fraction - 1)
	exponent := bits >> f.fraction & f.exponentMax
	var v float64
	switch {
	case exponent == f.exponentMax && fraction != 0:
		v = math.NaN()
	case exponent == f.exponentMax:
		v = math.Inf(1)
	case exponent == 0:
		v = math.Ldexp(float64(fraction), 1-f.bias-f.fraction)
	default:
		v = math.Ldexp(float64(fraction|1<<f.fraction), int(exponent)-f.bias-f.fraction)
	}
	if bits>>15&1 != 0 {
		return math.Copysign(v, -1) // of a NaN too, for .xorsign
	}
	return math.Copysign(v, 1)
}

// Encode rounds a double, exact or rounded to odd, to 16 bits.
func (f SmallFloat) Encode(v float64, mode Rounding) uint64 {
	var sign uint64
	if math.Signbit(v) {
		sign = 1 << 15
	}
	magnitude := math.Abs(v)
	switch {
	case v != v:
		return smallNaN
	case math.IsInf(v, 0):
		return sign | f.exponentMax<<f.fraction
	case v == 0:
		return sign
	}
	_, e := math.Frexp(magnitude)
	exponent := max(e-1, 1-f.bias) // that of the last place's binade
	scaled := RoundIntegral(math.Ldexp(v, f.fraction-exponent), mode)
	// Encoded as an integer, the next binade follows the largest fraction.
	code := uint64(math.Abs(scaled)) + uint64(exponent+f.bias-1)<<f.fraction
	if limit := f.exponentMax << f.fraction; code >= limit {
		code = limit
		if mode == TowardZero || mode == TowardMinus && sign == 0 || mode == TowardPlus && sign != 0 {
			code = limit - 1
		}
	}
	return sign | code
}

// RoundIntegral rounds to an integral value.
func RoundIntegral(v float64, mode Rounding) float64 {
	switch mode {
	case TowardZero:
		return math.Trunc(v)
	case TowardMinus:
		return math.Floor(v)
	case TowardPlus:
		return math.Ceil(v)
	}
	return math.RoundToEven(v)
}

// half16 makes a 16-bit operation of one in double precision whose result is
// exact or rounded to odd; with packed both halves of the 32 bits take part.
func half16(format SmallFloat, packed, flush, clamp bool, f func(a, b, c float64) float64) Loop {
	one := func(a, b, c uint32) uint32 {
		if flush {
			a, b, c = format.flush(a), format.flush(b), format.flush(c)
		}
		v := f(format.Decode(uint64(a)), format.Decode(uint64(b)), format.Decode(uint64(c)))
		if clamp {
			v = Saturate(v)
		}
		r := uint32(format.Encode(v, Nearest))
		if flush {
			r = format.flush(r)
		}
		return r
	}
	if !packed {
		return Each3(func(a, b, c uint32) uint32 { return one(a&0xffff, b&0xffff, c&0xffff) })
	}
	return Each3(func(a, b, c uint32) uint32 {
		return one(a&0xffff, b&0xffff, c&0xffff) | one(a>>16, b>>16, c>>16)<<16
	})
}

// flush makes a subnormal number a zero of its sign.
func (f SmallFloat) flush(bits uint32) uint32 {
	if uint64(bits)>>f.fraction&f.exponentMax == 0 {
		return bits & 0x8000
	}
	return bits
}
