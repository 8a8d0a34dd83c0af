// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"fmt"
	"strings"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/dispatch"
	"github.com/warptape/warptape/timing/divergence"
	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/memory"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// MemoryBuilder builds a memory system for a machine; sets holds one set of
// counters per SM for what happens in its port, global is for the rest.
type MemoryBuilder func(m *arch.Machine, c Clocks, sets []*counters.Set, global *counters.Set) (seam.Path, error)

// Options choose the parts of a machine that its architecture does not name.
// The zero value builds the baseline.
type Options struct {
	// Memory is nil for the baseline memory system.
	Memory MemoryBuilder
	// FrontEnds is nil for those of the machine's kind of core.
	FrontEnds core.FrontEndBuilder
	// WatchdogCycles without an issued instruction end a replay with an error;
	// zero means DefaultWatchdogCycles.
	WatchdogCycles clock.Cycle
	// IntervalCycles is the length of Run.Intervals in core cycles; zero: none.
	IntervalCycles clock.Cycle
	// Cores let so many processors work on one replay where the machine allows it;
	// the result is the same. One: the caller's only, which runs parts of the machine apart
	// where that pays (team). Zero: the same cycle by cycle.
	Cores int
	// Apart lets them whenever the machine allows it, also when it takes longer: for tests.
	Apart bool
	// Offload is asked before every issue; nil for none.
	Offload seam.Offload
	// Checkpoints, if not nil, gives the number of thread blocks of a launch between
	// two checkpoints (Launch.Checkpoints), zero for none. The machine holds resident
	// of them at a time.
	Checkpoints func(launch, resident int) uint64
	// Lines asks for Run.Lines.
	Lines bool
	// Watcher hears what happens; it may be nil.
	Watcher seam.Watcher
	// EveryCycle calls every front end in every cycle, which must change nothing:
	// the slow twin of the event-driven replay, for tests.
	EveryCycle bool
	// Lower takes the place of lowering.For on machines that lower kernels.
	Lower func(m *arch.Machine, k *trace.Kernel, threads int, together bool) (*core.Lowering, error)
}

// DefaultWatchdogCycles is far beyond any wait that makes sense.
const DefaultWatchdogCycles = 5_000_000

// GPU is a machine that can replay traces, one at a time.
type GPU struct {
	machine    *arch.Machine
	options    Options
	clocks     Clocks
	now        clock.Cycle
	visited    uint64 // cycles in which something happened
	kind       core.Kind
	cores      []core.Core
	drivers    []core.Driver
	wakes      clock.Dues[clock.Cycle] // per driver: the next cycle in which it is called
	memory     seam.Path
	dispatcher seam.Dispatcher
	order      seam.KernelOrder
	divergence seam.Divergence
	lowered    *lowering.Divergence // g.divergence on a machine that lowers kernels, else nil
	ledgers    map[int]*ledger      // by kernel, of those that are lowered
	policy     divergence.Policy
	mechanisms []Mechanism
	failed     []func() error // Mechanism.Failed
	sets       []*counters.Set
	global     *counters.Set

	launches   launches
	clusters   clusterRoom
	bindings   bindings
	sampler    sampler
	depths     seam.DepthWatcher // of queues; it may be nil
	fits       func(int) bool
	team       *team // nil: one core
	everyCycle bool  // Options.EveryCycle
	checked    checked
}

// New assembles the machine m.
func New(m *arch.Machine, o Options) (*GPU, error) {
	g := &GPU{machine: m, options: o, global: new(counters.Set), everyCycle: o.EveryCycle}
	var err error
	if g.kind, err = core.Of(m); err != nil {
		return nil, err
	}
	if why := g.kind.NoKernels; why != "" {
		return nil, fmt.Errorf("%s: %s", m.Name, why)
	}
	if o.Memory == nil {
		g.options.Memory = baselineMemory
	}
	if o.FrontEnds == nil {
		g.options.FrontEnds = g.kind.FrontEnds
	}
	if o.WatchdogCycles <= 0 {
		g.options.WatchdogCycles = DefaultWatchdogCycles
	}
	if m.GPU.SMs < 1 {
		return nil, fmt.Errorf("%s: gpu.sms is %d; a machine has at least one", m.Name, m.GPU.SMs)
	}
	if g.mechanisms, err = mechanismsOf(m); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	for _, x := range g.mechanisms {
		if x.Failed != nil {
			g.failed = append(g.failed, x.Failed)
		}
	}
	g.wrapBuilders()
	if g.clocks, err = memory.NewClocks(m); err != nil {
		return nil, err
	}
	if err := g.choosePolicies(); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	for range m.GPU.SMs {
		g.sets = append(g.sets, new(counters.Set))
	}
	if g.memory, err = g.options.Memory(m, g.clocks, g.sets, g.global); err != nil {
		return nil, err
	}
	g.fits = g.fitsTried
	g.watchMemory()
	if err := g.buildCores(); err != nil {
		return nil, err
	}
	g.clusters = newClusterRoom(g)
	g.team = newTeam(g, o.FrontEnds == nil)
	return g, nil
}

// Memory gives the memory path, mechanisms included, for what runs alongside a replay.
func (g *GPU) Memory() seam.Path { return g.memory }

func (g *GPU) choosePolicies() error {
	build, err := dispatch.Policies.Lookup(g.machine.GPU.Dispatch)
	if err != nil {
		return err
	}
	g.dispatcher = build(g.machine.GPU.SMs)
	order := g.machine.GPU.KernelOrder
	if order == "" {
		order = "leftover"
	}
	buildOrder, err := dispatch.Orders.Lookup(order)
	if err != nil {
		return err
	}
	g.order = buildOrder()
	if g.policy, err = divergence.Policies.Lookup(g.machine.GPU.Divergence); err != nil {
		return err
	}
	if err := g.checkPolicy(); err != nil {
		return err
	}
	g.wrapPolicies()
	g.divergence = g.policy.New()
	if g.machine.GPU.Lowers() {
		g.lowered = lowering.NewDivergence(g.divergence)
		g.divergence = g.lowered
	}
	return nil
}

// checkPolicy refuses a divergence policy on cores that lack its parts. Cores of their own
// warps, which go with SIMT policies, say by themselves which they have.
func (g *GPU) checkPolicy() error {
	if kind := g.machine.GPU.CoreKind(); g.policy.Core != "" && g.policy.Core != kind {
		return fmt.Errorf("gpu.divergence: %s needs cores of the kind %s, and the machine has %s; set it to one of %s, or take %s",
			g.machine.GPU.Divergence, g.policy.Core, kind, strings.Join(divergence.NamesFor(kind), ", "), arch.MachineUnder(g.machine.GPU.Divergence, g.policy.Core))
	}
	return nil
}

func (g *GPU) buildCores() error {
	for i := range g.machine.GPU.SMs {
		s, err := g.kind.New(core.Parts{
			ID: i, Machine: g.machine, Memory: g.memory, Counters: g.sets[i],
			Clock: &g.now, Observer: g, Offload: g.options.Offload,
			Watcher: g.options.Watcher,
		})
		if err != nil {
			return err
		}
		g.cores = append(g.cores, s)
		for _, tell := range g.memory.Entered {
			tell(i, s.Entry())
		}
	}
	var err error
	if g.drivers, err = g.options.FrontEnds(g.machine, g.cores); err != nil {
		return fmt.Errorf("%s: %w", g.machine.Name, err)
	}
	g.wakes = clock.NewDues[clock.Cycle](len(g.drivers))
	for i := range g.drivers {
		for _, s := range g.drivers[i].Cores {
			s.DrivenBy(g.wakes.Alarm(i))
		}
	}
	for i, s := range g.cores {
		if !s.Driven() {
			return fmt.Errorf("BUG: %s: no front end drives SM %d", g.machine.Name, i)
		}
	}
	g.bindings = newBindings(g)
	return nil
}
