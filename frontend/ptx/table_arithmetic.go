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
	{one(int16to64), nil, 0, false, binaryShape, trace.ClassIntAdd},
	{one(typesOf(S32)), groups(req(ModSat)), 0, false, binaryShape, trace.ClassIntAdd},
	{one(int32and64), groups(req(ModCC)), 0, false, binaryShape, trace.ClassIntAdd},
}

// packed16 are two integers of 16 bits in a register.
var packed16 = typesOf(U16x2, S16x2)

var packedSum = []Form{{one(packed16), nil, 0, false, binaryShape, trace.ClassIntAdd}}

var floatSum = []Form{
	{one(typesOf(F32)), groups(rounding, ftz, sat), 0, false, binaryShape, trace.ClassF32Add},
	{one(typesOf(F64)), groups(rounding), 0, false, binaryShape, trace.ClassF64Add},
	{one(half), groups(opt(ModRn), ftz, sat), 0, false, binaryShape, trace.ClassF16},
	{one(bhalf), groups(opt(ModRn)), 0, false, binaryShape, trace.ClassF16},
	pairOfSingles(trace.ClassF32Add, rounding, binaryShape),
}

var integerProduct = []Form{
	{one(int16to64), groups(req(ModLo, ModHi)), 0, false, binaryShape, trace.ClassIntMul},
	{one(int16and32), groups(req(ModWide)), 0, false, []Slot{dstWide, srcA, srcB}, trace.ClassIntMul},
}

var floatProduct = []Form{
	{one(typesOf(F32)), groups(rounding, ftz, sat), 0, false, binaryShape, trace.ClassF32Mul},
	{one(typesOf(F64)), groups(rounding), 0, false, binaryShape, trace.ClassF64Mul},
	{one(half), groups(opt(ModRn), ftz, sat), 0, false, binaryShape, trace.ClassF16},
	{one(bhalf), groups(opt(ModRn)), 0, false, binaryShape, trace.ClassF16},
	pairOfSingles(trace.ClassF32Mul, rounding, binaryShape),
}

var integerMad = []Form{
	{one(int16to64), groups(req(ModLo, ModHi)), 0, false, ternaryShape, trace.ClassIntMad},
	{one(int16and32), groups(req(ModWide)), 0, false, []Slot{dstWide, srcA, srcB, srcWide}, trace.ClassIntMad},
	{one(typesOf(S32)), groups(req(ModHi), req(ModSat)), 0, false, ternaryShape, trace.ClassIntMad},
	{one(int32and64), groups(req(ModLo, ModHi), req(ModCC)), 0, false, ternaryShape, trace.ClassIntMad},
}

// The rounding of a floating-point mad may be missing for sm_1x only, where
// mad.f32 truncates the product's mantissa; LLVM and nvcc then mean fma.rn.
var floatMad = []Form{
	{one(typesOf(F32)), groups(rounding, ftz, sat), 0, false, ternaryShape, trace.ClassF32Fma},
	{one(typesOf(F64)), groups(rounding), 0, false, ternaryShape, trace.ClassF64Fma},
}

var fmaForms = []Form{
	{one(typesOf(F32)), groups(mustRound, ftz, sat), 0, false, ternaryShape, trace.ClassF32Fma},
	{one(typesOf(F64)), groups(mustRound), 0, false, ternaryShape, trace.ClassF64Fma},
	{one(half), groups(req(ModRn), ftz, opt(ModSat, ModRelu)), 0, false, ternaryShape, trace.ClassF16},
	{one(bhalf), groups(req(ModRn), opt(ModRelu)), 0, false, ternaryShape, trace.ClassF16},
	pairOfSingles(trace.ClassF32Fma, mustRound, ternaryShape),
}

// pairOfSingles is the .f32x2 form of an instruction (sm_100).
func pairOfSingles(class trace.OpClass, round Group, shape []Slot) Form {
	return Form{Types: one(typesOf(F32x2)), Groups: groups(round, ftz), Shape: shape, Class: class}
}

var floatQuotient = []Form{
	{one(typesOf(F32)), groups(req(ModApprox, ModFull, ModRn, ModRz, ModRm, ModRp), ftz), 0, false, binaryShape, trace.ClassF32Div},
	{one(typesOf(F64)), groups(mustRound), 0, false, binaryShape, trace.ClassF64Div},
}

var signForms = []Form{
	{one(signed16to64), nil, 0, false, unaryShape, trace.ClassIntAdd},
	{one(typesOf(F32)), groups(ftz), 0, false, unaryShape, trace.ClassF32Add},
	{one(typesOf(F64)), nil, 0, false, unaryShape, trace.ClassF64Add},
	{one(half), groups(ftz), 0, false, unaryShape, trace.ClassF16},
	{one(bhalf), nil, 0, false, unaryShape, trace.ClassF16},
}

var extremeForms = []Form{
	{one(int16to64 | packed16), nil, 0, false, binaryShape, trace.ClassIntMinMax},
	{one(typesOf(S32, S16x2)), groups(req(ModRelu)), 0, false, binaryShape, trace.ClassIntMinMax},
	{one(typesOf(F32)), groups(ftz, opt(ModNaN)), 0, false, binaryShape, trace.ClassF32MinMax},
	{one(typesOf(F32)), groups(ftz, opt(ModNaN), req(ModXorsign), req(ModAbs)), 0, false, binaryShape, trace.ClassF32MinMax},
	// Of three numbers (sm_100).
	{Types: one(typesOf(F32)), Groups: groups(ftz, opt(ModNaN), opt(ModAbs)), Shape: ternaryShape, Class: trace.ClassF32MinMax},
	{one(typesOf(F64)), nil, 0, false, binaryShape, trace.ClassF64MinMax},
	{one(half | bhalf), groups(ftz, opt(ModNaN)), 0, false, binaryShape, trace.ClassF16},
	{one(half | bhalf), groups(ftz, opt(ModNaN), req(ModXorsign), req(ModAbs)), 0, false, binaryShape, trace.ClassF16},
}

// countForms are popc's and clz's: the result is 32 bits wide for either type.
var countForms = []Form{{one(bits32and64), nil, 0, false, []Slot{dstB32, srcA}, trace.ClassIntAdd}}

// rootForms are rcp's and sqrt's.
var rootForms = []Form{
	{one(typesOf(F32)), groups(req(ModApprox, ModRn, ModRz, ModRm, ModRp), ftz), 0, false, unaryShape, trace.ClassSpecial},
	{one(typesOf(F64)), groups(mustRound), 0, false, unaryShape, trace.ClassSpecial},
}

// approximateForms are those of sin, cos, lg2 and ex2.
var approximateForms = []Form{{one(typesOf(F32)), groups(req(ModApprox), ftz), 0, false, unaryShape, trace.ClassSpecial}}

// halfExponential is ex2 in half precision; of bf16 it always flushes.
var halfExponential = []Form{
	{one(half), groups(req(ModApprox)), 0, false, unaryShape, trace.ClassSpecial},
	{one(bhalf), groups(req(ModApprox), req(ModFtz)), 0, false, unaryShape, trace.ClassSpecial},
}

// lop3Forms: with a boolean operation there is a predicate as well.
var lop3Forms = []Form{
	{one(typesOf(B32)), nil, 0, false, []Slot{dst, srcA, srcB, srcC, lut}, trace.ClassIntAdd},
	{one(typesOf(B32)), groups(req(ModAnd, ModOr)), 0, false, []Slot{dstSink, dstPair, srcA, srcB, srcC, lut, srcPred}, trace.ClassIntAdd},
}
