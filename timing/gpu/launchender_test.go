// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// cleaner is a memory that writes a launch's lines back after its last thread block, which takes some cycles.
type cleaner struct {
	*gputest.Memory
	core  clock.Domain
	takes clock.Cycle
	until map[int]clock.Cycle // launches that it is at
	told  []int               // by EndLaunch
}

func (c *cleaner) EndLaunch(now clock.Cycle, launch int) {
	c.told = append(c.told, launch)
	c.until[launch] = now + c.takes
}

func (c *cleaner) LaunchEnded(launch int) bool {
	_, at := c.until[launch]
	return !at
}

func (c *cleaner) Advance(t clock.Time) {
	c.Memory.Advance(t)
	for launch, until := range c.until {
		if c.core.Start(until) <= t {
			delete(c.until, launch)
		}
	}
}

func (c *cleaner) NextEvent() clock.Time {
	next := c.Memory.NextEvent()
	for _, until := range c.until {
		next = min(next, c.core.Start(until))
	}
	return next
}

func (c *cleaner) InFlight() int { return c.Memory.InFlight() + len(c.until) }

// cleaned builds a machine with such a memory.
func cleaned(t *testing.T, m *arch.Machine, takes clock.Cycle, everyCycle bool) (*GPU, *cleaner) {
	t.Helper()
	c := &cleaner{Memory: &gputest.Memory{LatencyCycles: 50}, takes: takes, until: map[int]clock.Cycle{}}
	g, err := New(m, Options{EveryCycle: everyCycle, Memory: func(_ *arch.Machine, clocks Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
		c.core = clocks.Core
		p := c.Memory.Build(clocks.Core, global)
		p.MemorySystem, p.LaunchEnder = c, c
		return p, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return g, c
}

// A launch ends when the memory has written its lines back, and the next one begins then. The memory hears
// of each launch once, whatever cycles the machine visits.
func TestALaunchEndsWhenTheMemoryHasDoneWithIt(t *testing.T) {
	short, long := chain(5), chain(90)
	launches := []gputest.Launch{{Kernel: short, Blocks: 3, Threads: 32}, {Kernel: long, Blocks: 2, Threads: 64}}
	plain := replay(t, build(t, gputest.Machine(), &gputest.Memory{LatencyCycles: 50}), launches...)
	for _, takes := range []clock.Cycle{1, 2, 7, 400} {
		for _, everyCycle := range []bool{false, true} {
			g, memory := cleaned(t, gputest.Machine(), takes, everyCycle)
			run := replay(t, g, launches...)
			at := clock.Cycle(0)
			for i, l := range run.Launches {
				if want := plain.Launches[i].Cycles + takes; l.Start != at || l.Cycles != want {
					t.Errorf("the memory takes %d cycles, every cycle %v: launch %d begins in cycle %d and lasts %d, want %d and %d", takes, everyCycle, i, l.Start, l.Cycles, at, want)
				}
				at = l.End
			}
			if diff := cmp.Diff([]int{0, 1}, memory.told); diff != "" {
				t.Errorf("the memory takes %d cycles: launches that it was told of: %s", takes, diff)
			}
		}
	}
}

// Of two launches side by side each ends when the memory has done with it, and keeps the other from nothing.
func TestLaunchesSideBySideEndWhenTheMemoryHasDoneWithThem(t *testing.T) {
	const takes = 60
	long, short := chain(200), chain(120)
	launches := []gputest.Launch{{Kernel: long, Blocks: 2, Threads: 32}, {Kernel: short, Blocks: 2, Threads: 32}}
	g, _ := cleaned(t, concurrent(4, 16), takes, false)
	run := script(t, g, []trace.HostEvent{launchIn(0, 1), launchIn(1, 2)}, launches...)
	for i, k := range []*gputest.Kernel{long, short} {
		if l, want := run.Launches[i], cyclesOf(t, concurrent(4, 16), k)+takes; l.Start != 0 || l.End != want {
			t.Errorf("launch %d: cycles %d to %d, want 0 to %d", i, l.Start, l.End, want)
		}
	}
}
