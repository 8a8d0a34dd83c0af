// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/timing/consistency"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/cpu/process"
	"github.com/warptape/warptape/timing/eesi"
	"github.com/warptape/warptape/timing/memory"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/tinycache"
)

// lanesEach is the lanes of an SM.
const lanesEach = eesi.Lanes

// Chip is the lanes of a machine and what lies behind them. It runs once.
type Chip struct {
	name     string
	section  *eesi.Section
	system   *memory.System
	period   clock.Time
	lanes    []lane
	groups   []group
	behind   behind
	calendar calendar
	check    *consistency.Checker
	keepsOld bool // a fault, for tests: tinyCaches keep what they hold
	global   counters.Set
	due      Cycle // of SMs and the L2
	now      Cycle
	left     int

	l1Latency, l2Latency, codeLatency, tinyLatency Cycle
	redirect, decode                               Cycle
	fetchGroup, mshrs                              int
}

// Has reports whether a machine has lanes with their own fetch.
func Has(m *arch.Machine) bool {
	s, ok := m.Section(eesi.Key).(*eesi.Section)
	return ok && s.On() && s.LaneCores(m)
}

// New builds the lanes of a machine; the error says what it lacks.
func New(m *arch.Machine) (*Chip, error) {
	if !Has(m) {
		return nil, fmt.Errorf("machine %s has no lanes with their own fetch: CPU programs run on eesi, and on the cores of gpsim-soc+cpu", m.Name)
	}
	data, ok := m.Section(tinycache.Key).(*tinycache.Section)
	switch {
	case !ok || !data.On():
		return nil, fmt.Errorf("machine %s has no tinyCaches, in which the stores of a CPU program's threads wait; take eesi, or put the overlay tinycache on it", m.Name)
	case m.LLC.Bytes == 0 || m.L2.Partitions != 1 || m.L2.SlicesPerPartition != 1:
		return nil, fmt.Errorf("machine %s has %d memory partitions, %d L2 slices in each and %d bytes of last-level cache; CPU programs on lanes need one of each: take eesi", m.Name, m.L2.Partitions, m.L2.SlicesPerPartition, m.LLC.Bytes)
	case m.GPU.SMs > coherence.MaxAgents:
		return nil, fmt.Errorf("machine %s has %d SMs; CPU programs run on at most %d: set gpu.sms", m.Name, m.GPU.SMs, coherence.MaxAgents)
	}
	for _, x := range []struct {
		key   string
		bytes int
	}{{"l1.line_bytes", m.L1.LineBytes}, {"instruction_cache.line_bytes", m.Instruction.LineBytes}, {"l2.slice.line_bytes", m.L2.Slice.LineBytes}, {"tinycache.line_bytes", data.LineBytes}} {
		if x.bytes != lineBytes {
			return nil, fmt.Errorf("machine %s: %s is %d, and CPU programs on lanes need lines of %d bytes everywhere: set it to %d", m.Name, x.key, x.bytes, lineBytes, lineBytes)
		}
	}
	clocks, err := memory.NewClocks(m)
	if err != nil {
		return nil, err
	}
	s := m.Section(eesi.Key).(*eesi.Section)
	c := &Chip{
		name: m.Name, section: s, period: clocks.Core.Period, due: never,
		l1Latency: Cycle(m.L1.LatencyCycles), codeLatency: Cycle(m.Instruction.LatencyCycles), tinyLatency: Cycle(data.LatencyCycles),
		l2Latency: Cycle((clock.Time(m.L2.Slice.LatencyCycles)*clocks.L2.Period + clocks.Core.Period - 1) / clocks.Core.Period),
		redirect:  Cycle(s.ReadCycles + m.SM.DecodeCycles), decode: Cycle(m.SM.DecodeCycles),
		fetchGroup: min(m.SM.FetchWidth, m.SM.InstructionBuffer), mshrs: max(m.L1.MSHRs, 1),
	}
	if longest := 2*c.l1Latency + c.l2Latency + c.codeLatency; longest >= calendarCycles {
		return nil, fmt.Errorf("machine %s: the latencies of L1, L2 and instruction cache are %d cycles together, and CPU programs on lanes need less than %d", m.Name, longest, calendarCycles)
	}
	c.groups = make([]group, m.GPU.SMs)
	sets := make([]*counters.Set, m.GPU.SMs)
	for i := range c.groups {
		g := &c.groups[i]
		sets[i] = new(counters.Set)
		*g = group{chip: c, number: i, set: sets[i], requests: ring.New[request](lanesEach), granted: ring.New[grant](8), data: newCache(m.L1.Bytes/lineBytes, m.L1.Ways)}
		g.code = codeSide{group: g, lines: newCache(m.Instruction.Bytes/lineBytes, m.Instruction.Ways)}
	}
	if c.system, err = memory.New(m, clocks, sets, &c.global); err != nil {
		return nil, err
	}
	c.behind = behind{
		chip: c, lines: newCache(m.L2.Slice.Bytes/lineBytes, m.L2.Slice.Ways), directory: coherence.New(m.GPU.SMs),
		queue: ring.New[fetch](8), reads: ring.New[uint32](8), writes: ring.New[uint64](8),
	}
	c.behind.lower = c.system.JoinLastLevel(0, &c.behind)
	c.makeLanes(s, data)
	return c, nil
}

func (c *Chip) makeLanes(s *eesi.Section, data *tinycache.Section) {
	c.lanes = make([]lane, len(c.groups)*lanesEach)
	for i := range c.lanes {
		l := &c.lanes[i]
		*l = lane{
			chip: c, number: i, group: &c.groups[i/lanesEach], counts: new(counters.Set), due: never,
			data: newCache(data.Entries, data.Ways), loads: make([]load, s.MemoryQueue),
		}
		if s.TinyLines > 0 {
			l.code = newCache(s.TinyLines*s.TinyLineBytes/lineBytes, min(s.TinyWays, s.TinyLines*s.TinyLineBytes/lineBytes))
		}
	}
}

// Check has what threads see compared with what release consistency allows. Programs are
// of one process of n threads then.
func (c *Chip) checked(p *process.Process) {
	c.check = consistency.New(p.Threads())
	p.Watch(c.check.Event)
	c.behind.memory = map[uint64]values{}
}

// atomic does an atomic access for the checker, when the line is the L1's own.
func (c *Chip) atomic(r *request, at *line) {
	k := c.check
	if k == nil {
		return
	}
	l := &c.lanes[r.lane]
	want, ordered, left := k.Atomic(l.thread, r.ip, r.address)
	a := access{address: r.address, want: want, ordered: ordered}
	l.saw(&a, at.values)
	at.values[grain(r.address)] = left
}

func (l *lane) countBeyond() { l.counts[cpu.L2Misses]++ }

func (c *Chip) wakeGroups(at Cycle) { c.due = min(c.due, max(at, c.now)) }

// after is the first cycle after a time.
func (c *Chip) after(t clock.Time) Cycle { return Cycle(t/c.period) + 1 }
