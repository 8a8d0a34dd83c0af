package emulator

import (
	"math"

	"github.com/warptape/warptape/frontend/ptx"
)

// roundingOf is the rounding mode of an arithmetic instruction; .rn without one.
func roundingOf(in *ptx.Instruction) rounding {
	switch {
	case in.Mods.Has(ptx.ModRz), in.Mods.Has(ptx.ModRzi):
		return towardZero
	case in.Mods.Has(ptx.ModRm), in.Mods.Has(ptx.ModRmi):
		return towardMinus
	case in.Mods.Has(ptx.ModRp), in.Mods.Has(ptx.ModRpi):
		return towardPlus
	}
	return nearest
}

// loopF32 finds the loop of a single-precision instruction, modifiers included.
func loopF32(in *ptx.Instruction) laneLoop {
	loop := plainF32(in)
	if loop == nil {
		return nil
	}
	if in.Mods.Has(ptx.ModFtz) {
		if fast := fastFlushedF32(in); fast != nil {
			loop = fast
		} else {
			loop = flushed(loop, len(in.Operands)-1, true)
		}
	}
	if in.Mods.Has(ptx.ModSat) {
		loop = saturated[float32](loop)
	}
	return loop
}

// fastFlushedF32 finds a loop of its own for the frequent .ftz instructions.
func fastFlushedF32(in *ptx.Instruction) laneLoop {
	if roundingOf(in) != nearest {
		return nil
	}
	switch in.Op {
	case ptx.OpAdd:
		return vectorAddFtz.or(addLanesFtz)
	case ptx.OpSub:
		return vectorSubFtz.or(subLanesFtz)
	case ptx.OpMul:
		return vectorMulFtz.or(mulLanesFtz)
	case ptx.OpMad, ptx.OpFma:
		return vectorFmaFtz.or(fmaLanesFtz)
	}
	return nil
}

func plainF32(in *ptx.Instruction) laneLoop {
	if mode := roundingOf(in); mode != nearest {
		return directedF32(in.Op, mode)
	}
	switch in.Op {
	case ptx.OpAdd:
		return vectorAddF32.or(addLanesF32)
	case ptx.OpSub:
		return vectorSubF32.or(subLanesF32)
	case ptx.OpMul:
		return vectorMulF32.or(mulLanesF32)
	case ptx.OpMad, ptx.OpFma:
		return vectorFmaF32.or(fmaLanesF32)
	case ptx.OpDiv:
		if in.Mods.Has(ptx.ModApprox) {
			return each2(divApproximate)
		}
		return divLanesF32
	case ptx.OpAbs:
		return each1(func(a uint32) uint32 { return a &^ (1 << 31) })
	case ptx.OpNeg:
		return each1(func(a uint32) uint32 { return a ^ 1<<31 })
	case ptx.OpCopysign:
		return each2(func(a, b uint32) uint32 { return a&(1<<31) | b&^(1<<31) })
	case ptx.OpMin, ptx.OpMax:
		if len(in.Operands) > 3 {
			return each3(extremeOfThree(in))
		}
		return each2(extremeF32(in))
	}
	if f := functionOf(in.Op); f != nil {
		return each1(func(a float32) float32 { return narrow32(f(float64(a)), nearest) })
	}
	return nil
}

// functionOf gives the functions of one argument, computed in double
// precision. Rounded once more to single precision the result is correctly
// rounded for rcp and sqrt (.rn as well as .approx), since double has more
// than twice the precision, and within half an ulp and a trifle for the
// others, whose bounds (9.7.3.16-22) are wider.
func functionOf(op ptx.Opcode) func(float64) float64 {
	switch op {
	case ptx.OpRcp:
		return func(a float64) float64 { return 1 / a }
	case ptx.OpSqrt:
		return math.Sqrt
	case ptx.OpRsqrt:
		return func(a float64) float64 { return 1 / math.Sqrt(a) }
	case ptx.OpSin:
		return math.Sin
	case ptx.OpCos:
		return math.Cos
	case ptx.OpLg2:
		return math.Log2
	case ptx.OpEx2:
		return math.Exp2
	case ptx.OpTanh:
		return math.Tanh
	}
	return nil
}

// directedF32 finds the loop under .rz, .rm or .rp.
func directedF32(op ptx.Opcode, mode rounding) laneLoop {
	switch op {
	case ptx.OpAdd:
		return each2(func(a, b float32) float32 { return addRounded32(a, b, mode) })
	case ptx.OpSub:
		return each2(func(a, b float32) float32 { return addRounded32(a, -b, mode) })
	case ptx.OpMul:
		return each2(func(a, b float32) float32 { return mulRounded32(a, b, mode) })
	case ptx.OpMad, ptx.OpFma:
		return each3(func(a, b, c float32) float32 { return fmaRounded32(a, b, c, mode) })
	case ptx.OpDiv:
		return each2(func(a, b float32) float32 { return divRounded32(a, b, mode) })
	case ptx.OpRcp:
		return each1(func(a float32) float32 { return divRounded32(1, a, mode) })
	case ptx.OpSqrt:
		return each1(func(a float32) float32 { return sqrtRounded32(a, mode) })
	}
	return nil
}

// divApproximate is div.approx.f32 (9.7.3.8): for divisors above 2^126 it
// gives zero, and NaN for an infinite dividend.
func divApproximate(a, b float32) float32 {
	magnitude := math.Abs(float64(b))
	if magnitude > 0x1p126 && !math.IsInf(magnitude, 0) {
		if math.IsInf(float64(a), 0) || a != a {
			return canonical32
		}
		return float32(math.Copysign(0, float64(a)) * math.Copysign(1, float64(b)))
	}
	r := a / b
	if r != r {
		return canonical32
	}
	return r
}

// extremeF32 is min or max with .NaN and .xorsign.abs (9.7.3.11, 9.7.3.12).
func extremeF32(in *ptx.Instruction) func(a, b float32) float32 {
	largest, propagate := in.Op == ptx.OpMax, in.Mods.Has(ptx.ModNaN)
	xorsign := in.Mods.Has(ptx.ModXorsign)
	return func(a, b float32) float32 {
		if !xorsign {
			return extreme(a, b, largest, propagate, canonical32)
		}
		sign := (math.Float32bits(a) ^ math.Float32bits(b)) & (1 << 31)
		r := extreme(abs32(a), abs32(b), largest, propagate, canonical32)
		if r != r {
			return r
		}
		return math.Float32frombits(math.Float32bits(r) | sign)
	}
}

func abs32(a float32) float32 { return math.Float32frombits(math.Float32bits(a) &^ (1 << 31)) }

// extreme is the smaller or larger of two numbers, with -0 below +0. One NaN
// gives the other operand unless NaNs propagate.
func extreme[T float32 | float64](a, b T, largest, propagate bool, nan T) T {
	switch {
	case a != a && b != b, propagate && (a != a || b != b):
		return nan
	case a != a:
		return b
	case b != b:
		return a
	case largest:
		return max(a, b)
	}
	return min(a, b)
}

// loopF64 finds the loop of a double-precision instruction.
func loopF64(in *ptx.Instruction) laneLoop {
	mode := roundingOf(in)
	if mode != nearest {
		return directedF64(in.Op, mode)
	}
	largest := in.Op == ptx.OpMax
	switch in.Op {
	case ptx.OpAdd:
		return vectorAddF64.or(addLanesF64)
	case ptx.OpSub:
		return vectorSubF64.or(subLanesF64)
	case ptx.OpMul:
		return vectorMulF64.or(mulLanesF64)
	case ptx.OpMad, ptx.OpFma:
		return vectorFmaF64.or(fmaLanesF64)
	case ptx.OpDiv:
		return divLanesF64
	case ptx.OpAbs:
		return each1(func(a uint64) uint64 { return a &^ (1 << 63) })
	case ptx.OpNeg:
		return each1(func(a uint64) uint64 { return a ^ 1<<63 })
	case ptx.OpCopysign:
		return each2(func(a, b uint64) uint64 { return a&(1<<63) | b&^(1<<63) })
	case ptx.OpMin, ptx.OpMax:
		return each2(func(a, b float64) float64 { return extreme(a, b, largest, false, canonical64) })
	case ptx.OpRcp, ptx.OpRsqrt, ptx.OpSqrt:
		f := functionOf(in.Op)
		if in.Mods.Has(ptx.ModApprox) && in.Mods.Has(ptx.ModFtz) {
			return each1(func(a uint64) uint64 { return coarse64(a, f) })
		}
		return each1(func(a float64) float64 { return canonical(f(a)) })
	}
	return nil
}

// coarse64 is rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 (9.7.3.14, 9.7.3.17):
// the low 32 bits of the operand are ignored, those of the result are zero,
// and subnormals are flushed.
func coarse64(a uint64, f func(float64) float64) uint64 {
	const high = 0xffffffff_00000000
	r := math.Float64bits(canonical(f(math.Float64frombits(flush64(a & high)))))
	return flush64(r & high)
}

// flush64 makes a subnormal double a zero of its sign.
func flush64(v uint64) uint64 {
	if v&(0x7ff<<52) == 0 {
		return v & (1 << 63)
	}
	return v
}

func directedF64(op ptx.Opcode, mode rounding) laneLoop {
	switch op {
	case ptx.OpAdd:
		return each2(func(a, b float64) float64 { return addRounded64(a, b, mode) })
	case ptx.OpSub:
		return each2(func(a, b float64) float64 { return addRounded64(a, -b, mode) })
	case ptx.OpMul:
		return each2(func(a, b float64) float64 { return mulRounded64(a, b, mode) })
	case ptx.OpMad, ptx.OpFma:
		return each3(func(a, b, c float64) float64 { return fmaRounded64(a, b, c, mode) })
	case ptx.OpDiv:
		return each2(func(a, b float64) float64 { return divRounded64(a, b, mode) })
	case ptx.OpRcp:
		return each1(func(a float64) float64 { return divRounded64(1, a, mode) })
	case ptx.OpSqrt:
		return each1(func(a float64) float64 { return sqrtRounded64(a, mode) })
	}
	return nil
}

// loopF16 finds the loop of an instruction on .f16, .f16x2, .bf16 or .bf16x2.
func loopF16(in *ptx.Instruction) laneLoop {
	format, packed := half, in.Type().Bits() == 32
	if in.Type() == ptx.BF16 || in.Type() == ptx.BF16x2 {
		format = brain
	}
	signs := uint32(0x8000)
	if packed {
		signs = 0x80008000
	}
	switch in.Op {
	case ptx.OpAbs:
		return flushedHalves(format, packed, in.Mods.Has(ptx.ModFtz), func(a uint32) uint32 { return a &^ signs })
	case ptx.OpNeg:
		return flushedHalves(format, packed, in.Mods.Has(ptx.ModFtz), func(a uint32) uint32 { return a ^ signs })
	}
	if f := functionOf(in.Op); f != nil {
		// Of a half-precision operand the function is computed in double precision.
		return half16(format, packed, in.Mods.Has(ptx.ModFtz), false, func(a, _, _ float64) float64 { return f(a) })
	}
	f := functionF16(in)
	if f == nil {
		return nil
	}
	return half16(format, packed, in.Mods.Has(ptx.ModFtz), in.Mods.Has(ptx.ModSat), f)
}

func flushedHalves(format smallFloat, packed, flush bool, f func(uint32) uint32) laneLoop {
	return each1(func(a uint32) uint32 {
		if !flush {
			return f(a)
		}
		r := format.flush(a & 0xffff)
		if packed {
			r |= format.flush(a>>16) << 16
		}
		return f(r)
	})
}

// functionF16 gives the exact, or rounded-to-odd, result in double precision.
func functionF16(in *ptx.Instruction) func(a, b, c float64) float64 {
	largest, propagate, xorsign := in.Op == ptx.OpMax, in.Mods.Has(ptx.ModNaN), in.Mods.Has(ptx.ModXorsign)
	relu := in.Mods.Has(ptx.ModRelu)
	switch in.Op {
	case ptx.OpAdd:
		return func(a, b, _ float64) float64 { return sumToOdd(a, b) }
	case ptx.OpSub:
		return func(a, b, _ float64) float64 { return sumToOdd(a, -b) }
	case ptx.OpMul:
		return func(a, b, _ float64) float64 { return a * b }
	case ptx.OpFma:
		return func(a, b, c float64) float64 {
			r := sumToOdd(a*b, c)
			if relu && r < 0 {
				return 0
			}
			return r
		}
	case ptx.OpMin, ptx.OpMax:
		return func(a, b, _ float64) float64 {
			if !xorsign {
				return extreme(a, b, largest, propagate, canonical64)
			}
			sign := math.Signbit(a) != math.Signbit(b)
			r := extreme(math.Abs(a), math.Abs(b), largest, propagate, canonical64)
			if sign {
				return -r
			}
			return r
		}
	}
	return nil
}
