// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"math"
	"testing"
)

// By hand, from the formula at Technology.leakage: 330 K are 11/12 of 360 K, whose square is
// 0.84028; the exponent is 0.25 V / (1.5 * 8.617e-5 eV/K) * (1/360 - 1/330)/K = -0.48842.
func TestFactorsOfATechnology(t *testing.T) {
	for _, c := range []struct{ volts, kelvin, dynamic, leakage float64 }{
		{1, 360, 1, 1}, {0.9, 360, 0.81, 0.9}, {1, 330, 1, 0.51559}, {0.9, 330, 0.81, 0.46403},
	} {
		x := Technology{VoltageRatio: c.volts, TemperatureK: c.kelvin}
		if d, l := x.dynamic(), x.leakage(); math.Abs(d-c.dynamic) > 1e-12 || math.Abs(l-c.leakage) > 2e-5 {
			t.Errorf("%g V, %g K: dynamic %g, leakage %g; want %g, %g", c.volts, c.kelvin, d, l, c.dynamic, c.leakage)
		}
	}
}
