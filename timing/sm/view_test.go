// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
)

// What a front end of its own may ask behind a cycle: in which cycle something changes for the warps that lack a unit or a
// collector, as far as is known, and which warps wait for results and at barriers.
func TestAFrontEndSeesWhenUnitsAreFree(t *testing.T) {
	const never, after = clock.Never, firstIssue + 2 // by then both of the first warp's instructions have been looked at
	ops := func(classes ...trace.OpClass) *gputest.Kernel {
		k := gputest.NewKernel("ops")
		for i, c := range classes {
			if c == trace.ClassLoad {
				k.Load(trace.SpaceGlobal, 10+i, 2)
				continue
			}
			k.Op(c, 10+i, 2)
		}
		return k.Exit()
	}
	const special, double, single, load, nothing = trace.ClassSpecial, trace.ClassF64Add, trace.ClassF32Fma, trace.ClassLoad, trace.ClassNop
	chain := gputest.NewKernel("chain")
	chained(chain, 5).Exit()
	some := gputest.NewKernel("some") // two operations, or one
	some.Op(special, 1).Op(special, 2).Block()
	some.Op(special, 3).Block()
	some.Exit()
	for name, c := range map[string]struct {
		change          func(m *arch.Machine)
		kernel          *gputest.Kernel
		warps           int
		visits          [][]uint32  // of each warp; nil: all blocks
		at              clock.Cycle // asked behind this cycle
		candidate, unit clock.Cycle
		results         warpset.Set
	}{
		"the unit is taken":                         {nil, ops(special, special), 1, nil, after, firstIssue + 8, firstIssue + 8, warpset.Set{}},
		"one of two kinds is free sooner":           {func(m *arch.Machine) { m.SM.Latencies.F64Add.Interval = 30 }, ops(double, special, special), 2, nil, after + 2, firstIssue + 1 + 8, firstIssue + 1 + 8, warpset.Set{}},
		"no unit is lacked":                         {nil, chain, 1, nil, after, never, never, warpset.Of(0)},
		"a collector is taken":                      {func(m *arch.Machine) { m.SM.OperandReadCycles, m.SM.OperandCollectors = 6, 1 }, ops(single, single), 1, nil, after, firstIssue + 6, firstIssue + 6, warpset.Set{}},
		"what needs no unit waits for no collector": {func(m *arch.Machine) { m.SM.OperandReadCycles, m.SM.OperandCollectors = 6, 1 }, ops(single, nothing, nothing, nothing, nothing), 1, nil, after, after + 1, never, warpset.Set{}},
		"two units are taken":                       {func(m *arch.Machine) { m.SM.Units.SFU = 2 }, ops(special, special, special), 1, nil, after, firstIssue + 8, firstIssue + 8, warpset.Set{}},
		"the sub-core's unit is taken": {func(m *arch.Machine) {
			m.SM.Schedulers, m.SM.Units.SFU, m.SM.Collectors.SubCores = 2, 2, true
		}, ops(special, special), 1, nil, after, firstIssue + 8, firstIssue + 8, warpset.Set{}},
		"the queue is full": {nil, ops(load, load, load, load, load, load, load, load), 1, nil, firstIssue + 12, never, never, warpset.Set{}},
		"nothing is lacked": {nil, ops(nothing, nothing, nothing, nothing), 2, nil, after, after + 1, never, warpset.Set{}},
		"another sub-core's unit is taken": {func(m *arch.Machine) {
			m.SM.Schedulers, m.SM.Units.SFU, m.SM.Collectors.SubCores = 2, 2, true
		}, some, 2, [][]uint32{{2}, {0, 2}}, firstIssue + 4, firstIssue + 1 + 8, firstIssue + 1 + 8, warpset.Set{}},
		"another has taken the slot": {func(m *arch.Machine) { m.SM.Units.SFU, m.SM.IssuePerScheduler = 2, 2 }, some, 3, [][]uint32{{0, 2}, {1, 2}, {1, 2}}, firstIssue + 8, firstIssue + 9, never, warpset.Set{}},
		"collectors are staged":      {func(m *arch.Machine) { m.SM.Collectors.General = arch.CollectorSet{Count: 1, Ports: 1} }, ops(special, special, special, special), 1, nil, after + 4, never, never, warpset.Set{}},
	} {
		m := gputest.Machine()
		m.SM.InstructionBuffer, m.SM.FetchWidth = 8, 8
		if c.change != nil {
			c.change(m)
		}
		memory := &gputest.Memory{LatencyCycles: memoryLatency, TakesCycles: 30}
		asked := false
		stepped(t, m, memory, gputest.Launch{Kernel: c.kernel, Blocks: 1, Threads: 32 * c.warps, Record: func(w *gputest.Warp) {
			visits := []uint32{0}
			if c.visits != nil {
				visits = c.visits[w.Warp]
			}
			for _, b := range visits {
				w.Visit(b, w.Lanes)
			}
		}}, func(now clock.Cycle, s *sm.SM, _ sm.Lockstep) {
			if now != c.at+1 {
				return
			}
			asked = true
			if candidate, unit := s.NextCandidate(c.at), s.NextUnit(c.at); candidate != c.candidate || unit != c.unit || s.AwaitUnits() != c.results {
				t.Errorf("%s: the next candidate is in cycle %d, the next unit in %d, results are awaited by %v; want %d, %d and %v", name, candidate, unit, s.AwaitUnits(), c.candidate, c.unit, c.results)
			}
		})
		if !asked {
			t.Errorf("%s: the cycle has not come", name)
		}
	}
}

// A unit is idle in the cycles in which nothing starts there: each instruction takes it for its interval.
func TestAFrontEndSeesWhichUnitsAreIdle(t *testing.T) {
	const n, interval = 3, 4
	k := gputest.NewKernel("some")
	for i := range n {
		k.Op(trace.ClassF32Fma, 10+i, 2)
	}
	k.Exit()
	staged := gputest.Machine()
	staged.SM.Collectors.General = arch.CollectorSet{Count: 4, Ports: 1}
	for name, m := range map[string]*arch.Machine{"fixed": gputest.Machine(), "staged": staged} {
		m.SM.Latencies.F32Fma.Interval = interval
		busy, other := 0, 0
		stepped(t, m, steady(), straight(k), func(now clock.Cycle, s *sm.SM, _ sm.Lockstep) {
			if now > 0 && !s.UnitIdle(units.SP, now-1) {
				busy++
			}
			if now > 0 && !s.UnitIdle(units.DP, now-1) {
				other++
			}
		})
		if busy < n*(interval-1) || busy > n*interval || other > 0 {
			t.Errorf("%s: the unit is busy in %d cycles, another in %d, want %d and none", name, busy, other, n*interval)
		}
	}
}

// A front end hears once that a warp has come to wait for something else.
func TestAFrontEndHearsOnceOfAChange(t *testing.T) {
	k := gputest.NewKernel("load")
	k.Load(trace.SpaceGlobal, 1, 2).Op(trace.ClassIntAdd, 3, 1).Exit()
	var settled []bool
	stepped(t, gputest.Machine(), steady(), straight(k), func(now clock.Cycle, s *sm.SM, _ sm.Lockstep) {
		if now > firstIssue && now < firstIssue+4 { // the load has issued, the addition waits for it
			settled = append(settled, s.Settled())
		}
	})
	if !slices.Equal(settled, []bool{false, true, true}) {
		t.Errorf("settled: %v", settled)
	}
}

// Slots are lost to the warp that is closest to issue. Without one, or where it has issued everything, they are idle.
func TestSlotsAreBlamedOnTheWarpClosestToIssue(t *testing.T) {
	k := gputest.NewKernel("mixed")
	k.Branch()
	k.Load(trace.SpaceGlobal, 1, 2).Op(trace.ClassIntAdd, 3, 1).Branch()
	chained(k, 20).Branch()
	k.Exit()
	visits := [][]uint32{{0, 1, 3}, {0, 2, 3}, {3}}
	seen := false
	stepped(t, gputest.Machine(), steady(), gputest.Launch{Kernel: k, Blocks: 1, Threads: 96, Record: func(w *gputest.Warp) {
		for _, b := range visits[w.Warp] {
			w.Visit(b, w.Lanes)
		}
	}}, func(now clock.Cycle, s *sm.SM, _ sm.Lockstep) {
		if now != firstIssue+20 {
			return
		}
		seen = true
		for _, c := range []struct {
			own  warpset.Set
			want core.Blame
		}{
			{warpset.Of(0), core.Blame{Instruction: 2, Cause: counters.CauseMemory}}, {warpset.Of(1), core.Blame{Instruction: 7, Cause: counters.CauseCompute}},
			{warpset.First(3), core.Blame{Instruction: 7, Cause: counters.CauseCompute}}, {warpset.Of(2), core.NoWarp}, {warpset.Set{}, core.NoWarp},
		} {
			if got := s.Blame(now, c.own); got != c.want {
				t.Errorf("slots of warps %v are lost to %v at %d, want %v at %d", c.own, got.Cause, got.Instruction, c.want.Cause, c.want.Instruction)
			}
		}
		if got := s.BlameWarp(0, counters.CauseFence); got != (core.Blame{Instruction: 2, Cause: counters.CauseFence}) {
			t.Errorf("a slot of warp 0 is charged to %v at %d", got.Cause, got.Instruction)
		}
		if at, runs := s.At(0); at != 2 || !runs {
			t.Errorf("warp 0 is at %d, %v", at, runs)
		}
	})
	if !seen {
		t.Error("the cycle has not come")
	}
}
