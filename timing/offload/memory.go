package offload

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/memory"
	"github.com/warptape/warptape/timing/seam"
)

// wrap puts the engine around the baseline's memory path.
func (e *engine) wrap(_ *arch.Machine, next gpu.MemoryBuilder) gpu.MemoryBuilder {
	return func(m *arch.Machine, c gpu.Clocks, sets []*counters.Set, global *counters.Set) (seam.MemorySystem, error) {
		behind, err := next(m, c, sets, global)
		if err != nil {
			return nil, err
		}
		system, ok := behind.(*memory.System)
		if !ok {
			return nil, fmt.Errorf("%s: offloading needs the memory path of the baseline, and this is a %T", m.Name, behind)
		}
		if err := system.Invite(e, e.cores); err != nil {
			return nil, err
		}
		return &path{system, e}, e.build(system, c, global)
	}
}

// build makes the queues' places and the service queues.
func (e *engine) build(system *memory.System, c gpu.Clocks, global *counters.Set) error {
	m := e.machine
	slices := m.L2.Partitions * m.L2.SlicesPerPartition
	e.system, e.clocks, e.global = system, c, global
	e.queues = make([]*queue, m.GPU.SMs)
	e.services = make([]*service, m.GPU.SMs+slices)
	e.busy = make([]uint64, (len(e.services)+63)/64)
	for end := range e.services {
		if end >= m.GPU.SMs || e.cores {
			e.services[end] = newService(e, memory.End(end))
		}
	}
	if !e.cores {
		return nil
	}
	p, err := m.MeshPlacement()
	if err != nil {
		return fmt.Errorf("machine %s: network.placement: %w", m.Name, err)
	}
	e.meet = newMeetNodes(&p, m.Network.Routing == "yx")
	return nil
}

// path is the memory path with offloading; what it does not say is the baseline's.
type path struct {
	*memory.System
	engine *engine
}

// Port implements seam.MemorySystem.
func (p *path) Port(sm int, to seam.Completions) seam.Port {
	q := newQueue(p.engine, sm, to)
	wrapped := &port{queue: q}
	q.inner = p.System.Port(sm, wrapped).(*memory.Port)
	wrapped.Port = q.inner
	p.engine.queues[sm] = q
	return wrapped
}

// CountLines implements seam.LineCounter.
func (p *port) CountLines(lines []counters.Set) { p.queue.inner.CountLines(lines) }

// Advance implements seam.MemorySystem.
func (p *path) Advance(t clock.Time) {
	p.System.Advance(t)
	p.engine.advance(clock.Cycle(t / p.engine.clocks.Core.Period))
}

// NextEvent implements seam.MemorySystem.
func (p *path) NextEvent() clock.Time {
	next := p.System.NextEvent()
	if c := p.engine.nextEvent(); c != clock.Never {
		next = min(next, p.engine.at(c))
	}
	return next
}

// InFlight implements seam.MemorySystem.
func (p *path) InFlight() int { return p.System.InFlight() + p.engine.jobs.used() }

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
	return append(out, p.System.Describe()...)
}

func (e *engine) nameOf(end int) string {
	if sms := len(e.queues); end >= sms {
		return fmt.Sprintf("L2 slice %d", end-sms)
	}
	return fmt.Sprintf("SM %d", end)
}
