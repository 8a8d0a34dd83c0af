// SPDX-License-Identifier: Apache-2.0

package mta

import (
	"errors"
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/seam"
)

func init() {
	gpu.Mechanisms.Register(Key, gpu.Mechanism{Memory: wrap, Independent: true})
}

// wrap puts a prefetcher next to the L1 of each SM of a memory system.
func wrap(m *arch.Machine, next gpu.MemoryBuilder) gpu.MemoryBuilder {
	section := m.Section(Key).(*Section)
	return func(m *arch.Machine, c gpu.Clocks, sets []*counters.Set, global *counters.Set) (seam.Path, error) {
		behind, err := next(m, c, sets, global)
		if err != nil {
			return seam.Path{}, err
		}
		path := behind.In(&memory{
			MemorySystem: behind.MemorySystem, section: section, lineBytes: lineBytes(m), blocks: m.SM.MaxBlocks, sets: sets, own: behind.Tokens(),
		})
		path.Lookahead = behind.Lookahead
		return path, nil
	}
}

// memory is a memory system with prefetchers; it implements seam.MemorySystem.
type memory struct {
	seam.MemorySystem
	section   *Section
	lineBytes int
	blocks    int // of an SM
	sets      []*counters.Set
	ports     []*port
	own       seam.TokenOwner
}

// Port implements seam.MemorySystem.
func (m *memory) Port(sm int, to seam.Completions) (seam.Entry, error) {
	p := newPort(m.section, m.lineBytes, m.blocks, sm, to, m.sets[sm])
	p.own = m.own
	behind, err := m.MemorySystem.Port(sm, p)
	if err != nil {
		return seam.Entry{}, err
	}
	if behind.Early == nil {
		return seam.Entry{}, errors.New("mta: the memory path cannot read lines past the L1, by which it prefetches; use a memory path with seam.Entry.Early")
	}
	p.Port, p.early = behind.Port, behind.Early
	m.ports = append(m.ports, p)
	return behind.BehindKeeper(p), nil
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
