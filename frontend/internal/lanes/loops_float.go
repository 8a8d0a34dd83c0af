// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"math"
	"unsafe"
)

// canonical32 and canonical64 are the NaNs that arithmetic results in
// (9.7.3): the one NaN of single precision, and the default quiet NaN of
// double precision. Giving them explicitly makes results independent of the
// host's own default.
var (
	Canonical32 = math.Float32frombits(0x7fffffff)
	Canonical64 = math.Float64frombits(0xfff8_0000_0000_0000)
)

// Explicit conversions of products to their own type keep the Go compiler
// from fusing them with a following addition on any host.

func AddF32(_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[float32](d), Of[float32](a), Of[float32](b)
	for i := range z {
		r := x[i] + y[i]
		if r != r {
			r = Canonical32
		}
		z[i] = r
	}
}

func SubF32(_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[float32](d), Of[float32](a), Of[float32](b)
	for i := range z {
		r := x[i] - y[i]
		if r != r {
			r = Canonical32
		}
		z[i] = r
	}
}

func MulF32(_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[float32](d), Of[float32](a), Of[float32](b)
	for i := range z {
		r := float32(x[i] * y[i])
		if r != r {
			r = Canonical32
		}
		z[i] = r
	}
}

func DivF32(_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[float32](d), Of[float32](a), Of[float32](b)
	for i := range z {
		r := x[i] / y[i]
		if r != r {
			r = Canonical32
		}
		z[i] = r
	}
}

// fmaLanesF32 rounds a*b+c once. The product of two single-precision numbers
// is exact in double precision, so only the sum rounds, and then once more to
// single precision. The double rounding goes wrong only where the sum lies
// half-way between two single-precision numbers, or is subnormal or too
// large there; fused32 takes care of these.
func FmaF32(_ *Scratch, d, a, b, c unsafe.Pointer) {
	z, x, y, w := Of[float32](d), Of[float32](a), Of[float32](b), Of[float32](c)
	for i := range z {
		s := float64(float64(x[i])*float64(y[i])) + float64(w[i])
		u := math.Float64bits(s)
		if u&halfwayMask == halfway || u<<1-2*smallestNormal32 >= 2*(overflow32-smallestNormal32) {
			z[i] = fused32(x[i], y[i], w[i])
			continue
		}
		z[i] = float32(s)
	}
}

const (
	// halfwayMask are the bits of a double below single precision, halfway
	// their value between two neighbours.
	halfwayMask = 1<<29 - 1
	halfway     = 1 << 28
	// smallestNormal32 is the double 2^-126, overflow32 the double 2^127.
	smallestNormal32 = (1023 - 126) << 52
	overflow32       = (1023 + 127) << 52
)

// fused32 is a*b+c rounded once, whatever the operands.
func fused32(a, b, c float32) float32 {
	product := float64(a) * float64(b)
	r := float32(SumToOdd(product, float64(c)))
	if r != r {
		return Canonical32
	}
	return r
}

// SumToOdd is a+b rounded to odd: if the sum is not exact, the neighbour with
// an odd last bit is taken. Rounding that once more to half the precision or
// less equals rounding the exact sum (Boldo and Melquiond, "Emulation of FMA
// and correctly rounded sums", 2008).
func SumToOdd(a, b float64) float64 {
	s := a + b
	if math.IsInf(s, 0) || s != s {
		return s
	}
	// Knuth's TwoSum: s + e is exactly a + b.
	v := s - a
	e := (a - (s - v)) + (b - v)
	return nudgeToOdd(s, e)
}

// nudgeToOdd rounds s+e to odd, where s is the nearest double to it.
func nudgeToOdd(s, e float64) float64 {
	u := math.Float64bits(s)
	if e == 0 || u&1 != 0 {
		return s
	}
	// The exact value lies between s and its neighbour on e's side.
	if (e > 0) == (s > 0) {
		return math.Float64frombits(u + 1)
	}
	return math.Float64frombits(u - 1)
}

func AddF64(_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[float64](d), Of[float64](a), Of[float64](b)
	for i := range z {
		r := x[i] + y[i]
		if r != r {
			r = Canonical64
		}
		z[i] = r
	}
}

func SubF64(_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[float64](d), Of[float64](a), Of[float64](b)
	for i := range z {
		r := x[i] - y[i]
		if r != r {
			r = Canonical64
		}
		z[i] = r
	}
}

func MulF64(_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[float64](d), Of[float64](a), Of[float64](b)
	for i := range z {
		r := float64(x[i] * y[i])
		if r != r {
			r = Canonical64
		}
		z[i] = r
	}
}

func DivF64(_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[float64](d), Of[float64](a), Of[float64](b)
	for i := range z {
		r := x[i] / y[i]
		if r != r {
			r = Canonical64
		}
		z[i] = r
	}
}

func FmaF64(_ *Scratch, d, a, b, c unsafe.Pointer) {
	z, x, y, w := Of[float64](d), Of[float64](a), Of[float64](b), Of[float64](c)
	for i := range z {
		r := math.FMA(x[i], y[i], w[i])
		if r != r {
			r = Canonical64
		}
		z[i] = r
	}
}

// Cast converts lanes between two types of Go, as Go converts numbers; these are the
// frequent conversions.
func Cast[S, D lane](_ *Scratch, d, a, _, _ unsafe.Pointer) {
	z, x := Of[D](d), Of[S](a)
	for i := range z {
		z[i] = D(x[i])
	}
}

// Truncate is cvt.rzi to a 32-bit integer: values from low to below high
// lose their fraction, others are clamped, NaN becomes nan.
func Truncate[S float32 | float64, D int32 | uint32](low, high S, most, nan D) Loop {
	return func(_ *Scratch, d, a, _, _ unsafe.Pointer) {
		z, x := Of[D](d), Of[S](a)
		for i := range z {
			switch v := x[i]; {
			case v >= high:
				z[i] = most
			case v > low:
				z[i] = D(int64(v))
			case v <= low:
				z[i] = D(int64(low))
			default:
				z[i] = nan
			}
		}
	}
}

// Widen is cvt.f64.f32.
func Widen(_ *Scratch, d, a, _, _ unsafe.Pointer) {
	z, x := Of[float64](d), Of[float32](a)
	for i := range z {
		r := float64(x[i])
		if r != r {
			r = Canonical64
		}
		z[i] = r
	}
}

// IntegralF32 is cvt.rni.f32.f32.
func IntegralF32(_ *Scratch, d, a, _, _ unsafe.Pointer) {
	z, x := Of[float32](d), Of[float32](a)
	for i := range z {
		r := float32(math.RoundToEven(float64(x[i])))
		if r != r {
			r = Canonical32
		}
		z[i] = r
	}
}

// Narrow is cvt.rn.f32.f64.
func Narrow(_ *Scratch, d, a, _, _ unsafe.Pointer) {
	z, x := Of[float32](d), Of[float64](a)
	for i := range z {
		r := float32(x[i])
		if r != r {
			r = Canonical32
		}
		z[i] = r
	}
}
