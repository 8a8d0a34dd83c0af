// SPDX-License-Identifier: Apache-2.0

package soc

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/cpu/chip"
	"github.com/warptape/warptape/timing/memory"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/seam"
)

// Beside is for replay.Options.Attach: it runs programs on the cores of every machine,
// which open gives anew for each.
func Beside(open func(m *arch.Machine) ([]chip.Program, error)) func(*arch.Machine, seam.Path) (func(*replay.Result), error) {
	return func(m *arch.Machine, path seam.Path) (func(*replay.Result), error) {
		to, ok := path.HostSteps.(Programs)
		if !ok {
			return nil, fmt.Errorf("machine %s has no CPU cores that share a last-level cache with its GPU: put one of the overlays typsoc, copysoc, fusetlb, nostlb, privtlb on gpsim-soc+cpu", m.Name)
		}
		programs, err := open(m)
		if err != nil {
			return nil, err
		}
		if err := to.StartPrograms(programs); err != nil {
			return nil, err
		}
		return func(r *replay.Result) { r.Programs = programsOf(to.Outcomes()) }, nil
	}
}

func programsOf(outcomes []chip.Outcome) []replay.Program {
	var list []replay.Program
	for i := range outcomes {
		o := &outcomes[i]
		list = append(list, replay.Program{
			Name: o.Name, Core: o.Core, Runs: o.Runs, IPC: o.IPC(),
			Instructions: o.Counters[cpu.Instructions], Cycles: o.Counters[cpu.Cycles],
		})
	}
	return list
}

// checkEvery is the number of events between looks at the context.
const checkEvery = 1 << 14

// Isolated is what a program has done on a machine whose SMs are idle.
type Isolated struct {
	replay.Program
	progress []progress
}

// progress is how far a program is at a cycle of its core, both counted from its start.
type progress struct{ instructions, cycles uint64 }

// progressEvery is the core cycles between two looks at how far programs are.
const progressEvery = 1024

// CyclesOf is how many cycles the program takes for the first so many of its
// instructions. A run that was cut off elsewhere is compared with the same part of it.
// Between two looks it has gone on evenly.
func (p *Isolated) CyclesOf(instructions uint64) uint64 {
	if instructions >= p.Instructions {
		return p.Cycles
	}
	i, _ := slices.BinarySearchFunc(p.progress, instructions, func(a progress, n uint64) int { return cmp.Compare(a.instructions, n) })
	to := progress{p.Instructions, p.Cycles}
	if i < len(p.progress) {
		to = p.progress[i]
	}
	var from progress
	if i > 0 {
		from = p.progress[i-1]
	}
	return from.cycles + (to.cycles-from.cycles)*(instructions-from.instructions)/(to.instructions-from.instructions)
}

// Alone runs programs on the cores of a machine whose SMs are idle until each has
// ended once (section 4.6.3: in isolation). total holds what the chip has counted.
func Alone(ctx context.Context, m *arch.Machine, programs []chip.Program) (list []Isolated, total counters.Set, err error) {
	clocks, err := memory.NewClocks(m)
	if err != nil {
		return nil, total, err
	}
	sets := make([]*counters.Set, m.GPU.SMs)
	for i := range sets {
		sets[i] = new(counters.Set)
	}
	behind, err := memory.New(m, clocks, sets, &total)
	if err != nil {
		return nil, total, err
	}
	k := &kernels{}
	k.shape(m.GPU.SMs)
	c, err := newSystem(m, clocks, behind.Path(), &total, k)
	if err != nil {
		return nil, total, err
	}
	if err := c.StartPrograms(programs); err != nil {
		return nil, total, err
	}
	marks := make([][]progress, len(programs))
	if err := c.untilEnded(ctx, marks); err != nil {
		return nil, total, fmt.Errorf("machine %s: %w", m.Name, err)
	}
	c.Settle(c.core.CyclesUntil(c.now))
	for i, p := range programsOf(c.Outcomes()) {
		list = append(list, Isolated{p, marks[i]})
	}
	return list, total, nil
}

// untilEnded advances the chip until every program has ended once, and then until
// nothing is under way. It marks how far programs are in their first run.
func (c *system) untilEnded(ctx context.Context, marks [][]progress) error {
	stopped := false
	look := clock.Time(progressEvery) * c.cpuPeriod
	for n := 0; ; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		at := c.NextEvent()
		if at == clock.NeverTime {
			break
		}
		if at >= look {
			c.mark(at, marks)
			look = at + progressEvery*c.cpuPeriod
		}
		c.Advance(at)
		if stopped || !c.allEnded() {
			continue
		}
		stopped = true
		if err := c.EndHost(c.core.CyclesUntil(at)); err != nil {
			return err
		}
	}
	if err := cmp.Or(c.cores.Err(), c.programError, c.launches.Stuck()); err != nil {
		return err
	}
	if !stopped || c.InFlight() > 0 {
		return fmt.Errorf("BUG: nothing will ever happen, and %d accesses and instructions are under way:\n%s", c.InFlight(), strings.Join(c.Describe(), "\n"))
	}
	return nil
}

// mark takes down what programs in their first run have done before a time.
func (c *system) mark(at clock.Time, marks [][]progress) {
	for i := range marks {
		n := c.cpuSets[i][cpu.Instructions]
		if c.programs[i].Runs > 0 || len(marks[i]) > 0 && marks[i][len(marks[i])-1].instructions == n || n == 0 {
			continue // what took cycles without instructions is of those that follow
		}
		marks[i] = append(marks[i], progress{n, uint64(c.cores.Now(at))})
	}
}

func (c *system) allEnded() bool {
	for i := range c.programs {
		if c.programs[i].Runs == 0 {
			return false
		}
	}
	return true
}
