// SPDX-License-Identifier: Apache-2.0

package extrapolate

import (
	"math"
	"testing"

	"github.com/warptape/warptape/timing/counters"
)

// An eighth of a machine does an eighth of the atomics. On one counter those of all take
// their turns: of 1600 the others have 1400.
func TestIntervalOfASliceHoldsAtomicsThatMeet(t *testing.T) {
	for _, c := range []struct{ cycles, want float64 }{{5, 1400 * 5}, {35, 1400 * 35}, {0.5, 700}, {0, 0}} {
		o := waves(20, 2, 700, 40)
		o.Resident, o.StoredBlocks = 16, 200
		o.Blocks, o.SliceBlocks, o.Instructions, o.StoredInstructions = 1600, 200, 1600*40, 200*40
		o.Cycles = 7000
		o.Launch.Counters[counters.IssuedWarp], o.Launch.Counters[counters.L2Atomic] = 200*40, 200
		o.AtomicCycles = c.cycles
		e := OfSlice(o, Part{SMs: 2, All: 16, Blocks: 0.125})
		if math.Abs(e.Cycles-7000) > 1e-6 || math.Abs(e.Exposed[Meeting]-c.want) > 1e-6 {
			t.Errorf("%g cycles an atomic: %g cycles, %g of them exposed, want 7000 and %g", c.cycles, e.Cycles, e.Exposed[Meeting], c.want)
		}
		if truth := max(7000, 1600*c.cycles); truth > e.Cycles+e.HalfWidth() {
			t.Errorf("%g cycles an atomic: %g ± %g cycles, %g are true", c.cycles, e.Cycles, e.HalfWidth(), truth)
		}
	}
}
