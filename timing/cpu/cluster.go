// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"errors"
	"fmt"
	"math"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/cpu/process"
)

// Cluster is the cores of a machine; it implements Answers and Advancer. It is used
// by one goroutine.
type Cluster struct {
	section *Section
	period  clock.Time
	cores   []*core
	due     Cycle
	now     Cycle                      // that is being done, or was last
	places  map[*process.Process][]int // the core of each thread
	// everyCycle calls every core in every cycle while any has something to do: the
	// slow twin, for tests.
	everyCycle bool
}

// KHz is the cores' frequency, for clock.Domains.
func (s *Section) KHz() uint64 { return uint64(math.Round(s.MHz * 1000)) }

// NewCluster makes the idle cores of a machine. domain is their clock in the base
// unit of all clocks of the machine; sets has one set of counters per core. The error
// is that of an impossible section.
func NewCluster(m *arch.Machine, domain clock.Domain, chip Chip, sets []*counters.Set) (*Cluster, error) {
	s := Of(m)
	if s == nil {
		return nil, fmt.Errorf("machine %s has no CPU cores; put the overlay cpu on it", m.Name)
	}
	if len(sets) != s.Cores {
		return nil, fmt.Errorf("BUG: cpu: %d counter sets for %d cores", len(sets), s.Cores)
	}
	var wrong []error
	s.Check(m, func(key, message string) { wrong = append(wrong, fmt.Errorf("%s.%s: %s", Key, key, message)) })
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	x := &Cluster{section: s, period: domain.Period, due: never, places: map[*process.Process][]int{}}
	for i := range s.Cores {
		c, err := newCore(i, s, chip, domain.Period, sets[i])
		if err != nil {
			return nil, err
		}
		x.cores = append(x.cores, c)
	}
	return x, nil
}

// Advance implements Advancer. Cores that are due in the same cycle go in the order
// of their numbers.
func (x *Cluster) Advance(t clock.Time) {
	for x.due != never && clock.Time(x.due)*x.period <= t {
		now := x.due
		x.due, x.now = never, now
		for _, c := range x.cores {
			if c.due <= now || x.everyCycle {
				c.cycle(now)
			}
			if x.everyCycle && (c.busy || c.handler.active) {
				c.due = now + 1
			}
			x.due = min(x.due, c.due)
		}
	}
}

// Now is the number of the cycle at a time.
func (x *Cluster) Now(t clock.Time) Cycle { return Cycle(t / x.period) }

// NextEvent implements Advancer.
func (x *Cluster) NextEvent() clock.Time {
	if x.due == never {
		return clock.NeverTime
	}
	return clock.Time(x.due) * x.period
}

// woken takes note of what a core has been told.
func (x *Cluster) woken(c *core) { x.due = min(x.due, c.due) }

// Translated implements Answers.
func (x *Cluster) Translated(now clock.Time, core int, space Space, virtual, frame uint64, only bool) {
	c := x.cores[core]
	c.translated(space, virtual>>c.pageShift, frame>>c.pageShift, only, c.after(now))
	x.woken(c)
}

// Granted implements Answers.
func (x *Cluster) Granted(now clock.Time, core int, physical uint64, s State) {
	c := x.cores[core]
	c.granted(physical, s, c.after(now))
	x.woken(c)
}

// Room implements Answers.
func (x *Cluster) Room(now clock.Time, core int) {
	c := x.cores[core]
	c.outWaits = false
	c.wake(c.after(now))
	x.woken(c)
}

// Probe implements Answers.
func (x *Cluster) Probe(_ clock.Time, core int, physical uint64, keep State) State {
	return x.cores[core].probe(physical, keep)
}

// ShootDown implements Answers.
func (x *Cluster) ShootDown(_ clock.Time, space Space, virtual uint64) {
	for _, c := range x.cores {
		c.shootDown(space, virtual>>c.pageShift)
	}
}

// Interrupt implements Answers.
func (x *Cluster) Interrupt(now clock.Time, core int, e Exception) {
	c := x.cores[core]
	c.exceptions.Push(e)
	c.wake(c.after(now))
	x.woken(c)
}

// Run implements Answers.
func (x *Cluster) Run(now clock.Time, core int, job Job) {
	c := x.cores[core]
	if c.busy {
		panic(fmt.Sprintf("BUG: cpu: core %d has a job and gets another", core))
	}
	if job.Process != nil {
		x.place(job.Process, job.Thread, core)
	}
	c.begin(Cycle(now/c.period), job)
	x.woken(c)
}

// place notes where a thread runs, for its process to wake it.
func (x *Cluster) place(p *process.Process, thread, core int) {
	if x.places[p] == nil {
		cores := make([]int, p.Threads())
		x.places[p] = cores
		p.Wake(func(thread int) {
			c := x.cores[cores[thread]]
			c.released(x.now + 1)
			x.woken(c)
		})
	}
	x.places[p][thread] = core
}

// Stop implements Answers.
func (x *Cluster) Stop(now clock.Time, core int) {
	c := x.cores[core]
	if c.busy {
		c.stopped, c.ended = true, true
		c.wake(c.after(now))
		x.woken(c)
	}
}

// Idle implements Answers.
func (x *Cluster) Idle(core int) bool { return !x.cores[core].busy }

// Settle counts the cycles up to a time, before counters are read.
func (x *Cluster) Settle(now clock.Time) {
	for _, c := range x.cores {
		if at := Cycle(now / c.period); at > c.since {
			c.settle(at)
		}
	}
}

// Watch has every load, store and fill of a line reported, in the order in which the
// cores perform them.
func (x *Cluster) Watch(watch func(core int, a Act, line uint64)) {
	for _, c := range x.cores {
		c.watch = watch
	}
}

// State is what a core may do with a physical line.
func (x *Cluster) State(core int, line uint64) State {
	if i := x.cores[core].lines.find(line); i >= 0 {
		return x.cores[core].lines.states[i]
	}
	return coherence.Invalid
}

// Uncounted is what a core has done in relaunches, which its own set does not have.
func (x *Cluster) Uncounted(core int) *counters.Set { return &x.cores[core].spare }

// InFlight implements Advancer.
func (x *Cluster) InFlight() int {
	n := 0
	for _, c := range x.cores {
		n += c.rob.count + c.stores.Len() + c.missesUsed + c.out.Len() + c.exceptions.Len()
		if c.handler.active {
			n++
		}
	}
	return n
}

// Err implements Advancer.
func (x *Cluster) Err() error {
	for i, c := range x.cores {
		if c.err != nil {
			return fmt.Errorf("CPU core %d: %w", i, c.err)
		}
	}
	return nil
}

// Describe implements Advancer.
func (x *Cluster) Describe() []string {
	var out []string
	described := map[*process.Process]bool{}
	for _, c := range x.cores {
		if p := c.job.Process; c.busy && p != nil && !described[p] {
			described[p] = true
			out = append(out, p.Describe()...)
		}
	}
	for i, c := range x.cores {
		if !c.busy && c.missesUsed == 0 && !c.handler.active {
			continue
		}
		out = append(out, fmt.Sprintf("CPU core %d: %d instructions in the reorder buffer, %d stores, %d lines under way, %d requests to send (waiting: %v), in an exception: %v",
			i, c.rob.count, c.stores.Len(), c.missesUsed, c.out.Len(), c.outWaits, c.handler.active))
	}
	return out
}

var (
	_ Answers  = (*Cluster)(nil)
	_ Advancer = (*Cluster)(nil)
)
