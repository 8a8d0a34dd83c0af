// SPDX-License-Identifier: Apache-2.0

package lowering

import "testing"

// Loads go ahead in the registers with which all threads of an SM fit, which are handed out in units, or
// in those of the unit that is begun; the budget bounds both. An SM has 65536 registers since Kepler, and
// 2048, 1536 or 1024 threads. A warp gets 256 at a time (CUDA C++ Programming Guide, technical specifications).
func TestLoadsGoAheadWhileAllThreadsFit(t *testing.T) {
	for _, c := range []struct{ threads, unit, kept, most, budget, want int }{
		{2048, 256, 3, 1, 255, 32}, {1536, 256, 3, 1, 255, 40}, {1024, 256, 3, 1, 255, 64},
		{2048, 256, 3, 29, 255, 32}, {2048, 256, 3, 30, 255, 40}, {2048, 256, 0, 32, 255, 32}, {2048, 256, 0, 33, 255, 40},
		{2048, 256, 3, 100, 255, 104}, {2048, 256, 3, 101, 255, 104}, {2048, 256, 3, 102, 255, 112},
		{2048, 256, 3, 100, 64, 64}, {1024, 256, 3, 1, 24, 24}, {1536, 0, 1, 1, 255, 42}, {1536, 64, 1, 44, 255, 46},
	} {
		target := Target{Generation: &Generation{Kept: c.kept}, File: 65536, Threads: c.threads, Unit: c.unit}
		if got := target.ahead(c.most, c.budget); got != c.want {
			t.Errorf("%+v: %d registers", c, got)
		}
	}
}
