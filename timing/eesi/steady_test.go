// SPDX-License-Identifier: Apache-2.0

package eesi_test

import (
	"testing"

	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// TestSteadyStateOfLanesAllocatesNothing: thread blocks that come and go, with loads,
// stores and barriers, take what others have left.
func TestSteadyStateOfLanesAllocatesNothing(t *testing.T) {
	k := gputest.NewKernel("apart")
	k.Load(trace.SpaceGlobal, 20, 10).Op(trace.ClassIntAdd, 11, 20).Store(trace.SpaceShared, 11, 20).Barrier("sync", 0).Load(trace.SpaceShared, 21, 11).Store(trace.SpaceGlobal, 12, 21).Exit()
	for _, spec := range []string{"eesi", "eesi+divergence(policy=eesi-m)", "gpsim-sbi"} {
		t.Run(spec, func(t *testing.T) {
			replaytest.SteadyState(t, spec, func(blocks int) *wtape.Reader {
				return gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: blocks, Threads: 256, Record: gputest.StraightLine})
			})
		})
	}
}
