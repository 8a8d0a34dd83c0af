// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

// TestEveryClassHasItsLatencyAndItsInterval: of two independent instructions of a class
// the second issues an interval after the first, and ends the program a latency later.
func TestEveryClassHasItsLatencyAndItsInterval(t *testing.T) {
	m := gputest.Machine()
	l := &m.SM.Latencies
	for class, latency := range map[trace.OpClass]*arch.Latency{
		trace.ClassIntAdd: &l.IntAdd, trace.ClassIntMinMax: &l.IntMinMax, trace.ClassIntMul: &l.IntMul, trace.ClassIntMad: &l.IntMad,
		trace.ClassIntDiv: &l.IntDiv, trace.ClassF16: &l.F16, trace.ClassF32Add: &l.F32Add, trace.ClassF32MinMax: &l.F32MinMax,
		trace.ClassF32Mul: &l.F32Mul, trace.ClassF32Fma: &l.F32Fma, trace.ClassF32Div: &l.F32Div, trace.ClassF64Add: &l.F64Add,
		trace.ClassF64MinMax: &l.F64MinMax, trace.ClassF64Mul: &l.F64Mul, trace.ClassF64Fma: &l.F64Fma, trace.ClassF64Div: &l.F64Div,
		trace.ClassSpecial: &l.Special, trace.ClassConvert: &l.Convert, trace.ClassMove: &l.Move, trace.ClassPredicate: &l.Predicate,
		trace.ClassShuffle: &l.Shuffle, trace.ClassTensor: &l.Tensor,
	} {
		was := *latency
		*latency = arch.Latency{Cycles: 11 + int(class), Interval: 3 + int(class)%5}
		k := gputest.NewKernel("two")
		k.Op(class, 1, 2).Op(class, 3, 4).Exit()
		r := one(t, m, k)
		if want := clock.Cycle(firstIssue + latency.Interval + gputest.OperandRead + latency.Cycles + 1); r.Cycles != want {
			t.Errorf("%v: %d cycles, want %d", class, r.Cycles, want)
		}
		if got := r.Total[counters.StallUnit]; got != uint64(latency.Interval-1) {
			t.Errorf("%v: %d slots wait for the unit, want %d", class, got, latency.Interval-1)
		}
		*latency = was
	}
}

// TestABranchTakenRestartsTheFetch when it is resolved; one that falls through does not.
func TestABranchTakenRestartsTheFetch(t *testing.T) {
	k := gputest.NewKernel("jump")
	k.Op(trace.ClassNop, gputest.None)
	over := k.Branch()
	k.Op(trace.ClassIntAdd, 2)
	k.Branch()
	k.Exit()
	for _, branch := range []int{1, 2, 7} {
		m := gputest.Machine()
		m.SM.Latencies.Branch.Cycles = branch
		_, taken := run(t, m, nil, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) { w.Visit(0, w.Lanes); w.Visit(over+1, w.Lanes) }})
		if want := clock.Cycle(firstIssue + 1 + branch + gputest.DecodeCycles + 1); taken.Cycles != want {
			t.Errorf("a branch of %d cycles that is taken: %d cycles, want %d", branch, taken.Cycles, want)
		}
		_, through := run(t, m, nil, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) {
			w.Visit(0, w.Lanes)
			w.Visit(over, w.Lanes)
			w.Visit(over+1, w.Lanes)
		}})
		if want := clock.Cycle(firstIssue + 2 + addition + 1); through.Cycles != want {
			t.Errorf("a branch of %d cycles that falls through: %d cycles, want %d", branch, through.Cycles, want)
		}
	}
}

// TestABarrierOpensWhenTheLastWarpArrives: the others lose their slots to it, and all go
// on behind it.
func TestABarrierOpensWhenTheLastWarpArrives(t *testing.T) {
	for _, links := range []int{1, 20} {
		k := gputest.NewKernel("barrier")
		k.Branch()
		for range links {
			k.Op(trace.ClassIntAdd, 1, 1)
		}
		k.Op(trace.ClassNop, gputest.None, 1) // waits for the chain
		k.Branch()
		k.Barrier("sync", 0)
		end := uint32(len(k.Blocks) - 1)
		k.Exit()
		_, r := run(t, gputest.Machine(), nil, gputest.Launch{Kernel: k, Blocks: 1, Threads: 64, Record: func(w *gputest.Warp) {
			w.Visit(0, w.Lanes)
			if w.Warp == 1 {
				w.Visit(1, w.Lanes)
			}
			w.Visit(2, w.Lanes)
			w.Visit(end, w.Lanes)
		}})
		_, alone := run(t, gputest.Machine(), nil, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) {
			for block := range end + 1 {
				w.Visit(block, w.Lanes)
			}
		}})
		// The slow warp is fetched a cycle later than if it were alone, and leaves with
		// the other, which takes a slot before it.
		if late := r.Cycles - alone.Cycles; late < 1 || late > 2 {
			t.Errorf("%d links: %d cycles with another warp at the barrier, %d alone", links, r.Cycles, alone.Cycles)
		}
		if got := r.Total[counters.IssuedWarp]; got != uint64(1+2+links+3+1+1) {
			t.Errorf("%d links: %d instructions", links, got)
		}
	}
}

// TestOperandsOfOneBankAreReadOneAfterTheOther.
func TestOperandsOfOneBankAreReadOneAfterTheOther(t *testing.T) {
	for sources, late := range map[*[3]int]clock.Cycle{
		{8, 17, 26}: 0, // banks 0, 1, 2 of 8
		{8, 16, 25}: 1, // 0, 0, 1
		{8, 16, 24}: 2, // 0, 0, 0
		{8, 8, 8}:   0, // one register
	} {
		k := gputest.NewKernel("banks")
		k.Op(trace.ClassF32Fma, 1, sources[:]...).Exit()
		m := gputest.Machine()
		m.SM.RegisterBanks = 8
		r := one(t, m, k)
		if want := firstIssue + addition + 1 + late; r.Cycles != want || r.Total[counters.RegisterBankConflict] != uint64(late) {
			t.Errorf("registers %v: %d cycles and %d conflicts, want %d and %d", *sources, r.Cycles, r.Total[counters.RegisterBankConflict], want, late)
		}
	}
}

// TestCollectorsHoldAnInstructionUntilItsOperandsAreRead: a cycle to enter, one for each
// operand, two on the way to the unit; each holds its collector for the reading.
func TestCollectorsHoldAnInstructionUntilItsOperandsAreRead(t *testing.T) {
	for operands := range 4 {
		k := gputest.NewKernel("one")
		k.Op(trace.ClassF32Fma, 1, []int{10, 11, 12}[:operands]...).Exit()
		if got, want := one(t, collecting(2, 1), k).Cycles, firstIssue+clock.Cycle(1+operands+2+gputest.ALULatency+1); got != want {
			t.Errorf("%d operands: %d cycles, want %d", operands, got, want)
		}
	}
	const n = 60
	k := gputest.NewKernel("many")
	for i := range n {
		k.Op(trace.ClassF32Fma, 10+i, 100, 101)
	}
	k.Exit()
	for _, count := range []int{1, 2, 3, 8} {
		period := max(3, count) // held for three cycles
		want := firstIssue + clock.Cycle((n-1)/count*period+(n-1)%count+1+2+2+gputest.ALULatency+1)
		if got := one(t, collecting(count, 1), k).Cycles; got != want {
			t.Errorf("%d collectors: %d cycles, want %d", count, got, want)
		}
	}
	// What overwrites an operand that is still to be read waits, if the machine looks.
	war := gputest.NewKernel("war")
	war.Op(trace.ClassF32Fma, 1, 2).Op(trace.ClassIntAdd, 2, 5).Exit()
	m := collecting(4, 2)
	plain := one(t, m, war)
	m.SM.WARHazards = true
	if looked := one(t, m, war); looked.Cycles != plain.Cycles+1 || looked.Total[counters.StallOperand] != 1 || plain.Total[counters.StallOperand] != 0 {
		t.Errorf("%d cycles and %d operand stalls, without the look %d and %d", looked.Cycles, looked.Total[counters.StallOperand], plain.Cycles, plain.Total[counters.StallOperand])
	}
}

// TestTwoBusesWriteTwoResultsACycle, one bus one.
func TestTwoBusesWriteTwoResultsACycle(t *testing.T) {
	const n = 50
	k := gputest.NewKernel("pairs")
	for i := range n {
		k.Op(trace.ClassF32Fma, 10+i).Op(trace.ClassIntAdd, 100+i)
	}
	k.Exit()
	cycles := map[int]clock.Cycle{}
	for _, buses := range []int{0, 1, 2} {
		m := gputest.Machine()
		m.SM.InstructionBuffer, m.SM.FetchWidth, m.SM.IssuePerScheduler, m.SM.ResultBuses = 8, 4, 2, buses
		m.SM.Collectors.General = arch.CollectorSet{Count: 8, Ports: 4}
		cycles[buses] = one(t, m, k).Cycles
	}
	if cycles[0] != cycles[2] || cycles[1]-cycles[2] != n {
		t.Errorf("%d cycles with one bus, %d with two, %d with any number; want %d more with one", cycles[1], cycles[2], cycles[0], n)
	}
}

// TestStoresAreOneACycle, and the warp stays until the last is performed.
func TestStoresAreOneACycle(t *testing.T) {
	const n = 30
	k := gputest.NewKernel("stores")
	for range n {
		k.Store(trace.SpaceGlobal, 2, 3)
	}
	k.Exit()
	m := gputest.Machine()
	m.SM.InstructionBuffer = 8
	if got, want := one(t, m, k).Cycles, clock.Cycle(firstIssue+n-1+access+1); got != want {
		t.Errorf("%d stores take %d cycles, want %d", n, got, want)
	}
}

// TestWhatIsFetchedBehindATakenBranchIsThrownAway: a branch at the end of a fetch costs the
// fetch and decode of what follows it in memory, one inside a fetch costs neither.
func TestWhatIsFetchedBehindATakenBranchIsThrownAway(t *testing.T) {
	for before, penalty := range map[int]int{1: 1 + gputest.DecodeCycles + 1, 2: 2} {
		k := gputest.NewKernel("jump")
		for range before {
			k.Op(trace.ClassNop, gputest.None)
		}
		over := k.Branch()
		k.Op(trace.ClassIntAdd, 2)
		k.Branch()
		k.Exit()
		m := gputest.Machine()
		m.SM.FetchPastBranches = true
		_, taken := run(t, m, nil, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) { w.Visit(0, w.Lanes); w.Visit(over+1, w.Lanes) }})
		if want := clock.Cycle(firstIssue + before + penalty + gputest.DecodeCycles + 1); taken.Cycles != want {
			t.Errorf("%d instructions before the branch: %d cycles, want %d", before, taken.Cycles, want)
		}
	}
}
