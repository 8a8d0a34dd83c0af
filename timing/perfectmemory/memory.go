package perfectmemory

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/seam"
)

// layer is behind every other mechanism of the memory path.
const layer = -1

func init() {
	gpu.Mechanisms.Register(Key, gpu.Mechanism{Layer: layer, Memory: wrap})
}

// wrap puts a perfect memory in front of a memory system, of which shared memory
// remains in use.
func wrap(_ *arch.Machine, next gpu.MemoryBuilder) gpu.MemoryBuilder {
	return func(m *arch.Machine, c gpu.Clocks, sets []*counters.Set, global *counters.Set) (seam.MemorySystem, error) {
		behind, err := next(m, c, sets, global)
		if err != nil {
			return nil, err
		}
		return &memory{MemorySystem: behind}, nil
	}
}

// memory is a perfect memory system; it implements seam.MemorySystem.
type memory struct {
	seam.MemorySystem
	ports []*port
}

// Port implements seam.MemorySystem.
func (m *memory) Port(sm int, to seam.Completions) seam.Port {
	p := newPort(sm, m.MemorySystem.Port(sm, to), to)
	m.ports = append(m.ports, p)
	return p
}

// InFlight implements seam.MemorySystem.
func (m *memory) InFlight() int {
	n := m.MemorySystem.InFlight()
	for _, p := range m.ports {
		n += p.answers.Len()
	}
	return n
}

// Describe implements seam.MemorySystem.
func (m *memory) Describe() []string {
	var out []string
	for _, p := range m.ports {
		if p.answers.Len() > 0 {
			out = append(out, fmt.Sprintf("perfect memory of SM %d: %d accesses are answered in the next cycle", p.sm, p.answers.Len()))
		}
	}
	return append(out, m.MemorySystem.Describe()...)
}
