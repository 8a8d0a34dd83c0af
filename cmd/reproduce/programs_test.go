// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"context"
	"math"
	"slices"
	"testing"

	cputraces "github.com/warptape/warptape/traces/cpu"
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

// TestThreadsRunOnLanesAndOnChipsWithoutSMs: a measurement there has every instruction of the
// program's threads, as the trace has them, and the time until the last of them ends.
func TestThreadsRunOnLanesAndOnChipsWithoutSMs(t *testing.T) {
	tape, err := cputraces.Open("fft-4")
	if err != nil {
		t.Fatal(err)
	}
	s := &Study{Name: "threads", Sizes: []string{"small"}, Workloads: []Workload{{Label: "fft-4", CPU: "fft-4", Architectures: []string{eesiMIMD, eesiT}}}}
	r := &Runner{Cache: t.TempDir(), Model: "this", Workers: 1}
	list, err := r.Run(context.Background(), s, "small")
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Measurements {
		m := &list.Measurements[i]
		if got, want := m.Count("cpu_instructions"), float64(tape.Totals().CPU.Instructions); got != want || m.Cycles == 0 || m.Nanoseconds != float64(m.Cycles)/1.5 {
			t.Errorf("%s: %g instructions of %g, %d cycles in %g ns at 1.5 GHz", m.Architecture, got, want, m.Cycles, m.Nanoseconds)
		}
	}
}
