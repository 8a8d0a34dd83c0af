// SPDX-License-Identifier: Apache-2.0

package lanes

import "math"

// leastNormal is the least number that is not subnormal.
const leastNormal = 0x1p-1022

// Subnormal reports whether a number is so small that its fraction is short.
func Subnormal(x float64) bool { return x != 0 && math.Abs(x) < leastNormal }

// scaled are the bits by which subnormal numbers are made normal ones.
const scaled = 54

// Log is the natural logarithm. Package math's has assembly on amd64 that takes a subnormal
// number for one with the least exponent: it gives -709.09 for the least number, not -744.44.
func Log(x float64) float64 {
	if Subnormal(x) {
		return float64(math.Log(x*(1<<scaled))) - scaled*math.Ln2
	}
	return math.Log(x)
}

// Log10 is the decimal logarithm, of subnormal numbers too.
func Log10(x float64) float64 {
	if Subnormal(x) {
		return float64(math.Log10(x*(1<<scaled))) - scaled*(math.Ln2/math.Ln10)
	}
	return math.Log10(x)
}
