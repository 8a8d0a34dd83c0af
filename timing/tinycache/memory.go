package tinycache

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/seam"
)

func init() {
	gpu.Mechanisms.Register(Key, gpu.Mechanism{Memory: wrap})
}

// wrap puts tinyCaches in front of a memory system.
func wrap(m *arch.Machine, next gpu.MemoryBuilder) gpu.MemoryBuilder {
	section := m.Section(Key).(*Section)
	return func(m *arch.Machine, c gpu.Clocks, sets []*counters.Set, global *counters.Set) (seam.MemorySystem, error) {
		behind, err := next(m, c, sets, global)
		if err != nil {
			return nil, err
		}
		return &memory{Behind: seam.Behind{MemorySystem: behind}, section: section, warps: m.SM.MaxWarps, sets: sets}, nil
	}
}

// memory is a memory system with tinyCaches; it implements seam.MemorySystem and
// seam.Preloader.
type memory struct {
	seam.Behind
	section *Section
	warps   int
	sets    []*counters.Set
	ports   []*port
}

// Port implements seam.MemorySystem.
func (m *memory) Port(sm int, to seam.Completions) seam.Port {
	p := newPort(m.section, m.warps, sm, to, m.sets[sm])
	p.Port = m.MemorySystem.Port(sm, p)
	m.ports = append(m.ports, p)
	return p
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
