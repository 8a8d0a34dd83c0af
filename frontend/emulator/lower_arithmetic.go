package emulator

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/warptape/warptape/frontend/ptx"
)

// arithmetic lowers the opcodes that exist for integers and floats.
func (l *lowering) arithmetic(in *ptx.Instruction) (operation, error) {
	t := in.Type()
	switch {
	case t == ptx.F32:
		return l.lanesOperation(in, loopF32(in), 32, 32)
	case t == ptx.F32x2:
		return l.lanesOperation(in, loopPairs(in), 64, 64)
	case t == ptx.F64:
		return l.lanesOperation(in, loopF64(in), 64, 64)
	case t == ptx.U16x2 || t == ptx.S16x2:
		return l.lanesOperation(in, packedLoop(in), 32, 32)
	case t.Float():
		return l.lanesOperation(in, loopF16(in), t.Bits(), t.Bits())
	case in.Mods.Has(ptx.ModCC):
		return l.carryChain(in)
	case in.Mods.Has(ptx.ModWide):
		return l.wideProduct(in)
	}
	return l.lanesOperation(in, integerLoop(in), t.Bits(), t.Bits())
}

// integerLoop finds the loop of an integer instruction.
func integerLoop(in *ptx.Instruction) laneLoop {
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

func loopInteger[T integer](in *ptx.Instruction) laneLoop {
	high := in.Mods.Has(ptx.ModHi)
	if in.Mods.Has(ptx.ModRelu) {
		return reluLoop(in.Op)
	}
	switch in.Op {
	case ptx.OpAdd:
		if in.Mods.Has(ptx.ModSat) {
			return each2(addSaturated)
		}
		return ofWidth[T](vectorAdd32, vectorAdd64).or(addLanes[T])
	case ptx.OpSub:
		if in.Mods.Has(ptx.ModSat) {
			return each2(subSaturated)
		}
		return ofWidth[T](vectorSub32, vectorSub64).or(subLanes[T])
	case ptx.OpMul:
		if high {
			return each2(mulHigh[T])
		}
		return ofWidth[T](vectorMul32, vectorMul64).or(mulLanes[T])
	case ptx.OpMad:
		switch {
		case high && in.Mods.Has(ptx.ModSat):
			return each3(madHighSaturated)
		case high:
			return each3(func(a, b, c T) T { return mulHigh(a, b) + c })
		}
		return ofWidth[T](vectorMad32, vectorMad64).or(madLanes[T])
	case ptx.OpMin:
		return extremeOp[T](vectorMinS32, vectorMinU32).or(minLanes[T])
	case ptx.OpMax:
		return extremeOp[T](vectorMaxS32, vectorMaxU32).or(maxLanes[T])
	}
	return elementInteger[T](in.Op)
}

// elementInteger finds the loops of the rarer integer instructions.
func elementInteger[T integer](op ptx.Opcode) laneLoop {
	switch op {
	case ptx.OpDiv:
		return each2(quotient[T])
	case ptx.OpRem:
		return each2(remainder[T])
	case ptx.OpAbs:
		return each1(func(a T) T { return max(a, -a) })
	case ptx.OpNeg:
		return each1(func(a T) T { return -a })
	}
	return nil
}

func loop16[T short](in *ptx.Instruction) laneLoop {
	high := in.Mods.Has(ptx.ModHi)
	switch in.Op {
	case ptx.OpAdd:
		return short2(func(a, b T) T { return a + b })
	case ptx.OpSub:
		return short2(func(a, b T) T { return a - b })
	case ptx.OpMul:
		if high {
			return short2(func(a, b T) T { return T(int32(a) * int32(b) >> 16) })
		}
		return short2(func(a, b T) T { return a * b })
	case ptx.OpMad:
		if high {
			return short3(func(a, b, c T) T { return T(int32(a)*int32(b)>>16) + c })
		}
		return short3(func(a, b, c T) T { return a*b + c })
	case ptx.OpDiv:
		return short2(func(a, b T) T {
			if b == 0 {
				return ^T(0)
			}
			return T(int32(a) / int32(b))
		})
	case ptx.OpRem:
		return short2(func(a, b T) T {
			if b == 0 {
				return ^T(0)
			}
			return T(int32(a) % int32(b))
		})
	case ptx.OpMin:
		return short2(func(a, b T) T { return min(a, b) })
	case ptx.OpMax:
		return short2(func(a, b T) T { return max(a, b) })
	case ptx.OpAbs:
		return short1(func(a T) T { return max(a, -a) })
	case ptx.OpNeg:
		return short1(func(a T) T { return -a })
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
func mulHigh[T integer](a, b T) T {
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
func quotient[T integer](a, b T) T {
	if b == 0 {
		return ^T(0)
	}
	return a / b
}

func remainder[T integer](a, b T) T {
	if b == 0 {
		return ^T(0)
	}
	return a % b
}

// wideProduct lowers mul.wide and mad.wide.
func (l *lowering) wideProduct(in *ptx.Instruction) (operation, error) {
	mad := in.Op == ptx.OpMad
	var loop laneLoop
	switch in.Type() {
	case ptx.U16:
		loop = wideLoop16[uint16](mad)
	case ptx.S16:
		loop = wideLoop16[int16](mad)
	case ptx.U32:
		loop = pick(mad, vectorMadWideU32.or(madWideLanes[uint32, uint64]), vectorMulWideU32.or(mulWideLanes[uint32, uint64]))
	case ptx.S32:
		loop = pick(mad, vectorMadWideS32.or(madWideLanes[int32, int64]), vectorMulWideS32.or(mulWideLanes[int32, int64]))
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

func wideLoop16[T short](mad bool) laneLoop {
	if mad {
		return wide16(func(a, b T, c uint32) uint32 { return uint32(int32(a)*int32(b)) + c })
	}
	return wide16(func(a, b T, _ uint32) uint32 { return uint32(int32(a) * int32(b)) })
}

func pick(first bool, a, b laneLoop) laneLoop {
	if first {
		return a
	}
	return b
}
