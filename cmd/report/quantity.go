// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"math"
)

// engineering writes a quantity with a prefix of the SI and four significant digits.
func engineering(v float64, unit string) string {
	const prefixes = "afpnµm kMGTP"
	runes := []rune(prefixes)
	zero := 6
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Sprintf("%g %s", v, unit)
	}
	power := int(math.Floor(math.Log10(math.Abs(v)) / 3))
	power = max(-zero, min(len(runes)-1-zero, power))
	prefix := string(runes[power+zero])
	if power == 0 {
		prefix = ""
	}
	return fmt.Sprintf("%.4g %s%s", v/math.Pow10(3*power), prefix, unit)
}

// number is the value of a pointer; NaN without.
func number(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
