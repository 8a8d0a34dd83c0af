// SPDX-License-Identifier: Apache-2.0

package trace

// OpClass says what kind of work an instruction is, in terms that any
// architecture can map to a functional unit and a latency. It is part of the
// file format: values are only ever appended.
type OpClass uint8

// The operation classes. The integer and floating classes follow the split by
// which published latencies are given (add, min/max, mul, mad, div).
const (
	ClassInvalid OpClass = iota
	// ClassIntAdd is integer add, subtract, compare, select, logic and shift.
	ClassIntAdd
	// ClassIntMinMax is integer min, max and sad.
	ClassIntMinMax
	ClassIntMul
	ClassIntMad
	ClassIntDiv // div and rem
	ClassF16
	// ClassF32Add is single-precision add, subtract, compare, neg and abs.
	ClassF32Add
	ClassF32MinMax
	ClassF32Mul
	ClassF32Fma // mad and fma
	ClassF32Div
	ClassF64Add
	ClassF64MinMax
	ClassF64Mul
	ClassF64Fma
	ClassF64Div
	// ClassSpecial is what the special-function unit does: rcp, sqrt, rsqrt,
	// sin, cos, lg2, ex2, tanh.
	ClassSpecial
	ClassConvert   // cvt between types
	ClassMove      // mov, cvta, isspacep
	ClassPredicate // logic on predicate registers
	ClassShuffle   // shfl, vote, match, activemask, redux
	ClassTensor
	ClassLoad
	ClassStore
	ClassAtomic // atom and red
	ClassTexture
	ClassBarrier // bar, barrier
	ClassFence   // membar, fence
	ClassBranch
	ClassCall
	ClassExit // ret from the entry, exit, trap
	ClassNop
	ClassBulk // bulk copies, by one thread for many bytes: see BulkCopy

	classEnd // sentinel: number of classes
)

var classNames = [classEnd]string{
	ClassInvalid: "invalid",
	ClassIntAdd:  "int-add", ClassIntMinMax: "int-minmax", ClassIntMul: "int-mul", ClassIntMad: "int-mad", ClassIntDiv: "int-div",
	ClassF16:    "f16",
	ClassF32Add: "f32-add", ClassF32MinMax: "f32-minmax", ClassF32Mul: "f32-mul", ClassF32Fma: "f32-fma", ClassF32Div: "f32-div",
	ClassF64Add: "f64-add", ClassF64MinMax: "f64-minmax", ClassF64Mul: "f64-mul", ClassF64Fma: "f64-fma", ClassF64Div: "f64-div",
	ClassSpecial: "special", ClassConvert: "convert", ClassMove: "move", ClassPredicate: "predicate",
	ClassShuffle: "shuffle", ClassTensor: "tensor",
	ClassLoad: "load", ClassStore: "store", ClassAtomic: "atomic", ClassTexture: "texture",
	ClassBarrier: "barrier", ClassFence: "fence", ClassBranch: "branch", ClassCall: "call", ClassExit: "exit", ClassNop: "nop", ClassBulk: "bulk",
}

// ClassCount is the number of operation classes; classes are 0..ClassCount-1.
const ClassCount = int(classEnd)

func (c OpClass) String() string {
	if c < classEnd {
		return classNames[c]
	}
	return "unknown"
}

// IsMemory reports whether an executed instruction of the class has lane
// addresses in the trace, or, of ClassBulk, the words of a BulkCopy. Others have accesses
// as well (Instruction.HasAccess).
func (c OpClass) IsMemory() bool {
	return c == ClassLoad || c == ClassStore || c == ClassAtomic || c == ClassTexture || c == ClassBulk
}

// EndsSegment reports whether the class ends a basic block: control flow, and
// barriers, at which the contaminator cuts as well.
func (c OpClass) EndsSegment() bool {
	return c == ClassBranch || c == ClassExit || c == ClassBarrier || c == ClassCall
}

// Space is a PTX state space (PTX ISA, "State Spaces").
type Space uint8

// The state spaces. SpaceGeneric in an Instruction means that the space is
// known only per access; the recorded address then lies in a window.
const (
	SpaceNone Space = iota
	SpaceGlobal
	SpaceShared
	SpaceLocal
	SpaceConst
	SpaceParam
	SpaceGeneric
	SpaceTexture

	spaceEnd
)

var spaceNames = [spaceEnd]string{"none", "global", "shared", "local", "const", "param", "generic", "texture"}

// SpaceCount is the number of state spaces.
const SpaceCount = int(spaceEnd)

func (s Space) String() string {
	if s < spaceEnd {
		return spaceNames[s]
	}
	return "unknown"
}
