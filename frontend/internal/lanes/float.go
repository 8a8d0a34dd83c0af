// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"math"

	"github.com/warptape/warptape/frontend/ptx"
)

// RoundingOf is the rounding mode of an arithmetic instruction; .rn without one.
func RoundingOf(in *ptx.Instruction) Rounding {
	switch {
	case in.Mods.Has(ptx.ModRz), in.Mods.Has(ptx.ModRzi):
		return TowardZero
	case in.Mods.Has(ptx.ModRm), in.Mods.Has(ptx.ModRmi):
		return TowardMinus
	case in.Mods.Has(ptx.ModRp), in.Mods.Has(ptx.ModRpi):
		return TowardPlus
	}
	return Nearest
}

// LoopF32 finds the loop of a single-precision instruction, modifiers included.
func LoopF32(in *ptx.Instruction) Loop {
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
func fastFlushedF32(in *ptx.Instruction) Loop {
	if RoundingOf(in) != Nearest {
		return nil
	}
	switch in.Op {
	case ptx.OpAdd:
		return VectorAddFtz.Or(AddFtz)
	case ptx.OpSub:
		return VectorSubFtz.Or(SubFtz)
	case ptx.OpMul:
		return VectorMulFtz.Or(MulFtz)
	case ptx.OpMad, ptx.OpFma:
		return VectorFmaFtz.Or(FmaFtz)
	}
	return nil
}

func plainF32(in *ptx.Instruction) Loop {
	if mode := RoundingOf(in); mode != Nearest {
		return directedF32(in.Op, mode)
	}
	switch in.Op {
	case ptx.OpAdd:
		return VectorAddF32.Or(AddF32)
	case ptx.OpSub:
		return VectorSubF32.Or(SubF32)
	case ptx.OpMul:
		return VectorMulF32.Or(MulF32)
	case ptx.OpMad, ptx.OpFma:
		return VectorFmaF32.Or(FmaF32)
	case ptx.OpDiv:
		if in.Mods.Has(ptx.ModApprox) {
			return Each2(divApproximate)
		}
		return VectorDivF32.Or(DivF32)
	case ptx.OpAbs:
		return Each1(func(a uint32) uint32 { return a &^ (1 << 31) })
	case ptx.OpNeg:
		return Each1(func(a uint32) uint32 { return a ^ 1<<31 })
	case ptx.OpCopysign:
		return Each2(func(a, b uint32) uint32 { return a&(1<<31) | b&^(1<<31) })
	case ptx.OpMin, ptx.OpMax:
		if len(in.Operands) > 3 {
			return Each3(extremeOfThree(in))
		}
		return Each2(extremeF32(in))
	}
	switch in.Op {
	case ptx.OpSin:
		return inDouble(Sines)
	case ptx.OpCos:
		return inDouble(Cosines)
	case ptx.OpEx2:
		return inDouble(PowersOfTwo)
	}
	if f := functionOf(in.Op); f != nil {
		return Each1(func(a float32) float32 { return Narrow32(f(float64(a)), Nearest) })
	}
	return nil
}

// functionOf gives the functions of one argument, computed in double
// precision. Rounded once more to single precision the result is correctly
// rounded for rcp and sqrt (.rn as well as .approx), since double has more than
// twice the precision. For the others it is within half an ulp and a trifle;
// their bounds (9.7.3.16-22) are wider.
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
func directedF32(op ptx.Opcode, mode Rounding) Loop {
	switch op {
	case ptx.OpAdd:
		return Each2(func(a, b float32) float32 { return AddRounded32(a, b, mode) })
	case ptx.OpSub:
		return Each2(func(a, b float32) float32 { return AddRounded32(a, -b, mode) })
	case ptx.OpMul:
		return Each2(func(a, b float32) float32 { return MulRounded32(a, b, mode) })
	case ptx.OpMad, ptx.OpFma:
		return Each3(func(a, b, c float32) float32 { return FmaRounded32(a, b, c, mode) })
	case ptx.OpDiv:
		return Each2(func(a, b float32) float32 { return DivRounded32(a, b, mode) })
	case ptx.OpRcp:
		return Each1(func(a float32) float32 { return DivRounded32(1, a, mode) })
	case ptx.OpSqrt:
		return Each1(func(a float32) float32 { return SqrtRounded32(a, mode) })
	}
	return nil
}

// divApproximate is div.approx.f32 (9.7.3.8): for divisors above 2^126 it
// gives zero, and NaN for an infinite dividend.
func divApproximate(a, b float32) float32 {
	magnitude := math.Abs(float64(b))
	if magnitude > 0x1p126 && !math.IsInf(magnitude, 0) {
		if math.IsInf(float64(a), 0) || a != a {
			return Canonical32
		}
		return float32(math.Copysign(0, float64(a)) * math.Copysign(1, float64(b)))
	}
	r := a / b
	if r != r {
		return Canonical32
	}
	return r
}

// extremeF32 is min or max with .NaN and .xorsign.abs (9.7.3.11, 9.7.3.12).
func extremeF32(in *ptx.Instruction) func(a, b float32) float32 {
	largest, propagate := in.Op == ptx.OpMax, in.Mods.Has(ptx.ModNaN)
	xorsign := in.Mods.Has(ptx.ModXorsign)
	return func(a, b float32) float32 {
		if !xorsign {
			return Extreme(a, b, largest, propagate, Canonical32)
		}
		sign := (math.Float32bits(a) ^ math.Float32bits(b)) & (1 << 31)
		r := Extreme(abs32(a), abs32(b), largest, propagate, Canonical32)
		if r != r {
			return r
		}
		return math.Float32frombits(math.Float32bits(r) | sign)
	}
}

func abs32(a float32) float32 { return math.Float32frombits(math.Float32bits(a) &^ (1 << 31)) }

// Extreme is the smaller or larger of two numbers, with -0 below +0. One NaN
// gives the other operand unless NaNs propagate.
func Extreme[T float32 | float64](a, b T, largest, propagate bool, nan T) T {
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

// LoopF64 finds the loop of a double-precision instruction.
func LoopF64(in *ptx.Instruction) Loop {
	mode := RoundingOf(in)
	if mode != Nearest {
		return directedF64(in.Op, mode)
	}
	largest := in.Op == ptx.OpMax
	switch in.Op {
	case ptx.OpAdd:
		return VectorAddF64.Or(AddF64)
	case ptx.OpSub:
		return VectorSubF64.Or(SubF64)
	case ptx.OpMul:
		return VectorMulF64.Or(MulF64)
	case ptx.OpMad, ptx.OpFma:
		return VectorFmaF64.Or(FmaF64)
	case ptx.OpDiv:
		return VectorDivF64.Or(DivF64)
	case ptx.OpAbs:
		return Each1(func(a uint64) uint64 { return a &^ (1 << 63) })
	case ptx.OpNeg:
		return Each1(func(a uint64) uint64 { return a ^ 1<<63 })
	case ptx.OpCopysign:
		return Each2(func(a, b uint64) uint64 { return a&(1<<63) | b&^(1<<63) })
	case ptx.OpMin, ptx.OpMax:
		return Each2(func(a, b float64) float64 { return Extreme(a, b, largest, false, Canonical64) })
	case ptx.OpRcp, ptx.OpRsqrt, ptx.OpSqrt:
		f := functionOf(in.Op)
		if in.Mods.Has(ptx.ModApprox) && in.Mods.Has(ptx.ModFtz) {
			return Each1(func(a uint64) uint64 { return coarse64(a, f) })
		}
		return Each1(func(a float64) float64 { return Canonical(f(a)) })
	}
	return nil
}

// coarse64 is rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 (9.7.3.14, 9.7.3.17):
// the low 32 bits of the operand are ignored, those of the result are zero,
// and subnormals are flushed.
func coarse64(a uint64, f func(float64) float64) uint64 {
	const high = 0xffffffff_00000000
	r := math.Float64bits(Canonical(f(math.Float64frombits(flush64(a & high)))))
	return flush64(r & high)
}

// flush64 makes a subnormal double a zero of its sign.
func flush64(v uint64) uint64 {
	if v&(0x7ff<<52) == 0 {
		return v & (1 << 63)
	}
	return v
}

func directedF64(op ptx.Opcode, mode Rounding) Loop {
	switch op {
	case ptx.OpAdd:
		return Each2(func(a, b float64) float64 { return AddRounded64(a, b, mode) })
	case ptx.OpSub:
		return Each2(func(a, b float64) float64 { return AddRounded64(a, -b, mode) })
	case ptx.OpMul:
		return Each2(func(a, b float64) float64 { return MulRounded64(a, b, mode) })
	case ptx.OpMad, ptx.OpFma:
		return Each3(func(a, b, c float64) float64 { return FmaRounded64(a, b, c, mode) })
	case ptx.OpDiv:
		return Each2(func(a, b float64) float64 { return DivRounded64(a, b, mode) })
	case ptx.OpRcp:
		return Each1(func(a float64) float64 { return DivRounded64(1, a, mode) })
	case ptx.OpSqrt:
		return Each1(func(a float64) float64 { return SqrtRounded64(a, mode) })
	}
	return nil
}

// LoopF16 finds the loop of an instruction on .f16, .f16x2, .bf16 or .bf16x2.
func LoopF16(in *ptx.Instruction) Loop {
	format, packed := Half, in.Type().Bits() == 32
	if in.Type() == ptx.BF16 || in.Type() == ptx.BF16x2 {
		format = Brain
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
	if loop := plainHalves(in, packed); loop != nil {
		return loop
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

func flushedHalves(format *SmallFloat, packed, flush bool, f func(uint32) uint32) Loop {
	return Each1(func(a uint32) uint32 {
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
		return func(a, b, _ float64) float64 { return SumToOdd(a, b) }
	case ptx.OpSub:
		return func(a, b, _ float64) float64 { return SumToOdd(a, -b) }
	case ptx.OpMul:
		return func(a, b, _ float64) float64 { return a * b }
	case ptx.OpFma:
		return func(a, b, c float64) float64 {
			r := SumToOdd(a*b, c)
			if relu && r <= 0 { // a zero has no sign then, as those of cvt.relu
				return 0
			}
			return r
		}
	case ptx.OpMin, ptx.OpMax:
		return func(a, b, _ float64) float64 {
			if !xorsign {
				return Extreme(a, b, largest, propagate, Canonical64)
			}
			sign := math.Signbit(a) != math.Signbit(b)
			r := Extreme(math.Abs(a), math.Abs(b), largest, propagate, Canonical64)
			if sign {
				return -r
			}
			return r
		}
	}
	return nil
}
