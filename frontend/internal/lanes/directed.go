// SPDX-License-Identifier: Apache-2.0

package lanes

import "math"

// Directed rounding of double precision, of numbers whose errors are doubles: the nearest double and
// the sign of what it lacks say the result. Others go through arbitrary-precision arithmetic.

// Between these no error of an operation on doubles is subnormal, and no sum of two overflows.
const (
	directedLeast = 0x1p-800
	directedMost  = 0x1p1000
)

// ordinary is of magnitudes between them.
func ordinary(v float64) bool { return math.Abs(v) >= directedLeast && math.Abs(v) <= directedMost }

// toward moves the nearest double of a number other than zero to the side that the mode names; rest has
// the sign of the number less that double.
func toward(nearest, rest float64, mode Rounding) float64 {
	up := mode == TowardPlus || mode == TowardZero && nearest < 0
	switch {
	case mode == Nearest || rest == 0 || up != (rest > 0):
		return nearest
	case (nearest > 0) == up:
		return math.Float64frombits(math.Float64bits(nearest) + 1)
	}
	return math.Float64frombits(math.Float64bits(nearest) - 1)
}

// twoSum is Knuth's: s + e is exactly a + b.
func twoSum(a, b float64) (s, e float64) {
	s = a + b
	v := s - a
	return s, (a - (s - v)) + (b - v)
}

func AddRounded64(a, b float64, mode Rounding) float64 {
	if s, e := twoSum(a, b); ordinary(s) && math.Abs(a) <= directedMost && math.Abs(b) <= directedMost {
		return toward(s, e, mode)
	}
	return fmaExactly(a, 1, b, mode)
}

func MulRounded64(a, b float64, mode Rounding) float64 {
	if r := float64(a * b); ordinary(r) {
		return toward(r, math.FMA(a, b, -r), mode)
	}
	return mulExactly(a, b, mode)
}

// FmaRounded64 sums the product's two parts, which are exact, and c. What the result lacks is
// three numbers of falling magnitude, whose sum's sign is that of their rounded sum.
func FmaRounded64(a, b, c float64, mode Rounding) float64 {
	p, r := float64(a*b), math.FMA(a, b, c)
	if !ordinary(p) || !ordinary(c) || !ordinary(r) {
		return fmaExactly(a, b, c, mode)
	}
	s, se := twoSum(p, c)
	t, te := twoSum(se, math.FMA(a, b, -p))
	u, ue := twoSum(s, t)
	v, ve := twoSum(u-r, ue)
	return toward(r, (v+te)+ve, mode)
}

func DivRounded64(a, b float64, mode Rounding) float64 {
	q := a / b
	if !ordinary(a) || !ordinary(b) || !ordinary(q) {
		return divExactly(a, b, mode)
	}
	rest := math.FMA(-q, b, a)
	if b < 0 {
		rest = -rest
	}
	return toward(q, rest, mode)
}
