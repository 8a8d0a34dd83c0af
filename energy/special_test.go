// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"
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
		if got := price(f) / mean; !near(got, pj/published[trace.NotSpecial]) {
			t.Errorf("%s costs %.4f of the mean, want %.4f", f, got, pj/published[trace.NotSpecial])
		}
	}
}

// The table has the numbers of the reference, where it is at hand.
func TestSpecialFunctionsCostWhatTheReferenceSays(t *testing.T) {
	f, err := os.Open("../shared/reference/op-energies.csv")
	if err != nil {
		t.Skip("needs shared/reference/op-energies.csv: ", err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, c := range []struct {
		machine, operation, key string
		of                      *Coefficients
	}{
		{"GPUWattch GTX480", "fp sqrt", "op.special_sqrt", DefaultCoefficients()}, {"GPUWattch GTX480", "fp log", "op.special_log", DefaultCoefficients()},
		{"GPUWattch GTX480", "fp sin", "op.special_sin", DefaultCoefficients()}, {"GPUWattch GTX480", "fp exp", "op.special_exp", DefaultCoefficients()},
		{"GPUWattch GTX480", "fp32 div", "op.special_rcp", DefaultCoefficients()},
	} {
		for _, row := range rows {
			if !strings.HasPrefix(row[0], "effective energy") || row[1] != c.machine || row[2] != c.operation {
				continue
			}
			found++
			if want, err := strconv.ParseFloat(row[3], 64); err != nil || c.of.get(c.key).Value != want {
				t.Errorf("%s is %g, the reference has %s for %s", c.key, c.of.get(c.key).Value, row[3], c.operation)
			}
		}
	}
	if found != 5 {
		t.Errorf("%d of 5 rows are in the reference", found)
	}
}
