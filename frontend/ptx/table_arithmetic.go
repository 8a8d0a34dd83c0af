// SPDX-License-Identifier: Apache-2.0

package ptx

import "github.com/warptape/warptape/trace"

// Operand shapes that most arithmetic has.
var (
	unaryShape   = []Slot{dst, srcA}
	binaryShape  = []Slot{dst, srcA, srcB}
	ternaryShape = []Slot{dst, srcA, srcB, srcC}
)

// rounding is the optional, mustRound the mandatory IEEE rounding (9.7.3).
var (
	rounding  = opt(ModRn, ModRz, ModRm, ModRp)
	mustRound = req(ModRn, ModRz, ModRm, ModRp)
	ftz       = opt(ModFtz)
	sat       = opt(ModSat)
)

var integerSum = []Form{
	{Types: one(int16to64), Shape: binaryShape, Class: trace.ClassIntAdd},
	{Types: one(typesOf(S32)), Groups: groups(req(ModSat)), Shape: binaryShape, Class: trace.ClassIntAdd},
	{Types: one(int32and64), Groups: groups(req(ModCC)), Shape: binaryShape, Class: trace.ClassIntAdd},
}

// packed16 are two integers of 16 bits in a register.
var packed16 = typesOf(U16x2, S16x2)

var packedSum = []Form{{Types: one(packed16), Shape: binaryShape, Class: trace.ClassIntAdd}}

var floatSum = []Form{
	{Types: one(typesOf(F32)), Groups: groups(rounding, ftz, sat), Shape: binaryShape, Class: trace.ClassF32Add},
	{Types: one(typesOf(F64)), Groups: groups(rounding), Shape: binaryShape, Class: trace.ClassF64Add},
	{Types: one(half), Groups: groups(opt(ModRn), ftz, sat), Shape: binaryShape, Class: trace.ClassF16},
	{Types: one(bhalf), Groups: groups(opt(ModRn)), Shape: binaryShape, Class: trace.ClassF16},
	pairOfSingles(trace.ClassF32Add, rounding, binaryShape),
}

var integerProduct = []Form{
	{Types: one(int16to64), Groups: groups(req(ModLo, ModHi)), Shape: binaryShape, Class: trace.ClassIntMul},
	{Types: one(int16and32), Groups: groups(req(ModWide)), Shape: []Slot{dstWide, srcA, srcB}, Class: trace.ClassIntMul},
}

var floatProduct = []Form{
	{Types: one(typesOf(F32)), Groups: groups(rounding, ftz, sat), Shape: binaryShape, Class: trace.ClassF32Mul},
	{Types: one(typesOf(F64)), Groups: groups(rounding), Shape: binaryShape, Class: trace.ClassF64Mul},
	{Types: one(half), Groups: groups(opt(ModRn), ftz, sat), Shape: binaryShape, Class: trace.ClassF16},
	{Types: one(bhalf), Groups: groups(opt(ModRn)), Shape: binaryShape, Class: trace.ClassF16},
	pairOfSingles(trace.ClassF32Mul, rounding, binaryShape),
}

var integerMad = []Form{
	{Types: one(int16to64), Groups: groups(req(ModLo, ModHi)), Shape: ternaryShape, Class: trace.ClassIntMad},
	{Types: one(int16and32), Groups: groups(req(ModWide)), Shape: []Slot{dstWide, srcA, srcB, srcWide}, Class: trace.ClassIntMad},
	{Types: one(typesOf(S32)), Groups: groups(req(ModHi), req(ModSat)), Shape: ternaryShape, Class: trace.ClassIntMad},
	{Types: one(int32and64), Groups: groups(req(ModLo, ModHi), req(ModCC)), Shape: ternaryShape, Class: trace.ClassIntMad},
}

// The rounding of a floating-point mad may be missing for sm_1x only, where
// mad.f32 truncates the product's mantissa; LLVM and nvcc then mean fma.rn.
var floatMad = []Form{
	{Types: one(typesOf(F32)), Groups: groups(rounding, ftz, sat), Shape: ternaryShape, Class: trace.ClassF32Fma},
	{Types: one(typesOf(F64)), Groups: groups(rounding), Shape: ternaryShape, Class: trace.ClassF64Fma},
}

var fmaForms = []Form{
	{Types: one(typesOf(F32)), Groups: groups(mustRound, ftz, sat), Shape: ternaryShape, Class: trace.ClassF32Fma},
	{Types: one(typesOf(F64)), Groups: groups(mustRound), Shape: ternaryShape, Class: trace.ClassF64Fma},
	{Types: one(half), Groups: groups(req(ModRn), ftz, opt(ModSat, ModRelu)), Shape: ternaryShape, Class: trace.ClassF16},
	{Types: one(bhalf), Groups: groups(req(ModRn), opt(ModRelu)), Shape: ternaryShape, Class: trace.ClassF16},
	pairOfSingles(trace.ClassF32Fma, mustRound, ternaryShape),
}

// pairOfSingles is the .f32x2 form of an instruction (sm_100).
func pairOfSingles(class trace.OpClass, round Group, shape []Slot) Form {
	return Form{Types: one(typesOf(F32x2)), Groups: groups(round, ftz), Shape: shape, Class: class}
}

var floatQuotient = []Form{
	{Types: one(typesOf(F32)), Groups: groups(req(ModApprox, ModFull, ModRn, ModRz, ModRm, ModRp), ftz), Shape: binaryShape, Class: trace.ClassF32Div},
	{Types: one(typesOf(F64)), Groups: groups(mustRound), Shape: binaryShape, Class: trace.ClassF64Div},
}

var signForms = []Form{
	{Types: one(signed16to64), Shape: unaryShape, Class: trace.ClassIntAdd},
	{Types: one(typesOf(F32)), Groups: groups(ftz), Shape: unaryShape, Class: trace.ClassF32Add},
	{Types: one(typesOf(F64)), Shape: unaryShape, Class: trace.ClassF64Add},
	{Types: one(half), Groups: groups(ftz), Shape: unaryShape, Class: trace.ClassF16},
	{Types: one(bhalf), Shape: unaryShape, Class: trace.ClassF16},
}

var extremeForms = []Form{
	{Types: one(int16to64 | packed16), Shape: binaryShape, Class: trace.ClassIntMinMax},
	{Types: one(typesOf(S32, S16x2)), Groups: groups(req(ModRelu)), Shape: binaryShape, Class: trace.ClassIntMinMax},
	{Types: one(typesOf(F32)), Groups: groups(ftz, opt(ModNaN)), Shape: binaryShape, Class: trace.ClassF32MinMax},
	{Types: one(typesOf(F32)), Groups: groups(ftz, opt(ModNaN), req(ModXorsign), req(ModAbs)), Shape: binaryShape, Class: trace.ClassF32MinMax},
	// Of three numbers (sm_100).
	{Types: one(typesOf(F32)), Groups: groups(ftz, opt(ModNaN), opt(ModAbs)), Shape: ternaryShape, Class: trace.ClassF32MinMax},
	{Types: one(typesOf(F64)), Shape: binaryShape, Class: trace.ClassF64MinMax},
	{Types: one(half | bhalf), Groups: groups(ftz, opt(ModNaN)), Shape: binaryShape, Class: trace.ClassF16},
	{Types: one(half | bhalf), Groups: groups(ftz, opt(ModNaN), req(ModXorsign), req(ModAbs)), Shape: binaryShape, Class: trace.ClassF16},
}

// countForms are popc's and clz's: the result is 32 bits wide for either type.
var countForms = []Form{{Types: one(bits32and64), Shape: []Slot{dstB32, srcA}, Class: trace.ClassIntAdd}}

// rootForms are rcp's and sqrt's.
var rootForms = []Form{
	{Types: one(typesOf(F32)), Groups: groups(req(ModApprox, ModRn, ModRz, ModRm, ModRp), ftz), Shape: unaryShape, Class: trace.ClassSpecial},
	{Types: one(typesOf(F64)), Groups: groups(mustRound), Shape: unaryShape, Class: trace.ClassSpecial},
}

// approximateForms are those of sin, cos, lg2 and ex2.
var approximateForms = []Form{{Types: one(typesOf(F32)), Groups: groups(req(ModApprox), ftz), Shape: unaryShape, Class: trace.ClassSpecial}}

// halfExponential is ex2 in half precision; of bf16 it always flushes.
var halfExponential = []Form{
	{Types: one(half), Groups: groups(req(ModApprox)), Shape: unaryShape, Class: trace.ClassSpecial},
	{Types: one(bhalf), Groups: groups(req(ModApprox), req(ModFtz)), Shape: unaryShape, Class: trace.ClassSpecial},
}

// lop3Forms: with a boolean operation there is a predicate as well.
var lop3Forms = []Form{
	{Types: one(typesOf(B32)), Shape: []Slot{dst, srcA, srcB, srcC, lut}, Class: trace.ClassIntAdd},
	{Types: one(typesOf(B32)), Groups: groups(req(ModAnd, ModOr)), Shape: []Slot{dstSink, dstPair, srcA, srcB, srcC, lut, srcPred}, Class: trace.ClassIntAdd},
}
