// SPDX-License-Identifier: Apache-2.0

package soc

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/seam"
)

func init() {
	gpu.Mechanisms.Register(Key, gpu.Mechanism{New: newMechanism})
}

// newMechanism joins the memory path of one machine with its dispatcher, which
// knows which kernel an SM works for.
func newMechanism(*arch.Machine) gpu.Mechanism {
	k := &kernels{}
	return gpu.Mechanism{
		Memory: func(_ *arch.Machine, next gpu.MemoryBuilder) gpu.MemoryBuilder {
			return func(m *arch.Machine, c gpu.Clocks, sets []*counters.Set, global *counters.Set) (seam.Path, error) {
				behind, err := next(m, c, sets, global)
				if err != nil {
					return seam.Path{}, err
				}
				return newChip(m, c, behind, global, k)
			}
		},
		Dispatcher: func(m *arch.Machine, next seam.Dispatcher) seam.Dispatcher {
			k.shape(m.GPU.SMs)
			return &dispatcher{next, k}
		},
	}
}

// dispatcher listens to where thread blocks go.
type dispatcher struct {
	seam.Dispatcher
	kernels *kernels
}

// Next implements seam.Dispatcher.
func (d *dispatcher) Next(now clock.Cycle, launch int, fits func(sm int) bool) int {
	sm := d.Dispatcher.Next(now, launch, fits)
	if sm >= 0 {
		d.kernels.placed(launch, sm)
	}
	return sm
}
