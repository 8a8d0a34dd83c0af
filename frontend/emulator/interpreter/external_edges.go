// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"math"

	"github.com/warptape/warptape/frontend/internal/lanes"
)

// Package math differs from C (C17, annex F) and the CUDA Math API for the arguments here.

// arctangent is C's atan2: its sign is y's, also where y/x is too small for a number.
func arctangent(y, x float64) float64 { return math.Copysign(math.Atan2(y, x), y) }

// besselJ1 is C's j1, an odd function: that of negative zero is negative zero.
func besselJ1(x float64) float64 {
	if math.Signbit(x) {
		return -math.J1(-x)
	}
	return math.J1(x)
}

// besselY0 is C's y0, which is 2/π·(ln(x/2)+γ) near zero.
func besselY0(x float64) float64 {
	const euler = 0.57721566490153286060651209008240243
	if x > 0 && lanes.Subnormal(x) {
		return 2 / math.Pi * (lanes.Log(x) + (euler - math.Ln2))
	}
	return math.Y0(x)
}

// logGamma is C's lgamma, which is -ln|x| near zero, and infinity for both infinities.
func logGamma(x float64) float64 {
	switch {
	case math.IsInf(x, -1):
		return -x
	case lanes.Subnormal(x):
		return -lanes.Log(math.Abs(x))
	}
	v, _ := math.Lgamma(x)
	return v
}

// nextAfter is C's nextafter, which is y where both are equal: zero has two signs.
func nextAfter(x, y float64) float64 {
	if x == y {
		return y
	}
	return lanes.Canonical(math.Nextafter(x, y))
}

func nextAfterSingle(x, y float32) float32 {
	if x == y {
		return y
	}
	return canonicalSingle(math.Nextafter32(x, y))
}
