// SPDX-License-Identifier: Apache-2.0

package soc

import (
	"errors"
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/cpu/chip"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/tlb"
)

// system is the memory path of SMs and cores; it implements seam.MemorySystem for the
// SMs and cpu.Chip for the cores. What it does itself it does at edges of the L2's
// clock.
type system struct {
	seam.MemorySystem // behind
	lastLevel         seam.LastLevel
	l2Cleaner         seam.L2Cleaner
	section           *Section
	cpu               *cpu.Section
	core              clock.Domain // of SMs
	l2                clock.Domain
	counts            *counters.Set
	// cpuPeriod is that of the cores' clock.
	cpuPeriod clock.Time
	now       clock.Time
	due       clock.Time

	cores     *cpu.Cluster
	cpuSets   []counters.Set       // of each core
	cpuTold   []counters.Set       // what of them counts has
	directory *coherence.Directory // of the cores' lines, and one agent for all SMs
	coherent  *smDirectory         // of the SMs' L1s; nil: they are not coherent
	pages     *tlb.PageTable
	layout    layout
	sms       *unit   // translates for the SMs' L2; nil: their own TLBs do
	processor *unit   // translates for the cores
	units     []*unit // all, by number
	handled   []uint32
	walk      []uint64 // scratch
	waiters   []uint32 // scratch

	misses   missPath
	requests requestPath
	ports    []*port
	flushes  flushes
	kernels  *kernels
	// held has what SMs may have of each frame. An epoch ends when no kernel runs, and
	// no SM has lines.
	held  []holding
	epoch uint32
	host  host
	// programs are those of others, on the first cores.
	programs     []chip.Outcome
	launches     chip.Launches
	programError error // what a process says
	stopped      bool
}

func newChip(m *arch.Machine, c gpu.Clocks, behind seam.Path, global *counters.Set, k *kernels) (seam.Path, error) {
	if behind.LastLevel == nil || behind.L2Cleaner == nil {
		return seam.Path{}, fmt.Errorf("machine %s: the memory path has no last-level cache that cores could share; replay without %s or with the baseline's memory path", m.Name, Key)
	}
	x, err := newSystem(m, c, behind, global, k)
	if err != nil {
		return seam.Path{}, err
	}
	path := behind.In(x)
	path.LastLevel, path.L2Cleaner, path.Offloaders = nil, nil, nil
	path.HostSteps, path.LaunchEnder = x, x
	path.Entered = append(path.Entered, x.entered)
	return path, nil
}

func newSystem(m *arch.Machine, c gpu.Clocks, behind seam.Path, global *counters.Set, k *kernels) (*system, error) {
	domain, ok := c.Named(cpu.Key)
	if !ok {
		return nil, fmt.Errorf("BUG: soc: machine %s has no clock of cores", m.Name)
	}
	s := m.Section(Key).(*Section)
	x := &system{
		MemorySystem: behind.MemorySystem, lastLevel: behind.LastLevel, l2Cleaner: behind.L2Cleaner, section: s, cpu: cpu.Of(m), core: c.Core, l2: c.L2, counts: global, due: clock.NeverTime, kernels: k, epoch: 1,
		cpuPeriod: domain.Period,
	}
	var err error
	if x.pages, err = tlb.NewPageTable(x.cpu.PageBytes); err != nil {
		return nil, fmt.Errorf("machine %s: cpu.page_bytes: %w", m.Name, err)
	}
	x.layout = newLayout(x.cpu.PageBytes)
	if err := x.buildUnits(m.GPU.SMs); err != nil {
		return nil, fmt.Errorf("machine %s: %s.tlb_ways: %w", m.Name, Key, err)
	}
	x.directory = coherence.New(x.cpu.Cores + 1)
	if s.Coherence && m.L1.Bytes > 0 {
		x.coherent = &smDirectory{x, coherence.New(m.GPU.SMs)}
	}
	x.cpuSets, x.cpuTold = make([]counters.Set, x.cpu.Cores), make([]counters.Set, x.cpu.Cores)
	var sets []*counters.Set
	for i := range x.cpuSets {
		sets = append(sets, &x.cpuSets[i])
	}
	if x.cores, err = cpu.NewCluster(m, domain, x, sets); err != nil {
		return nil, err
	}
	x.requests = newRequestPath(x)
	x.misses = newMissPath(x)
	x.host = newHost(x)
	return x, nil
}

// count adds to one of the mechanism's counters.
func (c *system) count(id counters.ID) { c.counts[counts+id]++ }

// wake makes the chip due at its next edge after a time.
func (c *system) wake(now clock.Time) { c.wakeIn(now, 1) }

// wakeIn makes the chip due so many cycles after a time, and gives that edge.
func (c *system) wakeIn(now clock.Time, cycles int) clock.Time {
	at := (now/c.l2.Period + clock.Time(cycles)) * c.l2.Period
	c.due = min(c.due, at)
	return at
}

// Advance implements seam.MemorySystem.
func (c *system) Advance(t clock.Time) {
	for {
		next := c.NextEvent()
		if next > t {
			break
		}
		c.now = max(c.now, next)
		if c.MemorySystem.NextEvent() <= next {
			c.MemorySystem.Advance(next)
		}
		if c.due <= next {
			c.due = clock.NeverTime
			c.step()
		}
		if c.cores.NextEvent() <= next {
			c.cores.Advance(next)
		}
	}
	c.MemorySystem.Advance(t)
	c.now = max(c.now, t)
}

// Settle implements seam.HostSteps: the cores' counters come to the chip's.
func (c *system) Settle(now clock.Cycle) {
	c.cores.Settle(c.core.Start(now))
	for i := range c.cpuSets {
		c.counts.Add(&c.cpuSets[i])
		c.counts.Sub(&c.cpuTold[i])
		c.cpuTold[i] = c.cpuSets[i]
	}
}

// NextEvent implements seam.MemorySystem.
func (c *system) NextEvent() clock.Time {
	return min(c.MemorySystem.NextEvent(), c.due, c.cores.NextEvent())
}

// step does a cycle of the chip's own.
func (c *system) step() {
	c.endWalks()
	c.misses.step(c.now)
	c.requests.step(c.now)
	c.flushes.step(c)
}

// Port implements seam.MemorySystem.
func (c *system) Port(sm int, to seam.Completions) (seam.Entry, error) {
	p := newPort(c, sm, to)
	behind, err := c.MemorySystem.Port(sm, p)
	if err != nil {
		return seam.Entry{}, err
	}
	if behind.Cleaner == nil {
		return seam.Entry{}, errors.New("soc: the SM's caches cannot be made to write lines back; use a memory path with seam.Entry.Cleaner")
	}
	p.Port, p.cleaner = behind.Port, behind.Cleaner
	if c.coherent != nil {
		p.cleaner.Listen(c.coherent)
	}
	c.ports = append(c.ports, p)
	entry := behind.Behind(p)
	entry.Early, entry.Offloader = nil, nil // they would pass the translation
	return entry, nil
}

// entered takes the finished entry of an SM: what is recalled from the SM is recalled
// from all that stands in front of the L1, too.
func (c *system) entered(sm int, front seam.Entry) { c.ports[sm].front = front.Cleaner }

// InFlight implements seam.MemorySystem. Cores that have no end of their own, those
// of other processes, do not count.
func (c *system) InFlight() int {
	n := c.MemorySystem.InFlight() + c.misses.inside() + c.flushes.inside() + len(c.handled)
	for _, u := range c.units {
		n += u.walks.Under()
	}
	for _, p := range c.ports {
		n += p.inside()
	}
	return n + c.requests.inside() + c.cores.InFlight()
}

// Describe implements seam.MemorySystem.
func (c *system) Describe() []string {
	out := c.cores.Describe()
	if n := c.misses.inside(); n > 0 {
		out = append(out, fmt.Sprintf("shared TLB: %d accesses of the SMs' L2 wait for it, %d for the last-level cache, of %d", c.misses.lookups.Len(), c.misses.ready.Len(), n))
	}
	if n := c.requests.inside(); n > 0 {
		out = append(out, fmt.Sprintf("directory: %d requests of cores, %d of them wait for a line", n, c.requests.blocked.Len()))
	}
	for _, u := range c.units {
		if n := u.walks.Under(); n > 0 {
			out = append(out, fmt.Sprintf("TLB %d: %d page walks", u.number, n))
		}
	}
	if n := c.flushes.inside(); n > 0 {
		sms := 0
		for i := range c.flushes.list {
			if f := &c.flushes.list[i]; f.active && f.ports > 0 {
				sms++
			}
		}
		out = append(out, fmt.Sprintf("%d pages and kernels are written back: %d by L1s, the others by the L2", n, sms))
	}
	return append(out, c.MemorySystem.Describe()...)
}

var (
	_ seam.MemorySystem = (*system)(nil)
	_ seam.HostSteps    = (*system)(nil)
	_ seam.LaunchEnder  = (*system)(nil)
	_ cpu.Chip          = (*system)(nil)
)
