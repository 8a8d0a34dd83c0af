// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"testing"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
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

// TestLanesAreCountedWhereTheyWork counts by hand: eight lanes of a warp load
// shared memory, add, store to shared and to global memory; four of them load.
func TestLanesAreCountedWhereTheyWork(t *testing.T) {
	k := gputest.NewKernel("lanes")
	k.Load(trace.SpaceShared, 1, 2).Op(trace.ClassIntAdd, 3, 1, 2).Store(trace.SpaceShared, 2, 3).Store(trace.SpaceGlobal, 2, 3)
	k.Load(trace.SpaceGlobal, 1, 2).Guarded(0).Exit()
	run := replay(t, build(t, gputest.Machine(), &gputest.Memory{LatencyCycles: 50}), gputest.Launch{
		Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) { w.VisitGuarded(0, 0xff, 0x0f) },
	})
	for id, want := range map[counters.ID]uint64{
		counters.SharedLaneRead: 8, counters.SharedLaneWrite: 8, counters.GlobalLane: 8 + 4,
		counters.LaneOps(trace.ClassIntAdd): 8, counters.LaneOps(trace.ClassLoad): 8 + 4, counters.LaneOps(trace.ClassStore): 16,
		counters.RegisterLaneWrite: 8 + 8 + 4,
	} {
		if got := run.Total[id]; got != want {
			t.Errorf("%s is %d, want %d", counters.Declared(id).Name, got, want)
		}
	}
}
