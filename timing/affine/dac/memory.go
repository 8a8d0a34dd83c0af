package dac

import (
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
	seam.Behind
	chip *chip
}

// memory puts the units' entries between each SM and its L1.
func (c *chip) memory(_ *arch.Machine, next gpu.MemoryBuilder) gpu.MemoryBuilder {
	return func(m *arch.Machine, clocks gpu.Clocks, sets []*counters.Set, global *counters.Set) (seam.MemorySystem, error) {
		behind, err := next(m, clocks, sets, global)
		if err != nil {
			return nil, err
		}
		c.ports = make([]*port, m.GPU.SMs)
		return &memory{Behind: seam.Behind{MemorySystem: behind}, chip: c}, nil
	}
}

// Port implements seam.MemorySystem.
func (m *memory) Port(sm int, to seam.Completions) seam.Port {
	p := &port{Completions: to}
	p.Port = m.MemorySystem.Port(sm, p)
	p.locker, _ = p.Port.(seam.LineLocker)
	m.chip.ports[sm] = p
	return p
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

// earlyToken marks the tokens of early requests; the others are of what is in front.
const earlyToken = 1 << 30

// port is an SM's entry with that of its address expansion unit beside it; it
// implements seam.Port and seam.Completions.
type port struct {
	seam.BehindPort
	seam.Completions                 // in front
	locker           seam.LineLocker // nil: nothing can be locked
	engine           *engine
}

// Complete implements seam.Completions.
func (p *port) Complete(now clock.Cycle, token uint32) {
	if token&^(earlyToken-1) == earlyToken {
		p.Completions.Wake(now)
		p.engine.arrived(token & (earlyToken - 1))
		return
	}
	p.Completions.Complete(now, token)
}

var (
	_ seam.MemorySystem = (*memory)(nil)
	_ seam.Completions  = (*port)(nil)
)
