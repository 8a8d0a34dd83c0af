// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"context"
	"fmt"
	"strings"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/cpu/chip"
	"github.com/warptape/warptape/timing/cpu/process"
)

// Options of a replay.
type Options struct {
	// Check compares what each load sees with what release consistency allows.
	Check bool
}

// checkEvery is the number of cycles between looks at the context.
const checkEvery = 1 << 14

// Run replays the threads of one process, one on each lane, from SM to SM in turn, until
// all have ended. The figures of the result are those of cores. L1 misses are what a
// lane's tinyCache lacks, L2 misses what the L1 of its SM does, and mispredicted
// branches those that are taken.
func (c *Chip) Run(ctx context.Context, programs []chip.Program, o Options) (*chip.Result, error) {
	if err := c.Admit(programs); err != nil {
		return nil, err
	}
	p := programs[0].Process
	r := &chip.Result{Programs: make([]chip.Outcome, len(programs))}
	if o.Check && p != nil {
		c.checked(p)
	}
	on := make([]*lane, len(programs))
	for i := range programs {
		l := &c.lanes[i%len(c.groups)*lanesEach+i/len(c.groups)]
		on[i] = l
		l.start(programs[i].Stream, p, programs[i].Thread)
	}
	if p != nil {
		p.Wake(func(thread int) { on[thread].released(c.now + 1) })
	}
	c.left = len(programs)
	if err := c.replay(ctx, p); err != nil {
		return nil, err
	}
	if err := c.checkedResult(); err != nil {
		return nil, err
	}
	for i, l := range on {
		r.Programs[i] = chip.Outcome{Name: programs[i].Name, Core: l.number, Counters: *l.counts, Runs: 1}
		r.Cycles = max(r.Cycles, cpu.Cycle(l.counts[cpu.Cycles]))
	}
	c.total(r, on)
	return r, nil
}

// Admit refuses what lanes do not run.
func (c *Chip) Admit(programs []chip.Program) error {
	for i := range programs {
		if programs[i].Process != programs[0].Process || len(programs) > 1 && programs[i].Process == nil {
			return fmt.Errorf("machine %s: %s and %s are not of one process, and lanes have no address spaces to keep them apart; replay them one by one, or on cores", c.name, programs[0].Name, programs[max(i, min(1, len(programs)-1))].Name)
		}
	}
	if len(programs) == 0 || len(programs) > len(c.lanes) {
		return fmt.Errorf("machine %s: %d threads on %d lanes: there must be at least one, and a lane for each; take more SMs (gpu.sms), or a program of fewer threads", c.name, len(programs), len(c.lanes))
	}
	return nil
}

// total adds up what lanes, SMs and memory have done. What lanes count as cores do is
// in the outcomes.
func (c *Chip) total(r *chip.Result, on []*lane) {
	r.Total = c.global
	for i := range c.groups {
		r.Total.Add(c.groups[i].set)
	}
	for _, l := range on {
		for _, id := range []counters.ID{cpu.Instructions, cpu.Cycles, cpu.Syncs, cpu.Loads, cpu.Stores} {
			r.Total[id] += l.counts[id]
		}
	}
}

// checkedResult is what the checker has found.
func (c *Chip) checkedResult() error {
	if c.check == nil {
		return nil
	}
	if n, first := c.check.Races(); n > 0 {
		return fmt.Errorf("machine %s: the program has races, and what it computes depends on time: %d accesses, the first is: %s; order them with a lock, a barrier or an atomic access, or replay without the check", c.name, n, first)
	}
	return c.check.Err()
}

// ended takes note that a lane has done all.
func (c *Chip) ended(l *lane) {
	c.left--
	if l.process != nil {
		l.process.End(l.thread)
	}
}

// replay goes from event to event until all threads have ended and nothing is under way.
func (c *Chip) replay(ctx context.Context, p *process.Process) error {
	for n := 0; ; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		now := c.next()
		if now == never {
			break
		}
		c.system.Advance(clock.Time(now) * c.period)
		c.cycle(now)
		for i := range c.lanes {
			if err := c.lanes[i].err; err != nil {
				return fmt.Errorf("machine %s: thread on lane %d: %w", c.name, i, err)
			}
		}
	}
	if p != nil {
		if err := p.Err(); err != nil {
			return err
		}
		if err := p.Stuck(); err != nil {
			return err
		}
	}
	if n := c.inFlight(); n > 0 || c.left > 0 {
		return fmt.Errorf("BUG: machine %s: nothing will ever happen, %d threads have not ended, and %d accesses are under way:\n%s", c.name, c.left, n, strings.Join(c.system.Describe(), "\n"))
	}
	return nil
}

// next is the next cycle in which anything happens.
func (c *Chip) next() Cycle {
	at := min(c.due, c.calendar.next(c.now+1))
	for i := range c.lanes {
		at = min(at, c.lanes[i].due)
	}
	if t := c.system.NextEvent(); t != clock.NeverTime {
		at = min(at, Cycle((t+c.period-1)/c.period))
	}
	if at == never {
		return never
	}
	return max(at, c.now+1)
}

// cycle does one cycle: what comes, then the caches, then the lanes in their order.
func (c *Chip) cycle(now Cycle) {
	c.now = now
	day := &c.calendar.days[now%calendarCycles]
	for i := 0; i < len(*day); i++ {
		c.happen(now, &(*day)[i])
	}
	c.calendar.count -= len(*day)
	*day = (*day)[:0]
	if c.due <= now {
		c.due = never
		c.behind.cycle(now)
		for i := range c.groups {
			c.groups[i].cycle(now)
		}
		for i := range c.groups {
			if c.groups[i].busy() {
				c.wakeGroups(now + 1)
			}
		}
		c.due = min(c.due, c.behind.dueAt(now))
	}
	for i := range c.lanes {
		if l := &c.lanes[i]; l.due <= now {
			l.cycle(now)
		}
	}
}

// happen does what an event says.
func (c *Chip) happen(now Cycle, e *event) {
	switch e.kind {
	case eventFilled:
		c.lanes[e.lane].filled(now, e.slot, e.line, e.values)
	case eventWritten:
		c.lanes[e.lane].written(now)
	case eventAtOnce:
		c.lanes[e.lane].doneAtOnce(now, e.slot)
	case eventCode:
		for i := range lanesEach {
			if e.lanes>>i&1 != 0 {
				c.lanes[int(e.lane)*lanesEach+i].codeCame(now, e.line)
			}
		}
	case eventGrant:
		g := &c.groups[e.lane]
		if e.code {
			g.code.come(now, e.line)
			return
		}
		g.granted.Push(grant{e.line, e.state})
		c.wakeGroups(now)
	}
}

// inFlight is the number of accesses under way.
func (c *Chip) inFlight() int {
	n := c.calendar.count + c.behind.queue.Len() + c.behind.reads.Len() + c.behind.writes.Len() + c.system.InFlight()
	for i := range c.groups {
		g := &c.groups[i]
		n += g.requests.Len() + g.granted.Len() + len(g.missing) + len(g.code.waiting) + len(g.code.missing)
	}
	for i := range c.lanes {
		n += c.lanes[i].loading + c.lanes[i].writing
	}
	return n
}
