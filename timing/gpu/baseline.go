// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory"
	"github.com/warptape/warptape/timing/seam"
)

// Clocks are the clock domains of a machine in their common base unit.
type Clocks = memory.Clocks

func baselineMemory(m *arch.Machine, c Clocks, sets []*counters.Set, global *counters.Set) (seam.Path, error) {
	system, err := memory.New(m, c, sets, global)
	if err != nil {
		return seam.Path{}, err
	}
	return system.Path(), nil
}
