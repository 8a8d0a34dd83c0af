// SPDX-License-Identifier: Apache-2.0

package units

import (
	"fmt"
	"strings"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace"
)

// Kind is a kind of functional unit.
type Kind uint8

// The kinds of unit, in the order of their counters. Control stands for
// branches, barriers and the like, which occupy nothing but their issue slot.
const (
	SP Kind = iota
	Int
	DP
	SFU
	Tensor
	LDST
	Control

	// Kinds is their number.
	Kinds = iota
)

var kindNames = [Kinds]string{"sp", "int", "dp", "sfu", "tensor", "ldst", "control"}

func (k Kind) String() string { return kindNames[k] }

// Counter counts the instructions issued to units of the kind.
func (k Kind) Counter() counters.ID { return counters.UnitSP + counters.ID(k) }

// Counts gives the number of units of each kind; control is unlimited.
func Counts(u *arch.Units) [Kinds]int {
	return [Kinds]int{SP: u.SP, Int: u.Int, DP: u.DP, SFU: u.SFU, Tensor: u.Tensor, LDST: u.LDST}
}

// preferences lists, per class, the kinds of unit that can execute it, best
// first. Divisions go to the special-function units, as do the transcendentals
// (GPGPU-Sim's mapping); double precision falls back on them, integers on SP.
var preferences = [trace.ClassCount][]Kind{
	trace.ClassIntAdd: integer, trace.ClassIntMinMax: integer, trace.ClassIntMul: integer, trace.ClassIntMad: integer,
	trace.ClassConvert: integer, trace.ClassMove: integer, trace.ClassPredicate: integer, trace.ClassShuffle: integer,
	trace.ClassIntDiv: {SFU, Int, SP},
	trace.ClassF16:    single, trace.ClassF32Add: single, trace.ClassF32MinMax: single, trace.ClassF32Mul: single, trace.ClassF32Fma: single,
	trace.ClassF32Div: {SFU, SP},
	trace.ClassF64Add: double, trace.ClassF64MinMax: double, trace.ClassF64Mul: double, trace.ClassF64Fma: double,
	trace.ClassF64Div:  {SFU, DP},
	trace.ClassSpecial: {SFU},
	trace.ClassTensor:  {Tensor},
	trace.ClassLoad:    memory, trace.ClassStore: memory, trace.ClassAtomic: memory, trace.ClassTexture: memory, trace.ClassBulk: memory,
}

var (
	integer = []Kind{Int, SP}
	single  = []Kind{SP, Int}
	double  = []Kind{DP, SFU}
	memory  = []Kind{LDST}
)

// For chooses the kind of unit for a class, or says what is missing.
func For(class trace.OpClass, counts *[Kinds]int) (Kind, error) {
	choices := preferences[class]
	if len(choices) == 0 {
		return Control, nil
	}
	for _, k := range choices {
		if counts[k] > 0 {
			return k, nil
		}
	}
	return 0, fmt.Errorf("needs a %v unit, and the machine has none (units.%v is 0)", choices[0], choices[0])
}

// ForInstruction is For for an instruction, whose kind of unit may be one of the machine's
// choice (arch.SM, FloatConversions and IntegerProducts).
func ForInstruction(m *arch.SM, in *trace.Instruction, counts *[Kinds]int) (Kind, error) {
	if m.FloatConversions == "sfu" && in.Class == trace.ClassConvert && !widens(in) && counts[SFU] > 0 {
		return SFU, nil
	}
	if m.IntegerProducts == "sp" && (in.Class == trace.ClassIntMul || in.Class == trace.ClassIntMad) && counts[SP] > 0 {
		return SP, nil
	}
	kind, err := For(in.Class, counts)
	if err == nil && in.Class == trace.ClassTensor {
		err = checkProduct(m, in)
	}
	return kind, err
}

// widens reports whether a conversion is one between integers.
func widens(in *trace.Instruction) bool {
	for _, t := range in.Types {
		switch t[0] {
		case 'u', 's', 'b':
		default:
			return false
		}
		if strings.HasPrefix(t, "bf") {
			return false
		}
	}
	return len(in.Types) > 0
}

// ForControl chooses the kind of unit that branches and barriers go to, where they go to
// one: that of integers, or Control on machines without.
func ForControl(counts *[Kinds]int) Kind {
	for _, k := range integer {
		if counts[k] > 0 {
			return k
		}
	}
	return Control
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

// finer says which operations of a class have a latency of their own on machines that
// give one.
var finer = map[string]func(l *arch.Latencies) arch.OptionalLatency{}

func init() {
	for _, opcode := range []string{"and", "or", "xor", "not", "cnot", "lop3", "shl", "shr", "shf", "bfe", "bfi", "bfind", "brev", "clz", "popc", "prmt", "fns", "szext", "bmsk"} {
		finer[opcode] = func(l *arch.Latencies) arch.OptionalLatency { return l.Logic }
	}
	for _, opcode := range []string{"setp", "set", "selp", "slct"} {
		finer[opcode] = func(l *arch.Latencies) arch.OptionalLatency { return l.Compare }
	}
}

// LatencyOfInstruction gives the timing of an instruction: that of its class, unless the
// machine gives its operations one of their own. Logic on predicates keeps its class's.
// Conversions between integers are moves where others have a unit of their own.
func LatencyOfInstruction(m *arch.SM, in *trace.Instruction) arch.Latency {
	l := &m.Latencies
	if in.Class == trace.ClassTensor {
		return productLatency(m, in)
	}
	if m.FloatConversions == "sfu" && in.Class == trace.ClassConvert && widens(in) {
		return LatencyOf(l, trace.ClassMove)
	}
	if of := finer[in.Opcode]; of != nil && in.Class != trace.ClassPredicate {
		if own := of(l); own.Cycles > 0 {
			return arch.Latency{Cycles: own.Cycles, Interval: max(own.Interval, 1)}
		}
	}
	return LatencyOf(l, in.Class)
}

// Longest is the longest of all execution latencies.
func Longest(m *arch.SM) int {
	l := &m.Latencies
	longest := max(1, l.Logic.Cycles, l.Compare.Cycles, longestProduct(m))
	for c := range len(preferences) {
		longest = max(longest, LatencyOf(l, trace.OpClass(c)).Cycles)
	}
	return longest
}
