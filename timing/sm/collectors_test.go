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

// collecting is the test machine with one general set of collectors.
func collecting(count, ports int) *arch.Machine {
	m := gputest.Machine()
	m.SM.InstructionBuffer = 8
	m.SM.Collectors.General = arch.CollectorSet{Count: count, Ports: ports}
	return m
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
		free := one(t, m, k).Cycles
		m.SM.RegisterBanks = 4
		run := one(t, m, k)
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
		cycles[written] = one(t, m, k).Cycles
	}
	if cycles[0] != cycles[1]+1 {
		t.Errorf("a write to the bank that is read: %d cycles, to another: %d, want one more", cycles[0], cycles[1])
	}
}

// The end of a thread takes a cycle to a collector, no operand, two to its unit, and one
// there. Where control passes no unit, a warp of nothing else ends when that issues.
func TestControlPassesCollectorsAndUnits(t *testing.T) {
	k := gputest.NewKernel("ends")
	k.Exit()
	for control, cycles := range map[bool]clock.Cycle{false: 0, true: 1 + 2 + 1} {
		for _, back := range []int{0, 3} {
			m := collecting(2, 1)
			m.SM.Collectors.Control, m.SM.WriteBackCycles = control, back
			want := firstIssue + cycles + 1
			if control {
				want += clock.Cycle(back)
			}
			if got := one(t, m, k).Cycles; got != want {
				t.Errorf("control %v, write-back of %d cycles: %d cycles, want %d", control, back, got, want)
			}
		}
	}
	// The end goes to a unit, as what stands before it does.
	for _, class := range []trace.OpClass{trace.ClassNop, trace.ClassF32Fma} {
		m := collecting(1, 1)
		m.SM.Collectors.Control = true
		k := gputest.NewKernel("many")
		for range 20 {
			k.Op(class, gputest.None)
		}
		k.Exit()
		run := one(t, m, k)
		if got := run.Total[counters.UnitSP] + run.Total[counters.UnitInt]; got != 21 {
			t.Errorf("%v: %d instructions went to units, want all 21", class, got)
		}
	}
}

// A load writes its registers as the banks take them, one of a bank in a cycle: its reader issues as much later, and the
// cycles in between are conflicts. So does an operation.
func TestRegistersOfOneBankAreWrittenOneAfterTheOther(t *testing.T) {
	for _, words := range []uint8{1, 2, 4} {
		for name, late := range map[string]clock.Cycle{"one bank": clock.Cycle(words) - 1, "a bank each": 0} {
			for _, load := range []bool{true, false} {
				k := gputest.NewKernel("wide")
				if load {
					k.Load(trace.SpaceGlobal, 8, 2)
				} else {
					k.Op(trace.ClassF32Fma, 8, 2)
				}
				k.Instructions[0].Operands[0].Register.Words = words
				k.Op(trace.ClassIntAdd, gputest.None, 8).Exit()
				m := collecting(4, 1)
				without := one(t, m, k).Cycles
				if m.SM.RegisterBanks = 1; late == 0 {
					m.SM.RegisterBanks = 8
				}
				r := one(t, m, k)
				if r.Cycles != without+late || r.Total[counters.RegisterBankConflict] != uint64(late) {
					t.Errorf("%d words of %s, a load %v: %d cycles and %d conflicts, want %d and %d", words, name, load, r.Cycles, r.Total[counters.RegisterBankConflict], without+late, late)
				}
			}
		}
	}
}
