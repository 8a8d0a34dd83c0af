// SPDX-License-Identifier: Apache-2.0

package tinycache

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/seam"
)

func init() {
	gpu.Mechanisms.Register(Key, gpu.Mechanism{Memory: wrap, Independent: true})
}

// wrap puts tinyCaches in front of a memory system.
func wrap(m *arch.Machine, next gpu.MemoryBuilder) gpu.MemoryBuilder {
	section := m.Section(Key).(*Section)
	return func(m *arch.Machine, c gpu.Clocks, sets []*counters.Set, global *counters.Set) (seam.Path, error) {
		behind, err := next(m, c, sets, global)
		if err != nil {
			return seam.Path{}, err
		}
		path := behind.In(&memory{MemorySystem: behind.MemorySystem, section: section, constants: m.Constant.Through == "l1", warps: m.SM.MaxWarps, sets: sets, own: behind.Tokens()})
		path.Lookahead = behind.Lookahead
		return path, nil
	}
}

// memory is a memory system with tinyCaches; it implements seam.MemorySystem.
type memory struct {
	seam.MemorySystem
	section *Section
	// constants and parameters are loaded through the L1, and by that through the lanes' caches
	constants bool
	warps     int
	sets      []*counters.Set
	ports     []*port
	own       seam.TokenOwner
}

// Port implements seam.MemorySystem.
func (m *memory) Port(sm int, to seam.Completions) (seam.Entry, error) {
	p := newPort(m.section, m.warps, sm, to, m.sets[sm])
	p.own, p.constants = m.own, m.constants
	behind, err := m.MemorySystem.Port(sm, p)
	if err != nil {
		return seam.Entry{}, err
	}
	p.Port = behind.Port
	m.ports = append(m.ports, p)
	entry := behind.BehindKeeper(p)
	entry.FiltersLanes = true
	entry.ByLanes = func() { p.byLanes = true }
	return entry, nil
}

// InFlight implements seam.MemorySystem.
func (m *memory) InFlight() int {
	n := m.MemorySystem.InFlight()
	for _, p := range m.ports {
		n += p.inFlight()
	}
	return n
}

// Describe implements seam.MemorySystem.
func (m *memory) Describe() []string {
	var out []string
	for _, p := range m.ports {
		if p.inFlight() > 0 {
			out = append(out, fmt.Sprintf("tinyCaches of SM %d: %d accesses wait for the port, %d for fills, %d end", p.sm, p.out.Len(), p.accesses.Used(), p.hits.Len()))
		}
	}
	return append(out, m.MemorySystem.Describe()...)
}
