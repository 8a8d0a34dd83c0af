// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"fmt"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

func TestTwoUnitsOfAKindDoubleTheThroughput(t *testing.T) {
	const n = 100
	k := gputest.NewKernel("independent")
	for i := range n {
		k.Op(trace.ClassF32Fma, 10+i%100)
	}
	k.Exit()
	cycles := map[int]clock.Cycle{}
	for _, units := range []int{1, 2} {
		m := gputest.Machine()
		m.SM.InstructionBuffer = 8
		m.SM.Units.SP = units
		m.SM.Latencies.F32Fma.Interval = 4
		cycles[units] = cyclesOf(t, m, k)
	}
	if d := cycles[1] - cycles[2]; d != (n-1)*4-((n-2)/2*4+1) {
		t.Errorf("1 unit: %d cycles, 2 units: %d", cycles[1], cycles[2])
	}
}

func TestDualIssueIssuesPairsToDifferentUnits(t *testing.T) {
	const pairs = 40
	k := gputest.NewKernel("pairs")
	for i := range pairs {
		k.Op(trace.ClassF32Fma, 10+i).Op(trace.ClassIntAdd, 100+i)
	}
	k.Exit()
	same := gputest.NewKernel("same")
	for i := range 2 * pairs {
		same.Op(trace.ClassF32Fma, 10+i)
	}
	same.Exit()
	m := gputest.Machine()
	m.SM.FetchWidth, m.SM.InstructionBuffer = 2, 8
	m.SM.IssuePerScheduler, m.SM.DualIssueDifferentUnits = 2, true
	m.SM.Units.SP = 2
	tail := clock.Cycle(gputest.OperandRead + gputest.ALULatency + 1)
	if got, want := cyclesOf(t, m, k), firstIssue+(pairs-1)+tail; got != want {
		t.Errorf("pairs: %d cycles, want %d", got, want)
	}
	if got, want := cyclesOf(t, m, same), firstIssue+(2*pairs-1)+tail; got != want {
		t.Errorf("one kind of unit: %d cycles, want %d", got, want)
	}
	m.SM.DualIssueDifferentUnits = false
	if got, want := cyclesOf(t, m, same), firstIssue+(pairs-1)+tail; got != want {
		t.Errorf("two units of a kind: %d cycles, want %d", got, want)
	}
}

func TestOperandCollectorsBoundTheIssueRate(t *testing.T) {
	const n = 50
	k := gputest.NewKernel("independent")
	for i := range n {
		k.Op(trace.ClassF32Fma, 10+i)
	}
	k.Exit()
	m := gputest.Machine()
	m.SM.InstructionBuffer = 8
	m.SM.OperandReadCycles, m.SM.OperandCollectors = 6, 2
	run := replay(t, build(t, m, &gputest.Memory{}), gputest.Launch{Kernel: k, Blocks: 1, Threads: 32})
	// Two issue every six cycles.
	want := firstIssue + clock.Cycle((n-2)/2*6+1+6+gputest.ALULatency+1)
	if run.Cycles != want || run.Total[counters.StallOperand] == 0 {
		t.Errorf("%d cycles, %d operand stalls; want %d cycles", run.Cycles, run.Total[counters.StallOperand], want)
	}
}

func TestFenceWaitsForStoresAndLoads(t *testing.T) {
	k := gputest.NewKernel("fence")
	k.Store(trace.SpaceGlobal, 2, 1).Op(trace.ClassFence, gputest.None).Op(trace.ClassIntAdd, 3, 4).Exit()
	const latency = 50
	run := replay(t, build(t, gputest.Machine(), &gputest.Memory{LatencyCycles: latency}), gputest.Launch{Kernel: k, Blocks: 1, Threads: 32})
	performed := firstIssue + gputest.OperandRead + latency
	if want := clock.Cycle(performed + 1 + gputest.OperandRead + gputest.ALULatency + 1); run.Cycles != want {
		t.Errorf("%d cycles, want %d", run.Cycles, want)
	}
	if got := run.Total[counters.StallFence]; got != gputest.OperandRead+latency-1 {
		t.Errorf("%d slots lost to the fence, want %d", got, gputest.OperandRead+latency-1)
	}
}

func TestGuardFalseEverywhereIssuesWithoutAccess(t *testing.T) {
	k := gputest.NewKernel("guarded")
	k.Load(trace.SpaceGlobal, 1, 2).Guarded(0).Op(trace.ClassIntAdd, 3, 1).Exit()
	accesses := 0
	memory := &gputest.Memory{LatencyCycles: 50, Seen: func(clock.Cycle, int, *seam.MemoryAccess) { accesses++ }}
	run := replay(t, build(t, gputest.Machine(), memory), gputest.Launch{
		Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) { w.VisitGuarded(0, w.Lanes, 0) },
	})
	if accesses != 0 || run.Total[counters.IssuedWarp] != 3 || run.Total[counters.IssuedThread] != 64 {
		t.Errorf("%d accesses, %d warp and %d thread instructions; want 0, 3, 64", accesses, run.Total[counters.IssuedWarp], run.Total[counters.IssuedThread])
	}
	if want := clock.Cycle(firstIssue + 1 + gputest.OperandRead + gputest.ALULatency + 1); run.Cycles != want {
		t.Errorf("%d cycles, want %d: nothing waits for a load that no lane does", run.Cycles, want)
	}
}

func TestInstructionLinesAreWaitedForOnce(t *testing.T) {
	k := gputest.NewKernel("lines")
	for range 31 {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	k.Exit() // 32 instructions of 8 bytes: two lines of 128
	m := gputest.Machine()
	m.Instruction = arch.Cache{Bytes: 4096, Ways: 4, LineBytes: 128}
	hit := replay(t, build(t, m, &gputest.Memory{}), gputest.Launch{Kernel: k, Blocks: 1, Threads: 32})
	const miss = 100
	run := replay(t, build(t, m, &gputest.Memory{FetchMissCycles: miss}), gputest.Launch{Kernel: k, Blocks: 1, Threads: 32})
	if run.Total[counters.FetchMiss] != 2 || run.Total[counters.FetchInstruction] != 32 {
		t.Errorf("%d misses, %d instructions fetched; want 2, 32", run.Total[counters.FetchMiss], run.Total[counters.FetchInstruction])
	}
	if d := run.Cycles - hit.Cycles; d <= miss || d > 2*miss {
		t.Errorf("two misses of %d cycles cost %d", miss, d)
	}
}

func TestDivergentVisitsIssueOncePerVisit(t *testing.T) {
	k := gputest.NewKernel("diverge")
	k.Op(trace.ClassPredicate, 1)
	left := k.Branch()
	k.Op(trace.ClassIntAdd, 2)
	right := k.Branch()
	k.Op(trace.ClassIntAdd, 3)
	join := k.Branch()
	k.Exit()
	run := replay(t, build(t, gputest.Machine(), &gputest.Memory{}), gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) {
		w.Visit(0, gputest.Full)
		w.Visit(right, 0xffff0000)
		w.Visit(left, 0x0000ffff)
		w.Visit(join, gputest.Full)
	}})
	if w, l := run.Total[counters.IssuedWarp], run.Total[counters.IssuedThread]; w != 7 || l != 2*32+2*16+2*16+32 {
		t.Errorf("%d warp and %d thread instructions, want 7 and %d", w, l, 2*32+4*16+32)
	}
	profile := run.Profiles[0]
	for i := range 7 {
		if n := profile[i*counters.CauseCount]; n != 1 {
			t.Errorf("instruction %d issued %d times", i, n)
		}
	}
}

func TestSpecialFunctionUnitServesDivisionAndMissingDoublePrecision(t *testing.T) {
	k := gputest.NewKernel("units")
	for _, c := range []trace.OpClass{trace.ClassF64Add, trace.ClassIntDiv, trace.ClassSpecial, trace.ClassIntAdd, trace.ClassF32Add} {
		k.Op(c, 1)
	}
	k.Exit()
	m := gputest.Machine()
	m.SM.Units.DP, m.SM.Units.Int = 0, 0
	run := replay(t, build(t, m, &gputest.Memory{}), gputest.Launch{Kernel: k, Blocks: 1, Threads: 32})
	got := fmt.Sprint(run.Total[counters.UnitSFU], run.Total[counters.UnitSP], run.Total[counters.UnitControl], run.Total[counters.UnitDP])
	if got != "3 2 1 0" {
		t.Errorf("SFU, SP, control, DP: %s, want 3 2 1 0", got)
	}
}
