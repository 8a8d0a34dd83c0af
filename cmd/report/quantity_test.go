// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"
	"testing"
)

// Quantities have the prefix that leaves one to three digits in front of the point, as far as there are prefixes.
func TestQuantitiesHaveTheirPrefix(t *testing.T) {
	for v, want := range map[float64]string{
		1: "1 J", 999.94: "999.9 J", 1000: "1 kJ", 12345: "12.35 kJ", -2.5e6: "-2.5 MJ", 3e9: "3 GJ", 4e12: "4 TJ", 5e15: "5 PJ", 6e18: "6000 PJ",
		0.5: "500 mJ", 0.002: "2 mJ", 3e-6: "3 µJ", 4e-9: "4 nJ", 5e-12: "5 pJ", 6e-15: "6 fJ", 7e-18: "7 aJ", 8e-21: "0.008 aJ", 0: "0 J", math.Inf(1): "+Inf J",
	} {
		if got := engineering(v, "J"); got != want {
			t.Errorf("%g is %q, want %q", v, got, want)
		}
	}
}

// What there is no value of is no number.
func TestAbsentNumbersAreNone(t *testing.T) {
	v := 3.5
	if number(&v) != v || !math.IsNaN(number(nil)) {
		t.Errorf("%g and %g", number(&v), number(nil))
	}
}
