// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"math"
	"math/big"
)

// Rounding is a floating-point rounding mode (9.7.3): .rn, .rz, .rm, .rp.
type Rounding uint8

const (
	Nearest Rounding = iota
	TowardZero
	TowardMinus
	TowardPlus
)

// Narrow32 rounds a double, exact or rounded to odd, to single precision.
func Narrow32(v float64, mode Rounding) float32 {
	f := float32(v)
	if v != v {
		return Canonical32
	}
	if mode == Nearest || float64(f) == v {
		return f
	}
	up := float64(f) < v // the exact value lies above f
	switch {
	case up && (mode == TowardPlus || mode == TowardZero && v < 0):
		return math.Nextafter32(f, float32(math.Inf(1)))
	case !up && (mode == TowardMinus || mode == TowardZero && v > 0):
		return math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return f
}

// signedZero gives exact zero sums of numbers that are not both zeros of one
// sign the sign that IEEE 754 demands: minus under .rm, else plus.
func signedZero(sum float64, a, b float64, mode Rounding) float64 {
	if sum != 0 || mode != TowardMinus {
		return sum
	}
	if a == 0 && b == 0 && math.Signbit(a) == math.Signbit(b) {
		return sum
	}
	if a == -b {
		return math.Copysign(0, -1)
	}
	return sum
}

// The operations of single precision under any rounding mode. Exact sums
// are rounded to odd in double precision first, see SumToOdd.

func AddRounded32(a, b float32, mode Rounding) float32 {
	x, y := float64(a), float64(b)
	return Narrow32(signedZero(SumToOdd(x, y), x, y, mode), mode)
}

func MulRounded32(a, b float32, mode Rounding) float32 {
	return Narrow32(float64(a)*float64(b), mode)
}

func FmaRounded32(a, b, c float32, mode Rounding) float32 {
	p, x := float64(a)*float64(b), float64(c)
	return Narrow32(signedZero(SumToOdd(p, x), p, x, mode), mode)
}

// DivRounded32 needs no more than the nearest double. Take a quotient of numbers of 24 bits
// that is none of 25 bits. It lies further from each of these than a double is rounded
// (Figueroa, "When is double rounding innocuous?", SIGNUM Newsletter 30(3), 1995).
func DivRounded32(a, b float32, mode Rounding) float32 {
	return Narrow32(float64(a)/float64(b), mode)
}

// SqrtRounded32 is as DivRounded32 is: so are roots.
func SqrtRounded32(a float32, mode Rounding) float32 {
	return Narrow32(math.Sqrt(float64(a)), mode)
}

// The operations of double precision under directed rounding in arbitrary-precision
// arithmetic, for numbers that directed.go leaves.

// exactBits holds the exact sum of any two doubles or products of doubles, and
// more than enough of any quotient or root to see on which side it lies.
const exactBits = 4400

func bigMode(mode Rounding) big.RoundingMode {
	return [...]big.RoundingMode{Nearest: big.ToNearestEven, TowardZero: big.ToZero, TowardMinus: big.ToNegativeInf, TowardPlus: big.ToPositiveInf}[mode]
}

// narrow64 rounds x to double precision, subnormals included.
func narrow64(x *big.Float, mode Rounding) float64 {
	precision := uint(53)
	if e := x.MantExp(nil); x.Sign() != 0 && e < -1021 {
		// A subnormal number has a bit for each power of two from 2^-1074.
		if e+1074 < 1 {
			return tiny64(x, mode)
		}
		precision = uint(e + 1074)
	}
	r := new(big.Float).SetMode(bigMode(mode)).SetPrec(precision).Set(x)
	v, _ := r.Float64()
	if math.IsInf(v, 0) && (mode == TowardZero || mode == TowardMinus && v > 0 || mode == TowardPlus && v < 0) {
		return math.Copysign(math.MaxFloat64, v)
	}
	return v
}

// tiny64 rounds a number below the smallest subnormal.
func tiny64(x *big.Float, mode Rounding) float64 {
	least := math.SmallestNonzeroFloat64
	switch {
	case mode == TowardPlus && x.Sign() > 0:
		return least
	case mode == TowardMinus && x.Sign() < 0:
		return -least
	case mode == Nearest && new(big.Float).Abs(x).Cmp(new(big.Float).SetMantExp(big.NewFloat(1), -1075)) > 0:
		return math.Copysign(least, float64(x.Sign()))
	}
	return math.Copysign(0, float64(x.Sign()))
}

func finite(v float64) bool { return !math.IsInf(v, 0) && v == v }

func exact(v float64) *big.Float { return new(big.Float).SetPrec(exactBits).SetFloat64(v) }

func mulExactly(a, b float64, mode Rounding) float64 {
	r := a * b
	if !finite(a) || !finite(b) || a == 0 || b == 0 {
		return Canonical(r)
	}
	return narrow64(new(big.Float).SetPrec(exactBits).Mul(exact(a), exact(b)), mode)
}

func fmaExactly(a, b, c float64, mode Rounding) float64 {
	if !finite(a) || !finite(b) || !finite(c) {
		return Canonical(math.FMA(a, b, c))
	}
	p := new(big.Float).SetPrec(exactBits).Mul(exact(a), exact(b))
	sum := new(big.Float).SetPrec(exactBits).Add(p, exact(c))
	if sum.Sign() == 0 {
		if p.Sign() != 0 && mode == TowardMinus {
			return math.Copysign(0, -1)
		}
		if p.Sign() != 0 {
			return 0
		}
		return signedZero(float64(a*b)+c, a*b, c, mode)
	}
	return narrow64(sum, mode)
}

func divExactly(a, b float64, mode Rounding) float64 {
	if !finite(a) || !finite(b) || a == 0 || b == 0 {
		return Canonical(a / b)
	}
	return narrow64(new(big.Float).SetPrec(exactBits).SetMode(big.ToZero).Quo(exact(a), exact(b)), mode)
}

func SqrtRounded64(a float64, mode Rounding) float64 {
	if !finite(a) || a <= 0 {
		return Canonical(math.Sqrt(a))
	}
	q := math.Sqrt(a)
	rest := new(big.Float).SetPrec(exactBits).Mul(exact(q), exact(q))
	switch rest.Cmp(exact(a)) {
	case 0:
		return q
	case 1: // q is above the root
		if mode == TowardZero || mode == TowardMinus {
			return math.Nextafter(q, 0)
		}
	case -1:
		if mode == TowardPlus {
			return math.Nextafter(q, math.Inf(1))
		}
	}
	return q
}

// Canonical replaces any NaN by the default one.
func Canonical(v float64) float64 {
	if v != v {
		return Canonical64
	}
	return v
}
