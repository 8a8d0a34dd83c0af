// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
)

// leaking is a memory with one request, which leaves it in some cycle. It tells in which cycle, or does not.
type leaking struct {
	*gputest.Memory
	core    clock.Domain
	leaves  clock.Cycle
	tells   bool
	now     clock.Time
	visited int
}

func (m *leaking) Advance(t clock.Time) {
	m.now = t
	m.visited++
}

func (m *leaking) InFlight() int {
	if m.now >= m.core.Start(m.leaves) {
		return 0
	}
	return 1
}

func (m *leaking) NextEvent() clock.Time {
	if m.tells {
		return m.core.Start(m.leaves)
	}
	return clock.NeverTime
}

// The memory is drained until its last request has left. That takes one look where the memory tells when, and
// one each cycle where it does not. It ends with the watchdog's limit.
func TestTheMemoryIsDrainedUntilItsLastRequestHasLeft(t *testing.T) {
	const limit = 400
	for _, c := range []struct {
		leaves clock.Cycle
		tells  bool
		end    clock.Cycle
		looks  int
	}{{0, true, 0, 0}, {1, true, 1, 1}, {70, true, 70, 1}, {70, false, 70, 70}, {limit - 1, false, limit - 1, limit - 1}, {5000, false, limit, limit}} {
		m := &leaking{Memory: &gputest.Memory{}, leaves: c.leaves, tells: c.tells}
		g, err := New(gputest.Machine(), Options{WatchdogCycles: limit, Memory: func(_ *arch.Machine, clocks Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
			m.core = clocks.Core
			p := m.Build(clocks.Core, global)
			p.MemorySystem = m
			return p, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if g.drain(); g.now != c.end || m.visited != c.looks {
			t.Errorf("%+v: drained in cycle %d after %d looks", c, g.now, m.visited)
		}
	}
}
