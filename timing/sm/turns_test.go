// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace"
)

// storesSeen replays a launch and gives the cycles in which stores come to the port, with their warps.
func storesSeen(t *testing.T, m *arch.Machine, l gputest.Launch) (at []clock.Cycle, warps []int) {
	t.Helper()
	memory := &gputest.Memory{LatencyCycles: memoryLatency, Seen: func(now clock.Cycle, _ int, a *seam.MemoryAccess) {
		if a.Class == trace.ClassStore {
			at, warps = append(at, now), append(warps, a.WarpSlot)
		}
	}}
	replay(t, build(t, m, memory), l)
	return at, warps
}

// Schedulers that want one unit get it in turn: in each cycle that with the cycle's number, modulo theirs, comes first.
func TestSchedulersTakeTurnsAtAUnit(t *testing.T) {
	const each = 6
	k := gputest.NewKernel("stores")
	k.Barrier("sync", 0)
	for range each {
		k.Store(trace.SpaceGlobal, 1, 2)
	}
	k.Exit()
	for schedulers := 1; schedulers <= 6; schedulers++ {
		m := gputest.Machine()
		m.SM.Schedulers, m.SM.InstructionBuffer, m.SM.FetchWidth = schedulers, 16, 8
		m.SM.Latencies.Barrier.Cycles = 40 // by then all instructions are fetched
		at, warps := storesSeen(t, m, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32 * schedulers})
		for i := range each * schedulers / 2 { // in the first half all have stores left
			if issued := at[i] - gputest.OperandRead; warps[i] != int(issued)%schedulers || i > 0 && at[i] != at[i-1]+1 {
				t.Errorf("%d schedulers: a store of warp %d issues in cycle %d, want one of warp %d, and one each cycle", schedulers, warps[i], issued, int(issued)%schedulers)
			}
		}
	}
}

// Instructions of a run are fetched before those of other warps, so that a slow fetch does not hold it up.
func TestARunIsFetchedBeforeOtherWarps(t *testing.T) {
	const n = 8
	k := gputest.NewKernel("run")
	for range n {
		k.Store(trace.SpaceGlobal, 1, 2)
	}
	k.Exit()
	a := &core.Arrangement{Runs: make([]core.Run, n+1)}
	for i := range uint32(n + 1) {
		a.Order = append(a.Order, i)
	}
	for i := 1; i < n-1; i++ {
		a.Runs[i] = core.RunInside
	}
	a.Runs[1], a.Runs[n-1] = core.RunFirst, core.RunLast
	m := gputest.Machine()
	m.SM.FetchWidth, m.SM.InstructionBuffer = 1, 4
	m.SetSection("trial", &trial{arrangedAs(a)})
	at := map[int]map[uint32]clock.Cycle{0: {}, 1: {}, 2: {}} // by warp and instruction
	memory := &gputest.Memory{LatencyCycles: memoryLatency, Seen: func(now clock.Cycle, _ int, a *seam.MemoryAccess) { at[a.WarpSlot][a.Instruction] = now }}
	replay(t, build(t, m, memory), gputest.Launch{Kernel: k, Blocks: 1, Threads: 96})
	for i := uint32(2); i < n; i++ {
		if at[0][i] != at[0][i-1]+1 {
			t.Errorf("store %d of the run comes in cycle %d, that before it in %d", i, at[0][i], at[0][i-1])
		}
	}
}

// Operand read with bank conflicts holds its collector longer: so many more cycles that three are too few for one
// instruction a cycle, as two are without conflicts.
func TestConflictsHoldCollectors(t *testing.T) {
	const n = 40
	for conflicts, sources := range [][]int{{8}, {8, 16}, {8, 16, 24}} {
		k := gputest.NewKernel("independent")
		for i := range n {
			k.Op(trace.ClassF32Fma, 33+i*8%64, sources...)
			k.Instructions[i].Operands, k.Instructions[i].Destinations = k.Instructions[i].Operands[1:], 0
		}
		k.Exit()
		for collectors := 1; collectors <= 5; collectors++ {
			m := gputest.Machine()
			m.SM.InstructionBuffer, m.SM.RegisterBanks, m.SM.Units.SP, m.SM.OperandCollectors = 8, 8, 8, collectors
			held := gputest.OperandRead + conflicts
			period := max(held, collectors)
			issues := firstIssue + clock.Cycle((n-1)/collectors*period+(n-1)%collectors)
			if r := one(t, m, k); r.Cycles != issues+1+1 || r.Total[counters.RegisterBankConflict] != uint64(n*conflicts) {
				t.Errorf("%d conflicts, %d collectors: %d cycles, want %d", conflicts, collectors, r.Cycles, issues+2)
			}
		}
	}
}

// While the port is busy, and nothing else is under way, the SM sleeps until it is free.
func TestAnSMSleepsUntilThePortIsFree(t *testing.T) {
	const busy = 30
	k := gputest.NewKernel("loads")
	k.Load(trace.SpaceGlobal, 1, 2).Load(trace.SpaceGlobal, 3, 2).Op(trace.ClassIntAdd, 4, 1).Exit()
	asked := false
	stepped(t, gputest.Machine(), &gputest.Memory{LatencyCycles: 200, TakesCycles: busy}, straight(k), func(now clock.Cycle, s *sm.SM, _ sm.Lockstep) {
		if now == firstIssue+20 {
			asked = true
			if next := s.NextEvent(now - 1); next != firstIssue+gputest.OperandRead+busy {
				t.Errorf("the next event is in cycle %d, want the port's %d", next, firstIssue+gputest.OperandRead+busy)
			}
		}
		if now == firstIssue+1+gputest.OperandRead+1 { // behind the cycle from which the second load can come to the port, which is busy
			if next := s.NextEvent(now - 1); next != firstIssue+gputest.OperandRead+busy {
				t.Errorf("the next event is in cycle %d, want the port's %d", next, firstIssue+gputest.OperandRead+busy)
			}
		}
		if now == firstIssue+gputest.OperandRead {
			if next := s.NextEvent(now - 1); next != firstIssue+gputest.OperandRead {
				t.Errorf("the next event is in cycle %d, want %d, in which the load comes to the port", next, firstIssue+gputest.OperandRead)
			}
		}
	})
	if !asked {
		t.Error("the cycle has not come")
	}
}

// As many warps are fetched for in a cycle as the machine says, in the order of their slots.
func TestWarpsAreFetchedForSoManyInACycle(t *testing.T) {
	const warps = 6
	k := gputest.NewKernel("one")
	k.Op(trace.ClassNop, gputest.None).Exit()
	for fetches, each := range []int{1, 1, 2, 3, 4} { // none named is one
		m := gputest.Machine()
		m.SM.FetchesPerCycle, m.SM.Schedulers = fetches, warps
		var first [warps]clock.Cycle
		stepped(t, m, steady(), gputest.Launch{Kernel: k, Blocks: 1, Threads: 32 * warps}, func(now clock.Cycle, s *sm.SM, _ sm.Lockstep) {
			for w := range first {
				if at, _ := s.Next(w); at > 0 && first[w] == 0 {
					first[w] = now - 1
				}
			}
		})
		for w, at := range first {
			if want := clock.Cycle(firstIssue + w/each); at != want {
				t.Errorf("%d fetches a cycle: warp %d issues first in cycle %d, want %d", fetches, w, at, want)
			}
		}
	}
}
