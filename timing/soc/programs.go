// SPDX-License-Identifier: Apache-2.0

package soc

import (
	"cmp"
	"fmt"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/cpu/chip"
)

// Programs is the chip of a path (seam.Path.HostSteps) that runs processes of others
// in parallel with the traced one.
type Programs interface {
	// StartPrograms gives each program a core from the cycle 0 on. One that ends is
	// relaunched until the traced one has ended (section 4.5), and what it does then
	// is not counted. The last core is left to the traced one.
	StartPrograms(programs []chip.Program) error
	// Outcomes are those of the programs, after the replay.
	Outcomes() []chip.Outcome
}

// StartPrograms implements Programs.
func (c *system) StartPrograms(programs []chip.Program) error {
	if len(programs) >= c.cpu.Cores {
		return fmt.Errorf("%d programs beside the traced one need %d cores: the machine has %d; raise cpu.cores", len(programs), len(programs)+1, c.cpu.Cores)
	}
	c.launches = chip.NewLaunches(programs, cpu.Space(firstOther))
	for i := range programs {
		c.programs = append(c.programs, chip.Outcome{Name: programs[i].Name, Core: i})
		c.cores.Run(0, i, c.launches.First(i))
	}
	return nil
}

// programEnded takes note of the end of a run of the program of a core, unless it was
// stopped.
func (c *system) programEnded(now clock.Time, core int) {
	if c.stopped {
		return
	}
	c.programs[core].Runs++
	from, to, err := c.launches.Ended(core)
	if err != nil && c.programError == nil {
		c.programError = err
		return
	}
	for i := from; i < to; i++ {
		c.cores.Run(now, i, c.launches.Again(i))
	}
}

// Outcomes implements Programs.
func (c *system) Outcomes() []chip.Outcome {
	for i := range c.programs {
		o := &c.programs[i]
		o.Counters = c.cpuSets[o.Core]
	}
	return c.programs
}

// EndHost implements seam.HostSteps: the programs stop.
func (c *system) EndHost(now clock.Cycle) error {
	c.stopped = true
	if err := c.launches.Stuck(); err != nil && c.programError == nil {
		c.programError = err
	}
	for i := range c.programs {
		c.cores.Stop(c.core.Start(now), i)
	}
	return cmp.Or(c.cores.Err(), c.programError)
}

var _ Programs = (*system)(nil)
