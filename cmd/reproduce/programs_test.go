// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"math"
	"slices"
	"testing"
)

func TestSpeedupsOfIdenticalRunsAreOne(t *testing.T) {
	alone := []ProgramRun{{Instructions: 10, Cycles: 20, AloneInstructions: 10, AloneCycles: 20}, {Instructions: 7, Cycles: 3, AloneInstructions: 14, AloneCycles: 6}}
	if w, h := WeightedSpeedup(alone), HarmonicSpeedup(alone); w != 1 || h != 1 {
		t.Errorf("weighted %g, harmonic %g", w, h)
	}
}

func TestSpeedupsAreTheMeansOfTheEquations(t *testing.T) {
	// One program at half its speed, one at full: 3/4 and 2/3.
	mixed := []ProgramRun{{Instructions: 10, Cycles: 40, AloneInstructions: 10, AloneCycles: 20}, {Instructions: 7, Cycles: 3, AloneInstructions: 7, AloneCycles: 3}}
	if w, h := WeightedSpeedup(mixed), HarmonicSpeedup(mixed); math.Abs(w-0.75) > 1e-12 || math.Abs(h-2.0/3) > 1e-12 {
		t.Errorf("weighted %g, harmonic %g", w, h)
	}
}

func TestBoxesHaveTheQuartiles(t *testing.T) {
	if got := box([]float64{5, 1, 4, 2, 3}); !slices.Equal(got, []float64{1, 2, 3, 4, 5}) {
		t.Errorf("quartiles of 1 to 5: %v", got)
	}
	if got := box([]float64{4, 0}); !slices.Equal(got, []float64{0, 1, 2, 3, 4}) {
		t.Errorf("quartiles of 0 and 4: %v", got)
	}
}
