package sm

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace"
)

// Unit is a kind of functional unit.
type Unit uint8

// The kinds of unit, in the order of their counters. UnitControl stands for
// branches, barriers and the like, which occupy nothing but their issue slot.
const (
	UnitSP Unit = iota
	UnitInt
	UnitDP
	UnitSFU
	UnitTensor
	UnitLDST
	UnitControl

	unitCount
)

var unitNames = [unitCount]string{"sp", "int", "dp", "sfu", "tensor", "ldst", "control"}

func (u Unit) String() string { return unitNames[u] }

// Counter counts the instructions issued to units of the kind.
func (u Unit) Counter() counters.ID { return counters.UnitSP + counters.ID(u) }

// unitCounts gives the number of units of each kind; control is unlimited.
func unitCounts(u *arch.Units) [unitCount]int {
	return [unitCount]int{UnitSP: u.SP, UnitInt: u.Int, UnitDP: u.DP, UnitSFU: u.SFU, UnitTensor: u.Tensor, UnitLDST: u.LDST}
}

// preferences lists, per class, the kinds of unit that can execute it, best
// first. Divisions go to the special-function units, as do the transcendentals
// (GPGPU-Sim's mapping); double precision falls back on them, integers on SP.
var preferences = [trace.ClassCount][]Unit{
	trace.ClassIntAdd: integer, trace.ClassIntMinMax: integer, trace.ClassIntMul: integer, trace.ClassIntMad: integer,
	trace.ClassConvert: integer, trace.ClassMove: integer, trace.ClassPredicate: integer, trace.ClassShuffle: integer,
	trace.ClassIntDiv: {UnitSFU, UnitInt, UnitSP},
	trace.ClassF16:    single, trace.ClassF32Add: single, trace.ClassF32MinMax: single, trace.ClassF32Mul: single, trace.ClassF32Fma: single,
	trace.ClassF32Div: {UnitSFU, UnitSP},
	trace.ClassF64Add: double, trace.ClassF64MinMax: double, trace.ClassF64Mul: double, trace.ClassF64Fma: double,
	trace.ClassF64Div:  {UnitSFU, UnitDP},
	trace.ClassSpecial: {UnitSFU},
	trace.ClassTensor:  {UnitTensor},
	trace.ClassLoad:    memory, trace.ClassStore: memory, trace.ClassAtomic: memory, trace.ClassTexture: memory, trace.ClassBulk: memory,
}

var (
	integer = []Unit{UnitInt, UnitSP}
	single  = []Unit{UnitSP, UnitInt}
	double  = []Unit{UnitDP, UnitSFU}
	memory  = []Unit{UnitLDST}
)

// unitFor chooses the kind of unit for a class, or says what is missing.
func unitFor(class trace.OpClass, counts *[unitCount]int) (Unit, error) {
	choices := preferences[class]
	if len(choices) == 0 {
		return UnitControl, nil
	}
	for _, u := range choices {
		if counts[u] > 0 {
			return u, nil
		}
	}
	return 0, fmt.Errorf("needs a %v unit, and the machine has none (units.%v is 0)", choices[0], choices[0])
}

// LatencyOf gives the timing of a class; memory classes have none of their own.
func LatencyOf(l *arch.Latencies, class trace.OpClass) arch.Latency {
	table := [trace.ClassCount]arch.Latency{
		trace.ClassIntAdd: l.IntAdd, trace.ClassIntMinMax: l.IntMinMax, trace.ClassIntMul: l.IntMul,
		trace.ClassIntMad: l.IntMad, trace.ClassIntDiv: l.IntDiv,
		trace.ClassF16:    l.F16,
		trace.ClassF32Add: l.F32Add, trace.ClassF32MinMax: l.F32MinMax, trace.ClassF32Mul: l.F32Mul,
		trace.ClassF32Fma: l.F32Fma, trace.ClassF32Div: l.F32Div,
		trace.ClassF64Add: l.F64Add, trace.ClassF64MinMax: l.F64MinMax, trace.ClassF64Mul: l.F64Mul,
		trace.ClassF64Fma: l.F64Fma, trace.ClassF64Div: l.F64Div,
		trace.ClassSpecial: l.Special, trace.ClassConvert: l.Convert, trace.ClassMove: l.Move,
		trace.ClassPredicate: l.Predicate, trace.ClassShuffle: l.Shuffle, trace.ClassTensor: l.Tensor,
		trace.ClassBranch: l.Branch, trace.ClassCall: l.Branch, trace.ClassExit: l.Branch,
		trace.ClassBarrier: l.Barrier, trace.ClassFence: l.Fence, trace.ClassNop: l.Nop,
	}
	t := table[class]
	return arch.Latency{Cycles: max(t.Cycles, 1), Interval: max(t.Interval, 1)}
}
