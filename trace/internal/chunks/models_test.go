// SPDX-License-Identifier: Apache-2.0

package chunks_test

import (
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/testtraces"
)

// Addresses of each kind of gather come out of a chunk as they went in, by whatever model of lanes they are coded.
func TestGathersComeOutAsTheyWentIn(t *testing.T) {
	for _, x := range testtraces.Gathers() {
		x.Warps, x.Visits = min(x.Warps, 60), min(x.Visits, 10)
		var recorded [][trace.WarpSize]uint64
		address := x.Address
		x.Address = func(g *testtraces.GatherState) (first, second [trace.WarpSize]uint64) {
			first, second = address(g)
			recorded = append(recorded, first, second)
			return first, second
		}
		read, err := testtraces.Read(testtraces.Open(t, x.Record(t)))
		if err != nil {
			t.Errorf("model %d: %v", x.Model, err)
			continue
		}
		at := 0
		for _, b := range read.Launches[0].Blocks {
			for i, a := range b.Warps[0].Accesses {
				for lane, got := range a.Addresses {
					if a.Mask>>lane&1 != 0 && got != recorded[at][lane] {
						t.Fatalf("model %d, warp %d, access %d, lane %d: %#x, recorded as %#x", x.Model, b.ID, i, lane, got, recorded[at][lane])
					}
				}
				at++
			}
		}
		if at != len(recorded) {
			t.Errorf("model %d: %d accesses of %d", x.Model, at, len(recorded))
		}
	}
}
