// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"testing"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace"
)

// A lane costs what its function costs, and the mean of four where the function is not known.
func TestSpecialFunctionsHaveTheirOwnPrices(t *testing.T) {
	m := model(t, "gtx480")
	price := func(f trace.SpecialFunction) float64 {
		var set counters.Set
		set[counters.LaneOps(trace.ClassSpecial)] = 1000
		if f != trace.NotSpecial {
			set[counters.SpecialOps(f)] = 1000
		}
		r := account(t, m, &set, 0)
		return r.Node("chip/sm/functional units/special").DynamicJ
	}
	// Effective energies of the GTX480 configuration, in picojoules.
	published := map[trace.SpecialFunction]float64{
		trace.NotSpecial: 1293.3, trace.SpecialRoot: 1208.8, trace.SpecialLogarithm: 1692.3, trace.SpecialSine: 580.22,
		trace.SpecialExponential: 1692.3, trace.SpecialReciprocal: 1419.8,
	}
	mean := price(trace.NotSpecial)
	for f, pj := range published {
		if key := "op.special_" + f.String(); f != trace.NotSpecial && DefaultCoefficients().get(key).Value != pj {
			t.Errorf("%s is %g, the configuration has %g", key, DefaultCoefficients().get(key).Value, pj)
		}
		if got := price(f) / mean; !near(got, pj/published[trace.NotSpecial]) {
			t.Errorf("%s costs %.4f of the mean, want %.4f", f, got, pj/published[trace.NotSpecial])
		}
	}
}
