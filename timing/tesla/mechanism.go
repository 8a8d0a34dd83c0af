// SPDX-License-Identifier: Apache-2.0

package tesla

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/divergence"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/seam"
)

func init() {
	gpu.Mechanisms.Register(Key, gpu.Mechanism{New: func(*arch.Machine) gpu.Mechanism {
		faults := new(faults)
		return gpu.Mechanism{Memory: withoutMemory, FrontEnds: faults.watch, Failed: faults.first, Divergence: ownWarps}
	}})
}

// faults ends a replay in which a multiprocessor would do what no program wants.
type faults struct{ cores []*multiprocessor }

func (f *faults) watch(_ *arch.Machine, next core.FrontEndBuilder) core.FrontEndBuilder {
	return func(m *arch.Machine, cores []core.Core) ([]core.Driver, error) {
		for _, c := range cores {
			if p, ok := c.(*multiprocessor); ok {
				f.cores = append(f.cores, p)
			}
		}
		return next(m, cores)
	}
}

func (f *faults) first() error {
	for _, p := range f.cores {
		if p.fault != nil {
			return p.fault
		}
	}
	return nil
}

// ownWarps says that warps may issue other instructions than the recorded ones, for their
// lanes may be others. The machine follows the path of every thread, to its end.
func ownWarps(_ *arch.Machine, p divergence.Policy) divergence.Policy {
	p.KeepsInstructions = false
	return p
}

// withoutMemory is the memory path of a machine that has none.
func withoutMemory(*arch.Machine, gpu.MemoryBuilder) gpu.MemoryBuilder {
	return func(*arch.Machine, gpu.Clocks, []*counters.Set, *counters.Set) (seam.Path, error) {
		return seam.Path{MemorySystem: noMemory{}}, nil
	}
}

// noMemory implements seam.MemorySystem.
type noMemory struct{}

func (noMemory) Port(int, seam.Completions) (seam.Entry, error) { return seam.Entry{}, nil }
func (noMemory) Advance(clock.Time)                             {}
func (noMemory) NextEvent() clock.Time                          { return clock.NeverTime }
func (noMemory) InFlight() int                                  { return 0 }
func (noMemory) Describe() []string                             { return nil }
