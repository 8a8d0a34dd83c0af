// SPDX-License-Identifier: Apache-2.0

package offload

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/ring"
)

// Operands that wait in a core's shared memory are read one a cycle, each its latency after it began; those at a router
// are taken one a cycle.
func TestOperandsAreReadOneACycle(t *testing.T) {
	for _, c := range []struct {
		at            place
		loads, shared int
		ready         clock.Cycle
		lanes         uint64
	}{
		{atCore, 1, 20, 120, 3}, {atCore, 2, 20, 121, 6}, {atCore, 1, 1, 101, 3}, {atCore, 2, 0, 102, 6},
		{atRouter, 1, 20, 101, 0}, {atRouter, 2, 20, 102, 0},
		{atPartition, 1, 20, 101, 0}, {atPartition, 2, 20, 101, 0}, // both have come from other partitions
	} {
		m := &arch.Machine{}
		m.Shared.LatencyCycles = c.shared
		e := &engine{machine: m, sets: []*counters.Set{new(counters.Set), new(counters.Set)}, jobs: newJobs(), system: new(tags)}
		e.jobs.items = []job{{chain: &chain{loads: c.loads}, mask: 0b1011, sm: 1}}
		for k := range c.loads {
			e.jobs.items[0].lines[k].slice = 5
		}
		s := &service{engine: e, end: 1, at: c.at, ready: ring.New[int32](4)}
		s.ready.Push(0)
		s.fill(100)
		if e.timers.Due() != c.ready || s.filled != 1 || s.ready.Len() != 0 {
			t.Errorf("%+v: read in cycle %d, %d places filled", c, e.timers.Due(), s.filled)
		}
		if got := e.sets[1][counters.SharedLaneRead]; got != c.lanes || e.sets[0][counters.SharedLaneRead] != 0 {
			t.Errorf("%+v: %d lanes read", c, got)
		}
	}
}
