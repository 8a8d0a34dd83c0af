// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// arithmetic lowers the opcodes that exist for integers and floats.
func (l *lowering) arithmetic(in *ptx.Instruction) (operation, error) {
	t := in.Type()
	switch {
	case t == ptx.F32:
		return l.lanesOperation(in, lanes.LoopF32(in), 32, 32)
	case t == ptx.F32x2:
		return l.lanesOperation(in, lanes.LoopPairs(in), 64, 64)
	case t == ptx.F64:
		return l.lanesOperation(in, lanes.LoopF64(in), 64, 64)
	case t == ptx.U16x2 || t == ptx.S16x2:
		return l.lanesOperation(in, lanes.PackedLoop(in), 32, 32)
	case t.Float():
		return l.lanesOperation(in, lanes.LoopF16(in), t.Bits(), t.Bits())
	case in.Mods.Has(ptx.ModCC):
		return l.carryChain(in)
	case in.Mods.Has(ptx.ModWide):
		return l.wideProduct(in)
	}
	return l.lanesOperation(in, integerLoop(in), t.Bits(), t.Bits())
}

// integerLoop finds the loop of an integer instruction.
func integerLoop(in *ptx.Instruction) lanes.Loop {
	switch in.Type() {
	case ptx.U16:
		return loop16[uint16](in)
	case ptx.S16:
		return loop16[int16](in)
	case ptx.U32:
		return loopInteger[uint32](in)
	case ptx.S32:
		return loopInteger[int32](in)
	case ptx.U64:
		return loopInteger[uint64](in)
	case ptx.S64:
		return loopInteger[int64](in)
	}
	return nil
}

func loopInteger[T lanes.Integer](in *ptx.Instruction) lanes.Loop {
	high := in.Mods.Has(ptx.ModHi)
	if in.Mods.Has(ptx.ModRelu) {
		return lanes.ReluLoop(in.Op)
	}
	switch in.Op {
	case ptx.OpAdd:
		if in.Mods.Has(ptx.ModSat) {
			return lanes.Each2(addSaturated)
		}
		return lanes.OfWidth[T](lanes.VectorAdd32, lanes.VectorAdd64).Or(lanes.Add[T])
	case ptx.OpSub:
		if in.Mods.Has(ptx.ModSat) {
			return lanes.Each2(subSaturated)
		}
		return lanes.OfWidth[T](lanes.VectorSub32, lanes.VectorSub64).Or(lanes.Sub[T])
	case ptx.OpMul:
		if high {
			return lanes.Each2(mulHigh[T])
		}
		return lanes.OfWidth[T](lanes.VectorMul32, lanes.VectorMul64).Or(lanes.Mul[T])
	case ptx.OpMad:
		switch {
		case high && in.Mods.Has(ptx.ModSat):
			return lanes.Each3(madHighSaturated)
		case high:
			return lanes.Each3(func(a, b, c T) T { return mulHigh(a, b) + c })
		}
		return lanes.OfWidth[T](lanes.VectorMad32, lanes.VectorMad64).Or(lanes.Mad[T])
	case ptx.OpMin:
		return lanes.ExtremeOp[T](lanes.VectorMinS32, lanes.VectorMinU32).Or(lanes.Min[T])
	case ptx.OpMax:
		return lanes.ExtremeOp[T](lanes.VectorMaxS32, lanes.VectorMaxU32).Or(lanes.Max[T])
	}
	return elementInteger[T](in.Op)
}

// elementInteger finds the loops of the rarer integer instructions.
func elementInteger[T lanes.Integer](op ptx.Opcode) lanes.Loop {
	switch op {
	case ptx.OpDiv:
		return lanes.Each2(quotient[T])
	case ptx.OpRem:
		return lanes.Each2(remainder[T])
	case ptx.OpAbs:
		return lanes.ExtremeOp[T](lanes.VectorAbsS32, lanes.VectorNone).Or(lanes.Abs[T])
	case ptx.OpNeg:
		return lanes.Each1(func(a T) T { return -a })
	}
	return nil
}

func loop16[T lanes.Short](in *ptx.Instruction) lanes.Loop {
	high := in.Mods.Has(ptx.ModHi)
	switch in.Op {
	case ptx.OpAdd:
		return lanes.Short2(func(a, b T) T { return a + b })
	case ptx.OpSub:
		return lanes.Short2(func(a, b T) T { return a - b })
	case ptx.OpMul:
		if high {
			return lanes.Short2(func(a, b T) T { return T(int32(a) * int32(b) >> 16) })
		}
		return lanes.Short2(func(a, b T) T { return a * b })
	case ptx.OpMad:
		if high {
			return lanes.Short3(func(a, b, c T) T { return T(int32(a)*int32(b)>>16) + c })
		}
		return lanes.Short3(func(a, b, c T) T { return a*b + c })
	case ptx.OpDiv:
		return lanes.Short2(func(a, b T) T {
			if b == 0 {
				return ^T(0)
			}
			return T(int32(a) / int32(b))
		})
	case ptx.OpRem:
		return lanes.Short2(func(a, b T) T {
			if b == 0 {
				return ^T(0)
			}
			return T(int32(a) % int32(b))
		})
	case ptx.OpMin:
		return lanes.Short2(func(a, b T) T { return min(a, b) })
	case ptx.OpMax:
		return lanes.Short2(func(a, b T) T { return max(a, b) })
	case ptx.OpAbs:
		return lanes.Short1(func(a T) T { return max(a, -a) })
	case ptx.OpNeg:
		return lanes.Short1(func(a T) T { return -a })
	}
	return nil
}

func addSaturated(a, b int32) int32 { return clampInt32(int64(a) + int64(b)) }
func subSaturated(a, b int32) int32 { return clampInt32(int64(a) - int64(b)) }

func madHighSaturated(a, b, c int32) int32 {
	return clampInt32(int64(a)*int64(b)>>32 + int64(c))
}

func clampInt32(v int64) int32 { return int32(min(max(v, math.MinInt32), math.MaxInt32)) }

// mulHigh is the upper half of a product.
func mulHigh[T lanes.Integer](a, b T) T {
	switch unsafe.Sizeof(a) {
	case 4:
		return T(int64(a) * int64(b) >> 32)
	default:
		high, _ := bits.Mul64(uint64(a), uint64(b))
		if ^T(0) < 0 { // signed: each negative factor counted 2^64 too much of the other
			if a < 0 {
				high -= uint64(b)
			}
			if b < 0 {
				high -= uint64(a)
			}
		}
		return T(high)
	}
}

// quotient and remainder by zero have no specified value (9.7.1.8, 9.7.1.9);
// as GPUs do, they give all ones. Division truncates; the most negative number
// divided by -1 wraps, as Go's division does.
func quotient[T lanes.Integer](a, b T) T {
	if b == 0 {
		return ^T(0)
	}
	return a / b
}

func remainder[T lanes.Integer](a, b T) T {
	if b == 0 {
		return ^T(0)
	}
	return a % b
}

// wideProduct lowers mul.wide and mad.wide.
func (l *lowering) wideProduct(in *ptx.Instruction) (operation, error) {
	mad := in.Op == ptx.OpMad
	var loop lanes.Loop
	switch in.Type() {
	case ptx.U16:
		loop = wideLoop16[uint16](mad)
	case ptx.S16:
		loop = wideLoop16[int16](mad)
	case ptx.U32:
		loop = pick(mad, lanes.VectorMadWideU32.Or(lanes.MadWide[uint32, uint64]), lanes.VectorMulWideU32.Or(lanes.MulWide[uint32, uint64]))
	case ptx.S32:
		loop = pick(mad, lanes.VectorMadWideS32.Or(lanes.MadWide[int32, int64]), lanes.VectorMulWideS32.Or(lanes.MulWide[int32, int64]))
	default:
		return operation{}, errUnsupported
	}
	narrow := in.Type().Bits()
	product := *in
	product.Operands = in.Operands[:3]
	op, err := l.lanesOperation(&product, loop, 2*narrow, narrow)
	if err == nil && mad {
		op.c, err = l.source(&in.Operands[3], 2*narrow)
	}
	return op, err
}

func wideLoop16[T lanes.Short](mad bool) lanes.Loop {
	if mad {
		return lanes.Wide16(func(a, b T, c uint32) uint32 { return uint32(int32(a)*int32(b)) + c })
	}
	return lanes.Wide16(func(a, b T, _ uint32) uint32 { return uint32(int32(a) * int32(b)) })
}

func pick(first bool, a, b lanes.Loop) lanes.Loop {
	if first {
		return a
	}
	return b
}
