// SPDX-License-Identifier: Apache-2.0

package extrapolate

import (
	"math"
	"testing"

	"github.com/warptape/warptape/timing/counters"
)

// A launch leaves what it has written in a last cache that has room. One that it stands
// for finds these lines in its way, and DRAM writes them. On a100 with its 40 MB the
// launches of `triad` were 5.9 % off an interval of 3.9 %.
func TestALaunchThatStandsForOthersLeavesWritesInTheCache(t *testing.T) {
	const read, written = 2000, 1000 // sectors
	for _, c := range []struct {
		name            string
		evicted         uint64 // sectors that DRAM has written
		bus             float64
		part            float64 // of the cycles, by which the others may take longer
		missed, dirtied uint64
	}{
		{name: "all stay", bus: 0.5, part: 0.5, missed: read + written, dirtied: written},
		{name: "all have left", evicted: written, bus: 0.5, missed: read + written, dirtied: written},
		{name: "half stay", evicted: written / 2, bus: 0.5, part: 0.2, missed: read + written, dirtied: written},
		{name: "DRAM has time for them", bus: 0.2, missed: read + written, dirtied: written},
		{name: "they were in the cache before", bus: 0.5, missed: 0, dirtied: written},
	} {
		o := waves(64, 16, 700, 40)
		o.Blocks, o.Instructions, o.SectorCommands = 64, 64*40, 1
		o.Launch.Counters[counters.L2ReadMiss] = min(c.missed, read)
		o.Launch.Counters[counters.L2WriteMiss] = c.missed - min(c.missed, read)
		o.Launch.Counters[counters.L2Write] = c.dirtied
		o.Launch.Counters[counters.DRAMRead] = read
		o.Launch.Counters[counters.DRAMWrite] = c.evicted
		o.Launch.Counters[counters.DRAMChannelCycles] = 1000
		o.Launch.Counters[counters.DRAMBusCycles] = uint64(1000 * c.bus)
		e := Launch(o)
		other := e.Represented(2)
		if e.Exposed[Gathering] != 0 || other.Cycles != 2*e.Cycles {
			t.Fatalf("%s: a launch that is stored whole is exact, and the other has twice its cycles: %+v", c.name, e.Exposed)
		}
		if got, want := other.Exposed[Gathering], c.part*other.Cycles; math.Abs(got-want) > 1e-9*other.Cycles {
			t.Errorf("%s: %g cycles may be missing, want %g", c.name, got, want)
		}
	}
}
