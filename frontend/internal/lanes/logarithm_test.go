// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"math"
	"testing"
)

// A power of two has a multiple of the logarithm of two, down to the least number.
func TestLogarithmsOfSubnormalNumbers(t *testing.T) {
	for n := -1074; n <= 1023; n++ {
		x := math.Ldexp(1, n)
		if got, want := Log(x), float64(n)*math.Ln2; math.Abs(got-want) > 2e-15*math.Abs(want) {
			t.Errorf("log of 2^%d is %v, want %v", n, got, want)
		}
		if got, want := Log10(x), float64(n)*(math.Ln2/math.Ln10); math.Abs(got-want) > 2e-15*math.Abs(want) {
			t.Errorf("log10 of 2^%d is %v, want %v", n, got, want)
		}
	}
	for _, x := range []float64{0, math.Copysign(0, -1)} {
		if !math.IsInf(Log(x), -1) || !math.IsInf(Log10(x), -1) {
			t.Errorf("logarithms of %v are %v and %v", x, Log(x), Log10(x))
		}
	}
	for _, x := range []float64{-5e-324, -1, math.Inf(-1), math.NaN()} {
		if Log(x) == Log(x) || Log10(x) == Log10(x) {
			t.Errorf("logarithms of %v are %v and %v", x, Log(x), Log10(x))
		}
	}
}
