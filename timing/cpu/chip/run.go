// SPDX-License-Identifier: Apache-2.0

package chip

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/cpu"
)

// Outcome is what one program has given until the end of its first run.
type Outcome struct {
	Name     string
	Core     int
	Counters counters.Set // of its core
	Runs     int          // that ended; those after the first are not counted
}

// IPC is the instructions per cycle of the first run.
func (o *Outcome) IPC() float64 {
	if o.Counters[cpu.Cycles] == 0 {
		return 0
	}
	return float64(o.Counters[cpu.Instructions]) / float64(o.Counters[cpu.Cycles])
}

// Result is a replay of programs.
type Result struct {
	Programs []Outcome
	// Total adds up all that cores, directory, last-level cache and DRAM have done as
	// long as anything ran, relaunches included.
	Total  counters.Set
	Cycles cpu.Cycle // until the last program has ended its first run
}

// checkEvery is the number of events between looks at the context.
const checkEvery = 1 << 14

// Admit refuses programs that the chip does not run.
func (c *Chip) Admit(programs []Program) error {
	if len(programs) == 0 || len(programs) > c.section.Cores {
		return fmt.Errorf("%d programs on %d cores: there must be at least one, and a core for each; raise cpu.cores", len(programs), c.section.Cores)
	}
	return nil
}

// Run replays programs, one on each core, until each has ended once; one that ends
// before is relaunched, and what it does then is not counted (GPSim thesis §4.5). A
// chip runs once.
func (c *Chip) Run(ctx context.Context, programs []Program) (*Result, error) {
	if err := c.Admit(programs); err != nil {
		return nil, err
	}
	r := &Result{Programs: make([]Outcome, len(programs))}
	left := len(programs)
	launches := NewLaunches(programs, 1)
	c.ended = func(now clock.Time, core int) {
		if c.stopping { // this run did not end
			return
		}
		o := &r.Programs[core]
		if o.Runs++; o.Runs == 1 {
			left--
		}
		from, to, err := launches.Ended(core)
		c.err = cmp.Or(c.err, err)
		for i := from; i < to && left > 0 && err == nil; i++ {
			c.cluster.Run(now, i, launches.Again(i))
		}
	}
	for i := range programs {
		r.Programs[i].Name, r.Programs[i].Core = programs[i].Name, i
		c.cluster.Run(0, i, launches.First(i))
	}
	var err error
	if r.Cycles, err = c.replay(ctx, &left, programs); err != nil {
		return nil, err
	}
	for i := range r.Programs {
		r.Programs[i].Counters = *c.cores[i]
	}
	c.total(r)
	return r, nil
}

func (c *Chip) total(r *Result) {
	r.Total = *c.global
	for i, s := range c.cores {
		r.Total.Add(s)
		r.Total.Add(c.cluster.Uncounted(i))
	}
}

// replay goes from event to event until no program is left, and then until nothing
// is under way.
func (c *Chip) replay(ctx context.Context, left *int, programs []Program) (cycles cpu.Cycle, err error) {
	for n := 0; ; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		t := min(c.due, c.cluster.NextEvent(), c.system.NextEvent())
		if t == clock.NeverTime {
			break
		}
		c.cluster.Advance(t)
		c.system.Advance(t)
		c.advance(t)
		if err := cmp.Or(c.cluster.Err(), c.err); err != nil {
			return 0, err
		}
		if *left == 0 && !c.stopping {
			c.stopping = true
			cycles = c.cluster.Now(t)
			for core := range c.inputs {
				c.cluster.Stop(t, core)
			}
		}
	}
	if err := stuck(programs); err != nil {
		return 0, err
	}
	if n := c.cluster.InFlight() + c.system.InFlight(); n > 0 || *left > 0 {
		return 0, fmt.Errorf("BUG: nothing will ever happen, and %d programs have not ended (%d instructions and accesses under way):\n%s", *left, n,
			strings.Join(append(c.cluster.Describe(), c.system.Describe()...), "\n"))
	}
	return cycles, nil
}
