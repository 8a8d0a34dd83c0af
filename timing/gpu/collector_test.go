// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"fmt"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

// collecting is the test machine with one general set of collectors.
func collecting(count, ports int) *arch.Machine {
	m := gputest.Machine()
	m.SM.InstructionBuffer = 8
	m.SM.Collectors.General = arch.CollectorSet{Count: count, Ports: ports}
	return m
}

// runOne replays one warp.
func runOne(t testing.TB, m *arch.Machine, k *gputest.Kernel) *Run {
	t.Helper()
	return replay(t, build(t, m, &gputest.Memory{LatencyCycles: 50}), gputest.Launch{Kernel: k, Blocks: 1, Threads: 32})
}

// An instruction takes a collector in the cycle after issue, an operand in each of
// the next, and the way to its unit two more. That is collector to latch, latch to
// unit.
func TestCollectingTakesACyclePerOperand(t *testing.T) {
	for operands := range 5 {
		for _, latency := range []int{1, 4, 9} {
			m := collecting(2, 1)
			m.SM.Latencies.F32Fma.Cycles = latency
			var sources []int
			for i := range operands {
				sources = append(sources, 10+i)
			}
			k := gputest.NewKernel("one")
			k.Op(trace.ClassF32Fma, 1, sources...).Exit()
			if got, want := runOne(t, m, k).Cycles, firstIssue+clock.Cycle(1+operands+2+latency+1); got != want {
				t.Errorf("%d operands, latency %d: %d cycles, want %d", operands, latency, got, want)
			}
		}
	}
}

// The second of two instructions whose operands are all in one bank waits for the
// first for as many cycles as their reads overlap.
func TestInstructionsCompeteForABank(t *testing.T) {
	for operands := 1; operands <= 3; operands++ {
		k := gputest.NewKernel("two")
		for i := range 2 {
			var sources []int
			for j := range operands {
				sources = append(sources, 16+4*(3*i+j))
			}
			k.Op(trace.ClassF32Fma, 1+i, sources...)
		}
		k.Exit()
		m := collecting(2, 1)
		free := runOne(t, m, k).Cycles
		m.SM.RegisterBanks = 4
		run := runOne(t, m, k)
		if late := int(run.Cycles - free); late != operands-1 || run.Total[counters.RegisterBankConflict] != uint64(operands-1) {
			t.Errorf("%d operands: %d cycles late, %d conflicts, want %d", operands, late, run.Total[counters.RegisterBankConflict], operands-1)
		}
	}
}

// Write-backs go before reads: a read of the bank in that cycle comes one later.
func TestAWriteBackTakesTheBankFromARead(t *testing.T) {
	cycles := map[int]clock.Cycle{}
	for _, written := range []int{0, 1} {
		k := gputest.NewKernel("write")
		// The first instruction writes back in the cycle in which the last one
		// reads; the others touch no register.
		k.Op(trace.ClassF32Fma, written)
		for range 3 {
			k.Op(trace.ClassIntAdd, gputest.None)
		}
		k.Op(trace.ClassF32Fma, 5, 4).Exit()
		m := collecting(8, 4)
		m.SM.RegisterBanks = 4
		m.SM.Latencies.F32Fma.Cycles = 3
		cycles[written] = runOne(t, m, k).Cycles
	}
	if cycles[0] != cycles[1]+1 {
		t.Errorf("a write to the bank that is read: %d cycles, to another: %d, want one more", cycles[0], cycles[1])
	}
}

func TestCollectorsHeldBoundTheIssueRate(t *testing.T) {
	const n = 60
	for _, count := range []int{1, 2, 3, 4, 8} {
		k := gputest.NewKernel("independent")
		for i := range n {
			k.Op(trace.ClassF32Fma, 10+i, 100, 101)
		}
		k.Exit()
		m := collecting(count, 1)
		got := runOne(t, m, k).Cycles
		// A collector is held from the cycle in which it is taken to that in which
		// it is left, two operands later: three cycles.
		period := max(3, count)
		start := (n-1)/count*period + (n-1)%count
		want := firstIssue + clock.Cycle(start+1+2+2+gputest.ALULatency+1)
		if got != want {
			t.Errorf("%d collectors: %d cycles, want %d", count, got, want)
		}
	}
}

func TestAResultBusServesOneUnitACycle(t *testing.T) {
	const n = 50
	k := gputest.NewKernel("pairs")
	for i := range n {
		k.Op(trace.ClassF32Fma, 10+i).Op(trace.ClassIntAdd, 100+i)
	}
	k.Exit()
	cycles := map[int]clock.Cycle{}
	for _, buses := range []int{0, 1, 2} {
		m := collecting(8, 4)
		m.SM.FetchWidth, m.SM.IssuePerScheduler, m.SM.ResultBuses = 4, 2, buses
		cycles[buses] = runOne(t, m, k).Cycles
	}
	if cycles[0] != cycles[2] || cycles[1]-cycles[2] != n {
		t.Errorf("%d cycles with one bus, %d with two, %d with any number; want %d more with one", cycles[1], cycles[2], cycles[0], n)
	}
}

// The load reads its address two cycles after issue; what overwrites the address
// issues in the next cycle without the check, and in that of the read with it.
func TestWARKeepsAnInstructionUntilTheOperandIsRead(t *testing.T) {
	k := gputest.NewKernel("war")
	k.Op(trace.ClassF32Fma, 1, 2).Op(trace.ClassIntAdd, 2, 5).Exit()
	m := collecting(4, 2)
	plain := runOne(t, m, k)
	m.SM.WARHazards = true
	run := runOne(t, m, k)
	if run.Cycles != plain.Cycles+1 || run.Total[counters.StallOperand] != 1 || plain.Total[counters.StallOperand] != 0 {
		t.Errorf("%d cycles and %d operand stalls, without the check %d and %d", run.Cycles, run.Total[counters.StallOperand], plain.Cycles, plain.Total[counters.StallOperand])
	}
}

// Chains of every class take operand read and the latency of the class per link.
func TestChainsOfEveryClassTakeItsLatency(t *testing.T) {
	m := gputest.Machine()
	l := &m.SM.Latencies
	classes := map[trace.OpClass]*arch.Latency{
		trace.ClassIntAdd: &l.IntAdd, trace.ClassIntMinMax: &l.IntMinMax, trace.ClassIntMul: &l.IntMul, trace.ClassIntMad: &l.IntMad,
		trace.ClassIntDiv: &l.IntDiv, trace.ClassF16: &l.F16, trace.ClassF32Add: &l.F32Add, trace.ClassF32MinMax: &l.F32MinMax,
		trace.ClassF32Mul: &l.F32Mul, trace.ClassF32Fma: &l.F32Fma, trace.ClassF32Div: &l.F32Div, trace.ClassF64Add: &l.F64Add,
		trace.ClassF64MinMax: &l.F64MinMax, trace.ClassF64Mul: &l.F64Mul, trace.ClassF64Fma: &l.F64Fma, trace.ClassF64Div: &l.F64Div,
		trace.ClassSpecial: &l.Special, trace.ClassConvert: &l.Convert, trace.ClassMove: &l.Move, trace.ClassPredicate: &l.Predicate,
		trace.ClassShuffle: &l.Shuffle, trace.ClassTensor: &l.Tensor,
	}
	for class, latency := range classes {
		*latency = arch.Latency{Cycles: 3 + int(class), Interval: 1}
	}
	for class := range classes {
		t.Run(fmt.Sprint(class), func(t *testing.T) {
			const n = 6
			k := gputest.NewKernel("chain")
			for range n {
				k.Op(class, 1, 1)
			}
			k.Exit()
			if got, want := cyclesOf(t, m, k), firstIssue+clock.Cycle(n*(gputest.OperandRead+3+int(class))+1); got != want {
				t.Errorf("%d cycles, want %d", got, want)
			}
		})
	}
}
