// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// engine executes what it takes in some cycles.
type engine struct {
	decide func(i *seam.Issuing) seam.Decision
	cycles clock.Cycle
	asked  []asked
	under  []underWay
	to     seam.Completions
}

// asked is what the engine was asked of.
type asked struct {
	seam.Issuing
	memory seam.MemoryAccess
	first  uint64 // address of the first lane that takes part
}

// underWay is an instruction of the engine.
type underWay struct {
	at    clock.Cycle
	token uint32
}

func (e *engine) AtIssue(now clock.Cycle, i *seam.Issuing) seam.Decision {
	a := asked{Issuing: *i}
	if i.Memory != nil {
		a.memory = *i.Memory
		gputest.Steps(i.Memory, func(_ int, s gputest.Step) {
			if a.first == 0 {
				a.first = s.Address
			}
		})
	}
	e.asked = append(e.asked, a)
	decision := e.decide(i)
	if decision == seam.Elsewhere || decision == seam.Awaited {
		e.under = append(e.under, underWay{now + e.cycles, i.Token})
	}
	return decision
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
	for len(m.engine.under) > 0 && m.core.Start(m.engine.under[0].at) <= t {
		done := m.engine.under[0]
		m.engine.under = m.engine.under[1:]
		m.engine.to.Complete(done.at, done.token)
	}
}

func (m *engineMemory) NextEvent() clock.Time {
	next := m.MemorySystem.NextEvent()
	if len(m.engine.under) > 0 {
		next = min(next, m.core.Start(m.engine.under[0].at))
	}
	return next
}

// offloaded replays a launch with an engine that decides by decide.
func offloaded(t *testing.T, m *arch.Machine, memory *gputest.Memory, l gputest.Launch, cycles clock.Cycle, decide func(i *seam.Issuing) seam.Decision) (*gpu.Run, *engine) {
	t.Helper()
	e := &engine{decide: decide, cycles: cycles}
	o := optionsWith(memory, nil)
	build := o.Memory
	o.Memory = func(m *arch.Machine, c gpu.Clocks, sets []*counters.Set, global *counters.Set) (seam.Path, error) {
		inner, err := build(m, c, sets, global)
		return inner.In(&engineMemory{MemorySystem: inner.MemorySystem, engine: e, core: c.Core}), err
	}
	o.Offload = e
	return replay(t, buildWith(t, m, o), l), e
}

// Each guarded instruction has a mask of its own, also behind one that the engine has taken.
func TestAnInstructionBehindATakenOneHasItsOwnGuard(t *testing.T) {
	k := gputest.NewKernel("guards")
	guards := []uint32{0xFF, 0xFF00, 0xF0F0F0F0, 0}
	k.Op(trace.ClassIntAdd, 10, 20)
	for i := range guards {
		k.Block()
		k.Op(trace.ClassIntAdd, 1+i, 20).Guarded(i)
	}
	k.Block()
	k.Exit()
	for _, decision := range []seam.Decision{seam.Here, seam.Elsewhere, seam.Awaited, seam.Absorbed} {
		l := straight(k)
		l.Record = func(w *gputest.Warp) {
			w.Visit(0, w.Lanes)
			for i, g := range guards {
				w.VisitGuarded(uint32(i+1), w.Lanes, g)
			}
			w.Visit(uint32(len(guards)+1), w.Lanes)
		}
		_, e := offloaded(t, gputest.Machine(), steady(), l, 9, func(i *seam.Issuing) seam.Decision {
			if i.Instruction == 0 || i.Instruction > uint32(len(guards)) {
				return seam.Here
			}
			return decision
		})
		var masks []uint32
		for _, a := range e.asked {
			masks = append(masks, a.Mask)
		}
		if want := append([]uint32{gputest.Full}, append(slices.Clone(guards), gputest.Full)...); !slices.Equal(masks, want) {
			t.Errorf("decision %d: the engine was asked for lanes %x, want %x", decision, masks, want)
		}
	}
}

// What the engine holds issues when it lets it. Behind what it takes only readers of the result wait, or the
// whole warp, or no instruction, as the engine says.
func TestAnEngineHoldsAndTakesInstructions(t *testing.T) {
	const cycles, held = 40, 3
	for name, c := range map[string]struct {
		decision seam.Decision
		reads    bool
		second   clock.Cycle // from the first issue to that of the second instruction
	}{
		"taken, and read":      {seam.Elsewhere, true, cycles},
		"taken":                {seam.Elsewhere, false, 1},
		"absorbed":             {seam.Absorbed, true, 1},
		"awaited":              {seam.Awaited, false, cycles},
		"left with the SM":     {seam.Here, false, 1},
		"left there, and read": {seam.Here, true, addition},
	} {
		for load, space := range map[bool]trace.Space{false: trace.SpaceNone, true: trace.SpaceGeneric} {
			k := gputest.NewKernel("two")
			if load {
				k.Load(space, 1, 2)
			} else {
				k.Op(trace.ClassIntMul, 1, 2)
			}
			source := 3
			if c.reads {
				source = 1
			}
			k.Op(trace.ClassIntAdd, 4, source).Exit()
			reached := 0
			memory := &gputest.Memory{LatencyCycles: memoryLatency, Seen: func(clock.Cycle, int, *seam.MemoryAccess) { reached++ }}
			times := 0
			r, _ := offloaded(t, gputest.Machine(), memory, straight(k), cycles, func(i *seam.Issuing) seam.Decision {
				if times++; i.Instruction > 0 {
					return seam.Here
				}
				if times <= held {
					return seam.Hold
				}
				return c.decision
			})
			second, ends := c.second, clock.Cycle(addition)
			switch {
			case load && c.decision == seam.Here && c.reads:
				second = access
			case load && c.decision == seam.Here:
				ends = access - 1 // the load is the last
			case c.decision == seam.Elsewhere && !c.reads:
				ends = cycles - 1 // the engine is
			}
			if want := firstIssue + held + second + ends + 1; r.Cycles != want || r.Total[counters.StallUnit] != held {
				t.Errorf("%s, load %v: %d cycles and %d slots lost to the engine, want %d and %d", name, load, r.Cycles, r.Total[counters.StallUnit], want, held)
			}
			if there := load && c.decision == seam.Here; reached > 0 != there {
				t.Errorf("%s, load %v: the port has %d accesses", name, load, reached)
			}
			if want := uint64(0); load {
				if want = 32; r.Total[counters.GlobalLane] != want {
					t.Errorf("%s: %d lanes of global memory, want %d", name, r.Total[counters.GlobalLane], want)
				}
			}
		}
	}
}

// The engine sees each memory instruction with its own addresses, in its space. So it does when it has held the instruction, when a guard
// leaves some lanes, and whichever part has executed those before. The port sees the same.
func TestAnEngineSeesTheAddressesOfEachAccess(t *testing.T) {
	k := gputest.NewKernel("accesses")
	const n = 6
	for i := range n {
		k.Load(trace.SpaceGeneric, 10+i, 2)
		k.Instructions[i].LaneBytes = uint8(4 + i%2*4)
		if i%3 > 0 {
			k.Guarded(i % 3)
		}
	}
	k.Op(trace.ClassF32Fma, 30, 2).Exit()
	const mask = uint32(0xf0)
	bases := [n]uint64{1 << 33, trace.SharedWindowBase + 64, 1<<33 + 4096, trace.SharedWindowBase + 1024, trace.LocalWindowBase + 512, 1<<33 + 8192}
	spaces := [n]trace.Space{trace.SpaceGlobal, trace.SpaceShared, trace.SpaceGlobal, trace.SpaceShared, trace.SpaceLocal, trace.SpaceGlobal}
	for seed := range 64 {
		var port []uint64
		memory := &gputest.Memory{LatencyCycles: memoryLatency, Seen: func(_ clock.Cycle, _ int, a *seam.MemoryAccess) {
			gputest.Steps(a, func(l int, s gputest.Step) {
				if l == 4 {
					port = append(port, s.Address%trace.WindowBytes)
				}
			})
		}}
		holds := 0
		var here []uint32
		l := gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) {
			w.VisitWith(0, mask, func(i int) (uint64, int64, *[32]uint64) {
				if i%2 == 0 {
					return bases[i], 4, nil
				}
				var lanes [32]uint64
				for lane := range lanes {
					lanes[lane] = bases[i] + uint64(4*lane) + uint64(lane*lane)%16*4
				}
				return 0, 0, &lanes
			})
		}}
		_, e := offloaded(t, gputest.Machine(), memory, l, 10, func(i *seam.Issuing) seam.Decision {
			if i.Memory == nil {
				return seam.Here
			}
			if holds++; holds%2 == 1 {
				return seam.Hold
			}
			if seed>>i.Instruction&1 != 0 {
				return seam.Elsewhere
			}
			here = append(here, i.Instruction)
			return seam.Here
		})
		if len(e.asked) != 2*n+2 {
			t.Fatalf("asked %d times, want twice of each access and once of all else", len(e.asked))
		}
		addressOf := func(i uint32) uint64 { // of lane 4 in its space
			at := bases[i] + 16
			if i%2 == 1 {
				at += 4 * 4 * 4 % 64
			}
			return at % trace.WindowBytes
		}
		for n, a := range e.asked {
			i := a.Instruction
			if a.Kernel.Name != "accesses" || a.SM != 0 || a.Warp != 0 || a.Mask != mask || (a.Memory == nil) != (i >= 6) {
				t.Fatalf("question %d: %+v", n, a.Issuing)
			}
			if a.Memory == nil {
				continue
			}
			want := seam.MemoryAccess{Class: trace.ClassLoad, Space: spaces[i], LaneBytes: uint8(4 + i%2*4), Mask: mask, Token: seam.NoToken, Instruction: i}
			got := a.memory
			got.Access, got.Chunk = trace.Access{}, nil
			if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) || a.first%trace.WindowBytes != addressOf(i) {
				t.Errorf("question %d: %+v from %#x on, want %+v from %#x on", n, got, a.first, want, addressOf(i))
			}
		}
		var want []uint64
		for _, i := range here {
			want = append(want, addressOf(i))
		}
		if !slices.Equal(port, want) {
			t.Errorf("taken %b: the port has addresses %#x, want %#x", seed, port, want)
		}
	}
}

// A memory instruction that no lane takes part in takes its addresses with it, wherever it goes.
func TestAnAccessWithoutLanesTakesItsAddresses(t *testing.T) {
	k := gputest.NewKernel("empty")
	k.Load(trace.SpaceGlobal, 1, 2).Guarded(0).Load(trace.SpaceGlobal, 3, 4).Exit()
	for _, decision := range []seam.Decision{seam.Here, seam.Elsewhere, seam.Absorbed, seam.Awaited} {
		var port []uint32
		var bases []uint64
		memory := &gputest.Memory{LatencyCycles: memoryLatency, Seen: func(_ clock.Cycle, _ int, a *seam.MemoryAccess) {
			port, bases = append(port, a.Instruction), append(bases, a.Access.Base)
		}}
		offloaded(t, gputest.Machine(), memory, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) { w.VisitGuarded(0, w.Lanes, 0) }}, 10,
			func(i *seam.Issuing) seam.Decision {
				if i.Memory == nil && i.Instruction == 0 {
					return decision
				}
				return seam.Here
			})
		if want := uint64(0xC000_0000 + 1<<20); !slices.Equal(port, []uint32{1}) || bases[0] != want {
			t.Errorf("decision %d: the port has instructions %v at %#x, want 1 at %#x", decision, port, bases, want)
		}
	}
}

// Loads that the engine takes issue through the load/store unit, one a cycle, and count as misses where a scheduler
// switches at those. A fence waits for them.
func TestWhatTheEngineTakesPassesTheLoadStoreUnit(t *testing.T) {
	const n, cycles = 20, 100
	loads := gputest.NewKernel("loads")
	for i := range n {
		loads.Load(trace.SpaceGlobal, 10+i, 2)
	}
	loads.Exit()
	elsewhere := func(i *seam.Issuing) seam.Decision {
		if i.Memory != nil {
			return seam.Elsewhere
		}
		return seam.Here
	}
	m := gputest.Machine()
	m.SM.IssuePerScheduler, m.SM.FetchWidth, m.SM.InstructionBuffer = 2, 4, 8
	if r, _ := offloaded(t, m, steady(), straight(loads), cycles, elsewhere); r.Cycles != firstIssue+n-1+cycles+1 {
		t.Errorf("%d loads: %d cycles, want %d", n, r.Cycles, firstIssue+n-1+cycles+1)
	}
	two := gputest.NewKernel("two")
	two.Load(trace.SpaceGlobal, 1, 9).Load(trace.SpaceGlobal, 2, 9).Exit()
	for trigger, want := range map[string][]int{"mem-miss": {0, 1, 0, 1}, "non": {0, 0, 1, 1}} {
		m := gputest.Machine()
		m.SM.WarpSwitch = trigger
		_, e := offloaded(t, m, steady(), gputest.Launch{Kernel: two, Blocks: 1, Threads: 64}, cycles, elsewhere)
		var order []int
		for _, a := range e.asked {
			if a.Memory != nil {
				order = append(order, a.Warp)
			}
		}
		if !slices.Equal(order, want) {
			t.Errorf("%s: loads of warps %v, want %v", trigger, order, want)
		}
	}
	fenced := gputest.NewKernel("fenced")
	fenced.Load(trace.SpaceGlobal, 1, 2).Op(trace.ClassFence, gputest.None).Op(trace.ClassIntAdd, 3, 4).Exit()
	if r, _ := offloaded(t, gputest.Machine(), steady(), straight(fenced), cycles, elsewhere); r.Cycles != firstIssue+cycles+1+addition+1 {
		t.Errorf("a fence behind a load of %d cycles: %d cycles, want %d", cycles, r.Cycles, firstIssue+cycles+1+addition+1)
	}
}
