package mta

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

// wrap puts a prefetcher beside the L1 of each SM of a memory system.
func wrap(m *arch.Machine, next gpu.MemoryBuilder) gpu.MemoryBuilder {
	section := m.Section(Key).(*Section)
	return func(m *arch.Machine, c gpu.Clocks, sets []*counters.Set, global *counters.Set) (seam.MemorySystem, error) {
		behind, err := next(m, c, sets, global)
		if err != nil {
			return nil, err
		}
		return &memory{Behind: seam.Behind{MemorySystem: behind}, section: section, lineBytes: lineBytes(m), blocks: m.SM.MaxBlocks, sets: sets}, nil
	}
}

// memory is a memory system with prefetchers; it implements seam.MemorySystem.
type memory struct {
	seam.Behind
	section   *Section
	lineBytes int
	blocks    int // of an SM
	sets      []*counters.Set
	ports     []*port
}

// Port implements seam.MemorySystem.
func (m *memory) Port(sm int, to seam.Completions) seam.Port {
	p := newPort(m.section, m.lineBytes, m.blocks, sm, to, m.sets[sm])
	p.Port = m.MemorySystem.Port(sm, p)
	p.early, _ = p.Port.(seam.EarlyReader)
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
			out = append(out, fmt.Sprintf("prefetcher of SM %d: %d lines wait to be asked for, %d are on their way, %d loads wait for lines, %d end", p.sm, p.queue.Len(), p.buffer.pending, p.loads.Used(), p.hits.Len()))
		}
	}
	return append(out, m.MemorySystem.Describe()...)
}
