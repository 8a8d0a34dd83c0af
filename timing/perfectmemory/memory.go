// SPDX-License-Identifier: Apache-2.0

package perfectmemory

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

// wrap puts a perfect memory in front of a memory system. Only shared memory of that
// system remains in use.
func wrap(_ *arch.Machine, next gpu.MemoryBuilder) gpu.MemoryBuilder {
	return func(m *arch.Machine, c gpu.Clocks, sets []*counters.Set, global *counters.Set) (seam.Path, error) {
		behind, err := next(m, c, sets, global)
		if err != nil {
			return seam.Path{}, err
		}
		path := behind.In(&memory{MemorySystem: behind.MemorySystem})
		path.Lookahead = behind.Lookahead
		path.LastLevel, path.L2Cleaner, path.Offloaders, path.Links = nil, nil, nil, nil // nothing comes there
		return path, nil
	}
}

// memory is a perfect memory system; it implements seam.MemorySystem.
type memory struct {
	seam.MemorySystem
	ports []*port
}

// Port implements seam.MemorySystem.
func (m *memory) Port(sm int, to seam.Completions) (seam.Entry, error) {
	behind, err := m.MemorySystem.Port(sm, to)
	if err != nil {
		return seam.Entry{}, err
	}
	p := newPort(sm, behind.Port, to)
	m.ports = append(m.ports, p)
	return seam.Entry{Port: p, ByInstruction: behind.ByInstruction, Locks: always{}}, nil
}

// always locks lines: every line is there, and none leaves.
type always struct{}

func (always) LockLine(uint64) bool { return true }
func (always) UnlockLine(uint64)    {}

// LocalLines implements seam.LineLocker: nothing needs a lock.
func (always) LocalLines(_ *seam.MemoryAccess, lines []uint64) []uint64 { return lines }

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
