// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"testing"

	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

// observed replays a launch of so many thread blocks, of three warps that compute and
// wait for loads, with checkpoints before every thread block.
func observed(t *testing.T, blocks int) (l *Launch, resident int) {
	t.Helper()
	k := gputest.NewKernel("mixed")
	for range 8 {
		k.Load(trace.SpaceGlobal, 0, 0).Op(trace.ClassF32Add, 1, 0)
	}
	k.Exit()
	o := with(&gputest.Memory{LatencyCycles: 50})
	o.Checkpoints = func(_, n int) uint64 {
		resident = n
		return 1
	}
	g, err := New(gputest.Machine(), o)
	if err != nil {
		t.Fatal(err)
	}
	run, err := g.Replay(context.Background(), gputest.NewSource(gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: blocks, Threads: 96})), nil)
	if err != nil {
		t.Fatal(err)
	}
	return &run.Launches[0], resident
}

// A machine begins to drain when a longer launch would place its next thread block:
// the last checkpoint is the one that this launch has there.
func TestLastCheckpointIsWhereALongerLaunchPlacesItsNextThreadBlock(t *testing.T) {
	_, resident := observed(t, 1)
	for _, blocks := range []int{resident, resident + 1, 2*resident - 1, 3 * resident} {
		l, _ := observed(t, blocks)
		longer, _ := observed(t, blocks+1)
		if len(l.Checkpoints) != blocks+1 {
			t.Fatalf("%d thread blocks: %d checkpoints", blocks, len(l.Checkpoints))
		}
		got, want := l.Checkpoints[blocks], longer.Checkpoints[blocks]
		if got.Dispatched != uint64(blocks) || got.Cycle != want.Cycle || got.Counters != want.Counters {
			t.Errorf("%d thread blocks: the last checkpoint is after %d of them in cycle %d, the next would be placed in cycle %d", blocks, got.Dispatched, got.Cycle, want.Cycle)
		}
	}
}
