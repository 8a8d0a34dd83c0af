// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"math"
	"testing"
)

func TestAgreementOfKernels(t *testing.T) {
	list := func(run string, cycles ...float64) []Pair {
		var pairs []Pair
		for i := 0; i < len(cycles); i += 2 {
			pairs = append(pairs, Pair{Launch: &Launch{Workload: "w", Parameters: run, Kernel: "k", Index: i / 2, Cycles: cycles[i]}, Ours: cycles[i+1]})
		}
		return pairs
	}
	kernels := Kernels(append(list("a", 100, 90, 100, 130), list("b", 1000, 950)...))
	if len(kernels) != 2 || kernels[0].Launches != 2 || kernels[0].Reference != 200 || kernels[0].Ours != 220 {
		t.Fatalf("%+v", kernels)
	}
	a := Agree(kernels)
	if math.Abs(a.Mean-7.5) > 1e-9 || math.Abs(a.Signed-2.5) > 1e-9 || math.Abs(a.Worst-10) > 1e-9 || math.Abs(a.Correlation-1) > 1e-12 {
		t.Errorf("%+v", a)
	}
}

// A published example of Pearson's coefficient: Anscombe's first set (The American
// Statistician 27, 1973) has 0.816.
func TestCorrelationOfAnscombesFirstSet(t *testing.T) {
	x := []float64{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5}
	y := []float64{8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68}
	if r := correlation(x, y); math.Abs(r-0.81642) > 1e-5 {
		t.Error(r)
	}
}

func TestTheTablesOfLaunchesAreRead(t *testing.T) {
	for _, m := range Machines {
		launches, err := Catalogue(m.Name)
		if err != nil {
			t.Fatal(err)
		}
		if len(launches) < 39 {
			t.Errorf("%s: %d launches", m.Name, len(launches))
		}
		for i := range launches {
			if l := &launches[i]; l.Cycles < 100 || l.Registers < 8 || l.Size == "" || l.WarpInstructions*32 < l.ThreadInstructions {
				t.Errorf("%+v", l)
			}
		}
	}
	if _, err := Catalogue("gtx480"); err == nil {
		t.Error("launches of another machine")
	}
}
