// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
)

// toldDispatcher writes down what a dispatcher is told.
type toldDispatcher struct {
	seam.Dispatcher
	told []string
}

func (d *toldDispatcher) Begin(launch int, blocks uint64, need seam.Footprint) {
	d.told = append(d.told, fmt.Sprintf("launch %d begins with %d of %d warps", launch, blocks, need.Warps))
	d.Dispatcher.Begin(launch, blocks, need)
}

func (d *toldDispatcher) Retired(now clock.Cycle, launch, sm int, block uint64) {
	d.told = append(d.told, fmt.Sprintf("launch %d: %d leaves SM %d", launch, block, sm))
	d.Dispatcher.Retired(now, launch, sm, block)
}

func (d *toldDispatcher) End(launch int) {
	d.told = append(d.told, fmt.Sprintf("launch %d ends", launch))
	d.Dispatcher.End(launch)
}

// The dispatcher hears of each launch's begin, of each thread block's end on its SM, and of the launch's end.
func TestTheDispatcherHearsOfLaunchesAndThreadBlocks(t *testing.T) {
	g := build(t, concurrent(2, 2), &gputest.Memory{})
	d := &toldDispatcher{Dispatcher: g.dispatcher}
	g.dispatcher = d
	short, long := chain(10), chain(50)
	long.Name = "long"
	replay(t, g, gputest.Launch{Kernel: long, Blocks: 1, Threads: 64}, gputest.Launch{Kernel: short, Blocks: 2, Threads: 32, Stream: 1}, gputest.Launch{Kernel: short, Blocks: 0, Threads: 32})
	want := []string{
		"launch 0 begins with 1 of 2 warps", "launch 1 begins with 2 of 1 warps",
		"launch 1: 0 leaves SM 1", "launch 1: 1 leaves SM 1", "launch 1 ends",
		"launch 0: 0 leaves SM 0", "launch 0 ends",
		"launch 2 begins with 0 of 1 warps", "launch 2 ends",
	}
	if diff := cmp.Diff(want, d.told); diff != "" {
		t.Errorf("(-want +told)\n%s", diff)
	}
}
