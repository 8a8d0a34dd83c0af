// SPDX-License-Identifier: Apache-2.0

package offload

import (
	"errors"
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/seam"
)

// wrap puts the engine around the baseline's memory path.
func (e *engine) wrap(_ *arch.Machine, next gpu.MemoryBuilder) gpu.MemoryBuilder {
	return func(m *arch.Machine, c gpu.Clocks, sets []*counters.Set, global *counters.Set) (seam.Path, error) {
		behind, err := next(m, c, sets, global)
		if err != nil {
			return seam.Path{}, err
		}
		if behind.Offloaders == nil {
			return seam.Path{}, fmt.Errorf("%s: offload: the memory path has no room for units at its partitions, where chains execute; use a memory path with seam.Path.Offloaders", m.Name)
		}
		if err := behind.Offloaders.Invite(e, e.peers); err != nil {
			return seam.Path{}, err
		}
		e.system, e.clocks, e.sets, e.global, e.own = behind.Offloaders, c, sets, global, behind.Tokens()
		front := behind.In(&path{behind.MemorySystem, e})
		front.Offloaders = nil // there is room for one
		front.Entered = append(front.Entered, e.entered)
		return front, e.build()
	}
}

// build makes the queues' places and the service queues.
func (e *engine) build() error {
	m := e.machine
	slices := m.L2.Partitions * m.L2.SlicesPerPartition
	e.queues = make([]*queue, m.GPU.SMs)
	e.slices = slices
	e.services = make([]*service, m.GPU.SMs+slices+e.section.routers(m))
	e.busy = make([]uint64, (len(e.services)+63)/64)
	for end := range e.services {
		if end >= m.GPU.SMs || e.peers == seam.EndPeers {
			e.services[end] = newService(e, seam.End(end))
		}
	}
	switch e.peers {
	case seam.NoPeers:
		return nil
	case seam.RouterPeers:
		p, err := m.ButterflyPlacement()
		if err != nil {
			return fmt.Errorf("machine %s: network.stages: %w", m.Name, err)
		}
		e.meet = newMeetRouters(&p, m.Network.Radix, m.Network.Stages)
		return nil
	}
	p, err := m.MeshPlacement()
	if err != nil {
		return fmt.Errorf("machine %s: network.placement: %w", m.Name, err)
	}
	e.meet = newMeetNodes(&p, m.Network.Routing == "yx", e.section.Meet != "cores")
	return nil
}

// path is the memory system with offloading.
type path struct {
	seam.MemorySystem
	engine *engine
}

// Port implements seam.MemorySystem.
func (p *path) Port(sm int, to seam.Completions) (seam.Entry, error) {
	q := newQueue(p.engine, sm, to)
	wrapped := &port{queue: q}
	behind, err := p.MemorySystem.Port(sm, wrapped)
	if err != nil {
		return seam.Entry{}, err
	}
	if behind.Offloader == nil {
		return seam.Entry{}, errors.New("offload: the SM's caches cannot be looked up for a chain; use a memory path with seam.Entry.Offloader")
	}
	wrapped.Port, q.inner = behind.Port, behind.Port
	p.engine.queues[sm] = q
	return behind.Behind(wrapped), nil
}

// entered takes the finished entry of an SM: a chain's operands are looked up in all
// that keeps lines for the SM.
func (e *engine) entered(sm int, front seam.Entry) { e.queues[sm].caches = front.Offloader }

// Advance implements seam.MemorySystem.
func (p *path) Advance(t clock.Time) {
	p.MemorySystem.Advance(t)
	p.engine.advance(clock.Cycle(t / p.engine.clocks.Core.Period))
}

// NextEvent implements seam.MemorySystem.
func (p *path) NextEvent() clock.Time {
	next := p.MemorySystem.NextEvent()
	if c := p.engine.nextEvent(); c != clock.Never {
		next = min(next, p.engine.at(c))
	}
	return next
}

// InFlight implements seam.MemorySystem.
func (p *path) InFlight() int { return p.MemorySystem.InFlight() + p.engine.jobs.used() }

// Describe implements seam.MemorySystem.
func (p *path) Describe() []string {
	var out []string
	for _, q := range p.engine.queues {
		if q.free < p.engine.section.QueueEntries {
			out = append(out, fmt.Sprintf("offload queue of SM %d: %d of %d entries are taken, %d packets wait for the network, %d accesses for the port",
				q.sm, p.engine.section.QueueEntries-q.free, p.engine.section.QueueEntries, q.packets.Len(), q.here.Len()))
		}
	}
	for end, s := range p.engine.services {
		if s != nil && s.entries > 0 {
			out = append(out, fmt.Sprintf("service queue of %s: %d entries are taken, %d chains are ready, %d in the buffer, %d messages and %d answers wait for the network",
				p.engine.nameOf(end), s.entries, s.ready.Len(), s.filled, s.out.Len(), s.answers.Len()))
		}
	}
	return append(out, p.MemorySystem.Describe()...)
}

func (e *engine) nameOf(end int) string {
	switch sms := len(e.queues); {
	case end >= sms+e.slices:
		return fmt.Sprintf("router %d", end-sms-e.slices)
	case end >= sms:
		return fmt.Sprintf("L2 slice %d", end-sms)
	}
	return fmt.Sprintf("SM %d", end)
}
