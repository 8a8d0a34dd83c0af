// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

func TestOffloadCanHoldAndTakeInstructions(t *testing.T) {
	k := gputest.NewKernel("offload")
	k.Op(trace.ClassIntMul, 1).Op(trace.ClassIntAdd, 2, 1).Exit()
	engine := &engine{}
	o := optionsWith(&gputest.Memory{}, nil)
	build := o.Memory
	o.Memory = func(m *arch.Machine, c gpu.Clocks, sets []*counters.Set, global *counters.Set) (seam.Path, error) {
		inner, err := build(m, c, sets, global)
		return inner.In(&engineMemory{MemorySystem: inner.MemorySystem, engine: engine, core: c.Core}), err
	}
	o.Offload = engine
	run := replay(t, buildWith(t, gputest.Machine(), o), straight(k))
	// Held for 3 cycles, then elsewhere for 40.
	want := clock.Cycle(firstIssue + 3 + 40 + gputest.OperandRead + gputest.ALULatency + 1)
	if run.Cycles != want {
		t.Errorf("%d cycles, want %d", run.Cycles, want)
	}
}

// engine takes the instruction 0 after holding it three times, and completes it
// 40 cycles later.
type engine struct {
	held  int
	at    clock.Cycle
	token uint32
	busy  bool
	to    seam.Completions
}

func (e *engine) AtIssue(now clock.Cycle, i *seam.Issuing) seam.Decision {
	if i.Instruction != 0 {
		return seam.Here
	}
	if e.held++; e.held <= 3 {
		return seam.Hold
	}
	e.at, e.token, e.busy = now+40, i.Token, true
	return seam.Elsewhere
}

// engineMemory lets the engine report among the memory's events.
type engineMemory struct {
	seam.MemorySystem
	engine *engine
	core   clock.Domain
}

func (m *engineMemory) Port(sm int, to seam.Completions) (seam.Entry, error) {
	m.engine.to = to
	return m.MemorySystem.Port(sm, to)
}

func (m *engineMemory) Advance(t clock.Time) {
	m.MemorySystem.Advance(t)
	if m.engine.busy && m.core.Start(m.engine.at) <= t {
		m.engine.busy = false
		m.engine.to.Complete(m.engine.at, m.engine.token)
	}
}

func (m *engineMemory) NextEvent() clock.Time {
	if m.engine.busy {
		return min(m.MemorySystem.NextEvent(), m.core.Start(m.engine.at))
	}
	return m.MemorySystem.NextEvent()
}
