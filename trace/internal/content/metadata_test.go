// SPDX-License-Identifier: Apache-2.0

package content

import (
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/limits"
)

func TestTheMetadataOfAFileIsBoundedAltogether(t *testing.T) {
	var c Content
	for range 4 {
		if err := c.spend(limits.MetadataBytes / 4); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.spend(1); err == nil {
		t.Error("a byte more is accepted")
	}
}

// The chunks of a launch, and the thread blocks that they hold: three launches with two, no and one chunk.
func TestBlocksOfALaunchAreThoseOfItsChunks(t *testing.T) {
	var c Content
	c.File.Index.Chunks = []container.ChunkInfo{
		{Launch: 0, FirstBlock: 0, LastBlock: 4, Blocks: 5}, {Launch: 0, FirstBlock: 5, LastBlock: 9, Blocks: 2}, {Launch: 2, FirstBlock: 1, LastBlock: 11, Blocks: 11},
	}
	for launch, want := range [][3]int{{0, 2, 7}, {2, 2, 0}, {2, 3, 11}} {
		if first, end := c.LaunchChunks(launch); first != want[0] || end != want[1] || c.StoredBlocks(launch) != uint64(want[2]) {
			t.Errorf("launch %d: chunks %d to %d with %d blocks, want %v", launch, first, end, c.StoredBlocks(launch), want)
		}
	}
}

// A launch is lost whose kernel is not known, or has no plan.
func TestALaunchWithoutAKernelIsLost(t *testing.T) {
	c := Content{Plans: []*Plan{new(Plan), nil}, Launches: []trace.Launch{{Kernel: 0}, {Kernel: -1}, {Kernel: 1}}}
	for launch, want := range []bool{false, true, true} {
		if got := c.LostLaunch(launch); got != want {
			t.Errorf("launch %d is lost: %t", launch, got)
		}
	}
}
