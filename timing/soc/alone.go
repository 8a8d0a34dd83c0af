package soc

import (
	"context"
	"fmt"
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
func Beside(open func(m *arch.Machine) ([]chip.Program, error)) func(*arch.Machine, seam.MemorySystem) (func(*replay.Result), error) {
	return func(m *arch.Machine, path seam.MemorySystem) (func(*replay.Result), error) {
		to, ok := path.(Programs)
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

// Alone runs programs on the cores of a machine whose SMs are idle until each has
// ended once (section 4.6.3: in isolation). total holds what the chip has counted.
func Alone(ctx context.Context, m *arch.Machine, programs []chip.Program) (list []replay.Program, total counters.Set, err error) {
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
	path, err := newChip(m, clocks, behind, &total, k)
	if err != nil {
		return nil, total, err
	}
	c := path.(*system)
	if err := c.StartPrograms(programs); err != nil {
		return nil, total, err
	}
	if err := c.untilEnded(ctx); err != nil {
		return nil, total, fmt.Errorf("machine %s: %w", m.Name, err)
	}
	c.Settle(c.core.CyclesUntil(c.now))
	return programsOf(c.Outcomes()), total, nil
}

// untilEnded advances the chip until every program has ended once, and then until
// nothing is under way.
func (c *system) untilEnded(ctx context.Context) error {
	stopped := false
	for n := 0; ; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		at := c.NextEvent()
		if at == clock.NeverTime {
			break
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
	if err := c.cores.Err(); err != nil {
		return err
	}
	if !stopped || c.InFlight() > 0 {
		return fmt.Errorf("BUG: nothing will ever happen, and %d accesses and instructions are under way:\n%s", c.InFlight(), strings.Join(c.Describe(), "\n"))
	}
	return nil
}

func (c *system) allEnded() bool {
	for i := range c.programs {
		if c.programs[i].Runs == 0 {
			return false
		}
	}
	return true
}
