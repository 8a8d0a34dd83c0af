// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
)

func TestLaunchesFollowOneAnother(t *testing.T) {
	k := chain(5)
	one := cyclesOf(t, gputest.Machine(), k)
	run := replay(t, build(t, gputest.Machine(), &gputest.Memory{}),
		gputest.Launch{Kernel: k, Blocks: 1, Threads: 32}, gputest.Launch{Kernel: k, Blocks: 0, Threads: 32}, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32})
	var got []clock.Cycle
	for _, l := range run.Launches {
		got = append(got, l.Start, l.Cycles)
	}
	want := []clock.Cycle{0, one, one, gputest.LaunchCycles, one + gputest.LaunchCycles, one}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if run.Cycles != 2*one+gputest.LaunchCycles {
		t.Errorf("%d cycles in total", run.Cycles)
	}
}

// A run has the counters of each SM by itself.
func TestARunHasTheCountersOfEachSM(t *testing.T) {
	m := gputest.Machine()
	m.GPU.SMs, m.SM.MaxBlocks = 3, 1
	run := replay(t, build(t, m, &gputest.Memory{}), gputest.Launch{Kernel: chain(50), Blocks: 2, Threads: 32})
	var issued []uint64
	for i := range run.SMs {
		issued = append(issued, run.SMs[i][counters.IssuedWarp])
	}
	if diff := cmp.Diff([]uint64{51, 51, 0}, issued); diff != "" {
		t.Errorf("two thread blocks of a warp on three SMs (-want +got):\n%s", diff)
	}
}
