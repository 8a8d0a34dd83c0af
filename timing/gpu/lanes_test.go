// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"testing"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace"
)

func TestLanesOfAllClassesAreTheThreadInstructions(t *testing.T) {
	for seed := range uint64(20) {
		total := &randomRun(t, seed, false).Total
		var lanes uint64
		for c := range trace.OpClass(trace.ClassCount) {
			lanes += total[counters.LaneOps(c)]
		}
		if lanes != total[counters.IssuedThread] {
			t.Errorf("seed %d: classes have %d lanes, %d thread instructions were issued", seed, lanes, total[counters.IssuedThread])
		}
		if most := 32 * total[counters.RegisterRead]; total[counters.RegisterLaneRead] > most {
			t.Errorf("seed %d: %d lane registers read, warps could read %d", seed, total[counters.RegisterLaneRead], most)
		}
	}
}
