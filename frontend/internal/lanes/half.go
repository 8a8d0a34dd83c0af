// SPDX-License-Identifier: Apache-2.0

package lanes

import "math"

// SmallFloat is a 16-bit floating-point format.
type SmallFloat struct {
	fraction    int // bits of the fraction
	bias        int
	exponentMax uint64 // all exponent bits
	// rescale is two to the power of how much a double's bias is larger.
	rescale float64
	// grid is a double whose last place is that of the format's subnormals.
	grid float64
}

var (
	Half     = &SmallFloat{fraction: 10, bias: 15, exponentMax: 31, rescale: 0x1p1008, grid: 0x1p28}
	Brain    = &SmallFloat{fraction: 7, bias: 127, exponentMax: 255, rescale: 0x1p896, grid: 0x1p-81}
	smallNaN = uint64(0x7fff) // the canonical NaN of both
)

const (
	doubleFraction = 52
	doubleBias     = 1023
)

// Decode gives the value of 16 bits; it is exact.
func (f *SmallFloat) Decode(bits uint64) float64 {
	sign, magnitude := bits&0x8000<<48, bits&0x7fff
	if infinity := f.exponentMax << f.fraction; magnitude >= infinity {
		v := math.Inf(1)
		if magnitude > infinity {
			v = math.NaN()
		}
		return math.Float64frombits(math.Float64bits(v)&^(1<<63) | sign) // of a NaN too, for .xorsign
	}
	// In a double's place the exponent is too small by the difference of the biases,
	// and a subnormal number is one still. The product is exact and normal.
	v := math.Float64frombits(magnitude<<(doubleFraction-f.fraction)) * f.rescale
	return math.Float64frombits(math.Float64bits(v) | sign)
}

// Encode rounds a double, exact or rounded to odd, to 16 bits.
func (f *SmallFloat) Encode(v float64, mode Rounding) uint64 {
	bits := math.Float64bits(v)
	sign, magnitude := bits>>48&0x8000, bits&^(1<<63)
	if magnitude >= 0x7ff<<doubleFraction {
		if v != v {
			return smallNaN
		}
		return sign | f.exponentMax<<f.fraction
	}
	if mode != Nearest {
		return sign | f.directed(math.Abs(v), mode, sign != 0)
	}
	if magnitude < uint64(doubleBias+1-f.bias)<<doubleFraction { // subnormal
		sum := math.Float64frombits(magnitude) + f.grid
		return sign | (math.Float64bits(sum) - math.Float64bits(f.grid))
	}
	// Half of the last place, or just below it where the last place is even, carries into
	// the exponent, and at the end into infinity.
	drop := doubleFraction - f.fraction
	magnitude += 1<<(drop-1) - 1 + magnitude>>drop&1 - uint64(doubleBias-f.bias)<<doubleFraction
	return sign | min(magnitude>>drop, f.exponentMax<<f.fraction)
}

// directed rounds a magnitude that is finite toward zero or away from it.
func (f *SmallFloat) directed(magnitude float64, mode Rounding, negative bool) uint64 {
	if magnitude == 0 {
		return 0
	}
	_, e := math.Frexp(magnitude)
	exponent := max(e-1, 1-f.bias) // that of the last place's binade
	scaled := math.Ldexp(magnitude, f.fraction-exponent)
	away := mode == TowardMinus && negative || mode == TowardPlus && !negative
	if away {
		scaled = math.Ceil(scaled)
	}
	// Encoded as an integer, the next binade follows the largest fraction.
	code := uint64(scaled) + uint64(exponent+f.bias-1)<<f.fraction
	if limit := f.exponentMax << f.fraction; code >= limit {
		code = limit
		if !away {
			code--
		}
	}
	return code
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
func half16(format *SmallFloat, packed, flush, clamp bool, f func(a, b, c float64) float64) Loop {
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
	return eachHalf(packed, one)
}

// flush makes a subnormal number a zero of its sign.
func (f *SmallFloat) flush(bits uint32) uint32 {
	if uint64(bits)>>f.fraction&f.exponentMax == 0 {
		return bits & 0x8000
	}
	return bits
}
