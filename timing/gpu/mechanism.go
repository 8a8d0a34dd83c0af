// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"fmt"
	"slices"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/divergence"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// Mechanism is what a mechanism's folder puts into the seams of a machine on
// which its section (arch.RegisterSection) is on. Each function gets what stands
// there without the mechanism and gives what stands there with it; nil leaves a
// seam as it is. Several are put together in the order that their declarations
// give (arch.Declaration).
type Mechanism struct {
	// New, when not nil, makes the mechanism of one machine, whose functions may
	// share state; it takes the place of what was registered.
	New func(m *arch.Machine) Mechanism
	// Memory is the memory path.
	Memory func(m *arch.Machine, next MemoryBuilder) MemoryBuilder
	// FrontEnds builds the front ends.
	FrontEnds func(m *arch.Machine, next core.FrontEndBuilder) core.FrontEndBuilder
	// Dispatcher assigns thread blocks to SMs.
	Dispatcher func(m *arch.Machine, next seam.Dispatcher) seam.Dispatcher
	// Divergence lays out lanes and paths.
	Divergence func(m *arch.Machine, next divergence.Policy) divergence.Policy
	// Arrange compiles a kernel for the machine; sharedBytes is what its thread
	// blocks occupy of an SM's shared memory at most. Nil leaves it as recorded.
	Arrange func(k *trace.Kernel, sharedBytes int) (*core.Arrangement, error)
	// Programs rewrites the kernels of a replay before anything runs: nil for each that stays
	// as it is. Launches use some of the kernels. An error refuses the replay.
	Programs func(m *arch.Machine, kernels []trace.Kernel, launches []trace.Launch) ([]*core.Rewriting, error)
	// Failed is asked after every cycle; an error ends the replay.
	Failed func() error
	// Independent says that what an SM has of the mechanism is its own, and neither that
	// of another SM nor the memory system knows of it. SMs may then run on several
	// cores.
	Independent bool
	// WithoutClusters says why no launch in clusters runs with the mechanism; empty: they do.
	WithoutClusters string
	// Offload executes instructions elsewhere; next may be nil.
	Offload func(m *arch.Machine, next seam.Offload) seam.Offload
	// Lacks says what a kernel lacks for the mechanism to do anything, and is empty when it has
	// that; nil: no kernel lacks anything. It stands where the mechanism is registered, next to
	// New.
	Lacks func(m *arch.Machine, k *trace.Kernel) string
}

// Idle names the mechanisms of a machine for which none of the kernels has what they need, and why
// the first one has not. A replay with them is one without them.
func Idle(m *arch.Machine, kernels []trace.Kernel) ([]string, error) {
	keys, err := m.Assembly()
	if err != nil {
		return nil, err
	}
	var idle []string
	for _, key := range keys {
		mechanism, err := Mechanisms.Lookup(key)
		if err != nil {
			return nil, err
		}
		if mechanism.Lacks == nil || len(kernels) == 0 {
			continue
		}
		why := mechanism.Lacks(m, &kernels[0])
		if why != "" && !slices.ContainsFunc(kernels[1:], func(k trace.Kernel) bool { return mechanism.Lacks(m, &k) == "" }) {
			idle = append(idle, fmt.Sprintf("%s has nothing to do for this trace: kernel %s %s", key, kernels[0].Name, why))
		}
	}
	return idle, nil
}

// Mechanisms are the mechanisms that are linked, by the key of their section.
var Mechanisms = seam.NewRegistry[Mechanism]("mechanism")

// mechanismsOf gives those that are on, the nearest to the baseline first.
func mechanismsOf(m *arch.Machine) ([]Mechanism, error) {
	keys, err := m.Assembly()
	if err != nil {
		return nil, err
	}
	var on []Mechanism
	for _, key := range keys {
		mechanism, err := Mechanisms.Lookup(key)
		if err != nil {
			return nil, err
		}
		if mechanism.New != nil {
			mechanism = mechanism.New(m)
		}
		on = append(on, mechanism)
	}
	return on, nil
}

// wrapBuilders puts the mechanisms around the builders of the options.
func (g *GPU) wrapBuilders() {
	for _, x := range g.mechanisms {
		if x.Memory != nil {
			g.options.Memory = x.Memory(g.machine, g.options.Memory)
		}
		if x.FrontEnds != nil {
			g.options.FrontEnds = x.FrontEnds(g.machine, g.options.FrontEnds)
		}
		if x.Offload != nil {
			g.options.Offload = x.Offload(g.machine, g.options.Offload)
		}
	}
}

// rewrite lets the mechanisms change kernels; one of them may.
func (g *GPU) rewrite(kernels []trace.Kernel, launches []trace.Launch) ([]*core.Rewriting, error) {
	list := make([]*core.Rewriting, len(kernels))
	for _, x := range g.mechanisms {
		if x.Programs == nil {
			continue
		}
		changed, err := x.Programs(g.machine, kernels, launches)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.machine.Name, err)
		}
		for k, r := range changed {
			if r != nil && list[k] != nil {
				return nil, fmt.Errorf("%s: two mechanisms would both rewrite kernel %s: leave one of them out", g.machine.Name, kernels[k].Name)
			}
			if r != nil {
				list[k] = r
			}
		}
	}
	return list, nil
}

// wrapPolicies puts the mechanisms around dispatch and divergence.
func (g *GPU) wrapPolicies() {
	for _, x := range g.mechanisms {
		if x.Dispatcher != nil {
			g.dispatcher = x.Dispatcher(g.machine, g.dispatcher)
		}
		if x.Divergence != nil {
			g.policy = x.Divergence(g.machine, g.policy)
		}
	}
}

// program decodes a kernel as it has been rewritten or lowered, or as the mechanisms
// arrange it; at most one of them may.
func (g *GPU) program(k *trace.Kernel, changed core.Compilation, base uint64, sharedBytes int) (core.Program, error) {
	if changed.Rewriting != nil || changed.Lowering != nil {
		return g.kind.Compile(g.machine, k, changed, base)
	}
	for _, x := range g.mechanisms {
		if x.Arrange == nil {
			continue
		}
		a, err := x.Arrange(k, sharedBytes)
		if err != nil {
			return nil, err
		}
		if a != nil {
			return g.kind.Compile(g.machine, k, core.Compilation{Arrangement: a}, base)
		}
	}
	return g.kind.Compile(g.machine, k, core.Compilation{}, base)
}

// sharedUse is, by kernel, what the thread blocks of its launches occupy of an SM's
// shared memory at most.
func sharedUse(kernels int, launches []trace.Launch, occupancy []core.Occupancy) []int {
	use := make([]int, kernels)
	for i := range launches {
		o := &occupancy[i]
		use[launches[i].Kernel] = max(use[launches[i].Kernel], o.Blocks*o.Need.SharedBytes)
	}
	return use
}
