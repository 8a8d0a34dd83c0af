// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"math"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
)

// Clocks are the clock domains of a machine in their common base unit.
type Clocks struct {
	Core, Network, L2, DRAM clock.Domain
	// Others are those that mechanisms bring (arch.Clocked), in order of their keys.
	Others []clock.Domain
}

// Named gives the domain that a mechanism has brought under a name; false without
// one.
func (c *Clocks) Named(name string) (clock.Domain, bool) {
	for _, d := range c.Others {
		if d.Name == name {
			return d, true
		}
	}
	return clock.Domain{}, false
}

// NewClocks derives the domains from a machine's frequencies.
func NewClocks(m *arch.Machine) (Clocks, error) {
	names := []string{"core", "network", "l2", "dram"}
	frequencies := []float64{m.Clocks.CoreMHz, m.Clocks.NetworkMHz, m.Clocks.L2MHz, m.Clocks.DRAMMHz}
	for _, key := range m.Mechanisms() {
		if s, ok := m.Section(key).(arch.Clocked); ok {
			name, mhz := s.Clock()
			names, frequencies = append(names, name), append(frequencies, mhz)
		}
	}
	khz := make([]uint64, len(names))
	for i, mhz := range frequencies {
		if !(mhz > 0 && mhz < 1e6) {
			return Clocks{}, fmt.Errorf("machine %s: %g MHz is not a clock frequency", m.Name, mhz)
		}
		khz[i] = uint64(math.Round(mhz * 1000))
	}
	d, err := clock.Domains(names, khz)
	if err != nil {
		return Clocks{}, fmt.Errorf("machine %s: %w", m.Name, err)
	}
	return Clocks{Core: d[0], Network: d[1], L2: d[2], DRAM: d[3], Others: d[4:]}, nil
}

// edges are the edges of the domains around the present.
type edges struct{ core, network, l2, dram clock.Edges }

func (c *Clocks) edges() edges {
	return edges{core: c.Core.Edges(), network: c.Network.Edges(), l2: c.L2.Edges(), dram: c.DRAM.Edges()}
}
