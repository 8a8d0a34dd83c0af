// SPDX-License-Identifier: Apache-2.0

package dac

import (
	"errors"
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/seam"
)

// memory is a memory system into which address expansion units send early requests. It
// implements seam.MemorySystem.
type memory struct {
	seam.MemorySystem
	chip *chip
	own  seam.TokenOwner
}

// memory puts the units' entries between each SM and its L1.
func (c *chip) memory(_ *arch.Machine, next gpu.MemoryBuilder) gpu.MemoryBuilder {
	return func(m *arch.Machine, clocks gpu.Clocks, sets []*counters.Set, global *counters.Set) (seam.Path, error) {
		behind, err := next(m, clocks, sets, global)
		if err != nil {
			return seam.Path{}, err
		}
		c.ports = make([]*port, m.GPU.SMs)
		return behind.In(&memory{MemorySystem: behind.MemorySystem, chip: c, own: behind.Tokens()}), nil
	}
}

// Port implements seam.MemorySystem.
func (m *memory) Port(sm int, to seam.Completions) (seam.Entry, error) {
	p := &port{Completions: to, own: m.own}
	behind, err := m.MemorySystem.Port(sm, p)
	if err != nil {
		return seam.Entry{}, err
	}
	if behind.Locks == nil {
		return seam.Entry{}, errors.New("dac: the memory path cannot lock lines in the L1, where early data wait; use a memory path with seam.Entry.Locks")
	}
	p.Port, p.locks = behind.Port, behind.Locks
	m.chip.ports[sm] = p
	return behind.Behind(p), nil
}

// Describe implements seam.MemorySystem.
func (m *memory) Describe() []string {
	var out []string
	for _, e := range m.chip.engines {
		if text := e.describe(); text != "" {
			out = append(out, fmt.Sprintf("affine warp of SM %d: %s", e.sm.ID(), text))
		}
	}
	return append(out, m.MemorySystem.Describe()...)
}

// port is an SM's entry with that of its address expansion unit next to it; it
// implements seam.Port and seam.Completions.
type port struct {
	seam.Port                        // behind
	seam.Completions                 // in front
	locks            seam.LineLocker // behind
	own              seam.TokenOwner // of early requests
	engine           *engine
}

// Complete implements seam.Completions.
func (p *port) Complete(now clock.Cycle, token uint32) {
	if record, ok := p.own.Number(token); ok {
		p.Completions.Wake()
		p.engine.arrived(record)
		return
	}
	p.Completions.Complete(now, token)
}

var (
	_ seam.MemorySystem = (*memory)(nil)
	_ seam.Completions  = (*port)(nil)
)
