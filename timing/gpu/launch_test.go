// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/clock"
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
