// SPDX-License-Identifier: Apache-2.0

package core

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// Parts is what a core is built from.
type Parts struct {
	ID      int
	Machine *arch.Machine
	Memory  seam.Path
	// Counters is the core's own set, which its memory port shares.
	Counters *counters.Set
	// Clock is the present core cycle, kept by the machine.
	Clock    *clock.Cycle
	Observer Observer
	// Offload is nil on machines without one.
	Offload seam.Offload
	// Watcher may be nil.
	Watcher seam.Watcher
}

// Kind is a kind of core.
type Kind struct {
	// New builds one core, which asks Parts.Memory for its entry.
	New func(Parts) (Core, error)
	// Compile makes the program of a recorded kernel whose first instruction lies at
	// base. The error names the instruction that the cores cannot execute.
	Compile func(m *arch.Machine, recorded *trace.Kernel, c Compilation, base uint64) (Program, error)
	// Occupancy computes the occupancy of a launch of k whose thread blocks have so many
	// hardware warps. A thread block too large for an empty core is an error.
	Occupancy func(m *arch.Machine, k *trace.Kernel, l *trace.Launch, warps int) (Occupancy, error)
	// FrontEnds builds the front ends that the cores have without mechanisms.
	FrontEnds FrontEndBuilder
	// NoKernels says why a machine of this kind executes no kernel, and what to do; empty: it
	// executes kernels. The rest is nil then.
	NoKernels string
	// Clusters says that thread blocks of a cluster meet on the cores (core.Assignment.Cluster).
	// Launches in clusters are refused on others.
	Clusters bool
	// TeslaLanguage says that the cores execute the language of the Tesla-like GPGPU
	// (trace.Kernel.Tesla), and refuse by themselves what would do something else on them.
	// Other cores replay the recorded path.
	TeslaLanguage bool
}

// Kinds are the kinds of core by name.
var Kinds = seam.NewRegistry[Kind]("core")

func init() { Kinds.Open(arch.Word("gpu.core")) }

// Of is the kind of core that a machine describes.
func Of(m *arch.Machine) (Kind, error) {
	kind, err := Kinds.Lookup(m.GPU.CoreKind())
	if err != nil {
		return Kind{}, fmt.Errorf("%s: gpu.core: %w; a program has the kinds whose packages it imports", m.Name, err)
	}
	return kind, nil
}

// Driver is a front end with the cores that it drives; every core has one driver.
type Driver struct {
	seam.FrontEnd
	Cores []Core
	// SlotsPerCycle is how many issue slots a core has in a core cycle; zero: as many as
	// the schedulers of the machine's description. All drivers of a machine have as many.
	SlotsPerCycle int
	// Together tells, of the core at a place in Cores, with which of them it issues the
	// same instructions in the same cycles at present. It gives count of them from the
	// first on. Nil: each for itself.
	Together func(place int) (first, count int)
}

// FrontEndBuilder builds the front ends of a machine for its cores.
type FrontEndBuilder func(m *arch.Machine, cores []Core) ([]Driver, error)
