// SPDX-License-Identifier: Apache-2.0

// Package chip is a chip of CPU cores without a GPU's part. The cores of timing/cpu
// are over the last-level cache and memory of a machine (timing/memory), with a
// directory of their lines and page walks by the core that misses. It replays CPU
// threads alone, as the isolated runs of the GPSim thesis (§4.6.3).
package chip

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/memory"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/tlb"
)

// Chip is the cores of a machine with what lies beyond them. It implements cpu.Chip
// and seam.Upper. Its own events are at edges of the L2 clock.
type Chip struct {
	section *cpu.Section
	system  *memory.System
	cluster *cpu.Cluster
	lower   seam.Lower
	domain  clock.Domain // of the last-level cache
	probe   clock.Time   // of a lookup of the directory and a core's probe
	now     clock.Time
	due     clock.Time

	cores     []*counters.Set // per core
	global    *counters.Set   // of what belongs to none
	directory *coherence.Directory
	inputs    []input
	turn      int // the core whose request is taken next
	orders    []order
	waiting   ring.Ring[uint32] // orders of busy lines
	again     ring.Ring[uint32] // orders of lines that were busy
	below     ring.Ring[beneath]
	probed    ring.Ring[timed]
	refused   bool // the last-level cache has no room

	pages   *tlb.PageTable
	asked   ring.Ring[cpu.Translation]
	walks   []cpu.Translation // by token
	free    []uint32          // tokens
	handled ring.Ring[uint32]
	path    []uint64

	ended    func(now clock.Time, core int) // nil without a listener
	stopping bool
	err      error
}

// input is a core's requests that have not been looked at.
type input struct {
	requests ring.Ring[cpu.Request]
	refused  bool
}

// inputRequests is how many of a core's may wait.
const inputRequests = 8

// order is a request whose answer is under way.
type order struct {
	request cpu.Request
	grant   coherence.State
	active  bool
}

// beneath is what the last-level cache is to be given.
type beneath struct {
	address uint64
	order   uint32
	write   bool
}

// timed is an order that ends at a time.
type timed struct {
	at    clock.Time
	order uint32
}

// maxBelow accesses may wait for the last-level cache before requests do.
const maxBelow = 8

// walksEach is more than the pages that a core may wait for.
const walksEach = 32

// New builds the chip of a machine with cores, one memory partition and a last-level
// cache; the error says what it lacks.
func New(m *arch.Machine) (*Chip, error) {
	s := cpu.Of(m)
	switch {
	case s == nil:
		return nil, fmt.Errorf("machine %s has no CPU cores, which the overlay cpu gives to one with a last-level cache", m.Name)
	case m.LLC.Bytes == 0 || m.L2.Partitions != 1:
		return nil, fmt.Errorf("machine %s has %d memory partitions and %d bytes of last-level cache; CPU cores need one partition with one, as gpsim-soc+cpu has", m.Name, m.L2.Partitions, m.LLC.Bytes)
	}
	clocks, err := memory.NewClocks(m)
	if err != nil {
		return nil, err
	}
	domain, ok := clocks.Named(cpu.Key)
	if !ok {
		return nil, fmt.Errorf("BUG: machine %s: the CPU cores bring no clock", m.Name)
	}
	sms := make([]*counters.Set, m.GPU.SMs)
	for i := range sms {
		sms[i] = new(counters.Set)
	}
	c := &Chip{section: s, domain: clocks.L2, due: clock.NeverTime, global: new(counters.Set), directory: coherence.New(s.Cores)}
	if c.system, err = memory.New(m, clocks, sms, c.global); err != nil {
		return nil, err
	}
	if c.pages, err = tlb.NewPageTable(s.PageBytes); err != nil {
		return nil, err
	}
	for range s.Cores {
		c.cores = append(c.cores, new(counters.Set))
	}
	if c.cluster, err = cpu.NewCluster(m, domain, c, c.cores); err != nil {
		return nil, err
	}
	c.lower = c.system.JoinLastLevel(0, c)
	c.probe = clock.Time(m.LLC.LatencyCycles)*clocks.L2.Period + clock.Time(s.ProbeCycles)*domain.Period
	c.inputs = make([]input, s.Cores)
	for i := range c.inputs {
		c.inputs[i].requests = ring.New[cpu.Request](inputRequests)
	}
	c.orders = make([]order, s.Cores*s.Misses)
	c.waiting, c.again = ring.New[uint32](len(c.orders)), ring.New[uint32](len(c.orders))
	c.below, c.probed = ring.New[beneath](2*maxBelow), ring.New[timed](len(c.orders))
	c.asked = ring.New[cpu.Translation](s.Cores * walksEach)
	c.walks = make([]cpu.Translation, s.Cores*walksEach)
	for i := range c.walks {
		c.free = append(c.free, uint32(len(c.walks)-1-i))
	}
	c.handled = ring.New[uint32](len(c.walks))
	return c, nil
}

// edge is the first edge of the chip after a time.
func (c *Chip) edge(t clock.Time) clock.Time { return (t/c.domain.Period + 1) * c.domain.Period }

func (c *Chip) wake(at clock.Time) { c.due = min(c.due, at) }

// advance processes the chip's own events up to and including t; those of cores and
// memory are not among them.
func (c *Chip) advance(t clock.Time) {
	for c.due <= t {
		c.now, c.due = c.due, clock.NeverTime
		c.step()
	}
}

// step does one cycle.
func (c *Chip) step() {
	c.beginWalks()
	c.endWalks()
	for c.probed.Len() > 0 && c.probed.Head().at <= c.now {
		c.grant(c.now, c.probed.Pop().order)
	}
	busy := c.pass()
	busy = c.take() || busy
	if busy {
		c.wake(c.edge(c.now))
	}
	if c.probed.Len() > 0 {
		c.wake(max(c.probed.Head().at, c.edge(c.now)))
	}
}

// Done implements cpu.Chip.
func (c *Chip) Done(now clock.Time, core int, _ cpu.Job) {
	if c.ended != nil {
		c.ended(now, core)
	}
}

var (
	_ cpu.Chip   = (*Chip)(nil)
	_ seam.Upper = (*Chip)(nil)
)
