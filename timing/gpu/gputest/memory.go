// SPDX-License-Identifier: Apache-2.0

package gputest

import (
	"fmt"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// Memory answers every access after a constant time, takes one per SM and cycle,
// and has every instruction line that was asked for once FetchMissCycles after
// that. It implements seam.MemorySystem.
type Memory struct {
	LatencyCycles   clock.Cycle
	FetchMissCycles clock.Cycle // zero: every fetch hits
	TakesCycles     clock.Cycle // that an SM's port is busy with an access; zero: one
	WriteCycles     clock.Cycle // from a store's answer until it is performed
	// Silent memories never answer.
	Silent bool
	// Seen is called with every access (nil: not).
	Seen func(now clock.Cycle, sm int, a *seam.MemoryAccess)
	// Begun is called with every kernel that an SM begins (nil: not).
	Begun func(sm int, k seam.KernelStart)

	core    clock.Domain
	global  *counters.Set
	events  []event
	head    int
	fetches []event
	writes  []event // answered, to be performed
}

type event struct {
	at      clock.Cycle
	port    *port
	load    bool
	token   uint32
	warp    int
	address uint64
}

// Build connects the memory to a machine: the core clock and a set for requests.
func (m *Memory) Build(core clock.Domain, global *counters.Set) seam.Path {
	m.core, m.global = core, global
	return seam.Path{MemorySystem: m}
}

type port struct {
	memory  *Memory
	sm      int
	to      seam.Completions
	last    clock.Cycle // cycle of the last Issue, so that it takes one per cycle
	pending [128]int    // by warp slot: as many as a machine may have
	lines   map[uint64]bool
}

// Port implements seam.MemorySystem.
func (m *Memory) Port(sm int, to seam.Completions) (seam.Entry, error) {
	return seam.Entry{Port: &port{memory: m, sm: sm, to: to, last: -1, lines: map[uint64]bool{}}}, nil
}

func (p *port) Ready(now clock.Cycle) bool { return p.last < 0 || now >= p.free() }

// free is the cycle from which the port takes the next access.
func (p *port) free() clock.Cycle { return p.last + max(p.memory.TakesCycles, 1) }

func (p *port) Issue(now clock.Cycle, a *seam.MemoryAccess) {
	m := p.memory
	if !p.Ready(now) {
		panic("BUG: an access at a busy port")
	}
	p.last = now
	if m.Seen != nil {
		m.Seen(now, p.sm, a)
	}
	load := a.Class != trace.ClassStore
	if !load {
		p.pending[a.WarpSlot]++
	}
	m.global[counters.RequestsSent]++
	m.push(event{at: now + m.LatencyCycles, port: p, load: load, token: a.Token, warp: a.WarpSlot})
}

func (m *Memory) push(e event) {
	if m.head > 0 && len(m.events) == cap(m.events) {
		m.events = m.events[:copy(m.events, m.events[m.head:])]
		m.head = 0
	}
	m.events = append(m.events, e)
}

func (p *port) PendingWrites(w int) int        { return p.pending[w] }
func (p *port) Barrier(clock.Cycle, int)       {}
func (p *port) Fence(clock.Cycle, int)         {}
func (p *port) BlockEnd(clock.Cycle, int, int) {}
func (p *port) KernelEnd(clock.Cycle)          {}
func (p *port) DropInstructions()              { clear(p.lines) }

// KernelBegin implements seam.Port.
func (p *port) KernelBegin(k seam.KernelStart) {
	if p.memory.Begun != nil {
		p.memory.Begun(p.sm, k)
	}
}

// Cycle has nothing to do but to be ready again after an Issue.
func (p *port) Cycle(now clock.Cycle) clock.Cycle {
	if !p.Ready(now) {
		return p.free()
	}
	return clock.Never
}

func (p *port) FetchLine(now clock.Cycle, address uint64) bool {
	m := p.memory
	if m.FetchMissCycles == 0 || p.lines[address] {
		return true
	}
	m.fetches = append(m.fetches, event{at: now + m.FetchMissCycles, port: p, address: address})
	return false
}

func (p *port) HasLine(address uint64) bool {
	return p.memory.FetchMissCycles == 0 || p.lines[address]
}

// Advance implements seam.MemorySystem.
func (m *Memory) Advance(t clock.Time) {
	if m.Silent {
		return
	}
	for m.head < len(m.events) && m.core.Start(m.events[m.head].at) <= t {
		e := m.events[m.head]
		m.head++
		m.global[counters.RequestsAnswered]++
		if e.load {
			e.port.to.Complete(e.at, e.token)
		} else {
			if e.token != seam.NoToken {
				e.port.to.Complete(e.at, e.token)
			}
			if m.WriteCycles > 0 {
				e.at += m.WriteCycles
				m.writes = append(m.writes, e)
				continue
			}
			e.port.performed(e)
		}
	}
	for len(m.writes) > 0 && m.core.Start(m.writes[0].at) <= t {
		e := m.writes[0]
		m.writes = m.writes[1:]
		e.port.performed(e)
	}
	for len(m.fetches) > 0 && m.core.Start(m.fetches[0].at) <= t {
		e := m.fetches[0]
		m.fetches = m.fetches[1:]
		e.port.lines[e.address] = true
		e.port.to.Fetched(e.at, e.address)
	}
}

// performed ends a store.
func (p *port) performed(e event) {
	p.pending[e.warp]--
	p.to.WriteDone(e.at, e.warp)
}

// NextEvent implements seam.MemorySystem.
func (m *Memory) NextEvent() clock.Time {
	next := clock.NeverTime
	if m.Silent {
		return next
	}
	if m.head < len(m.events) {
		next = m.core.Start(m.events[m.head].at)
	}
	if len(m.fetches) > 0 {
		next = min(next, m.core.Start(m.fetches[0].at))
	}
	if len(m.writes) > 0 {
		next = min(next, m.core.Start(m.writes[0].at))
	}
	return next
}

// InFlight implements seam.MemorySystem.
func (m *Memory) InFlight() int { return len(m.events) - m.head + len(m.fetches) + len(m.writes) }

// Describe implements seam.MemorySystem.
func (m *Memory) Describe() []string {
	return []string{fmt.Sprintf("memory: %d requests wait", m.InFlight())}
}
