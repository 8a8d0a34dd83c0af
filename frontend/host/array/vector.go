// SPDX-License-Identifier: Apache-2.0

package array

import (
	"unsafe"

	"github.com/warptape/warptape/frontend/internal/lanes"
)

// byType names a loop in assembly for each type that has one.
type byType struct{ f32, f64, signed32, unsigned32, signed64, unsigned64 lanes.ElementOp }

// ofIntegers names a loop that is for signed and unsigned integers.
func ofIntegers(narrow, wide lanes.ElementOp) byType {
	return byType{lanes.ElementNone, lanes.ElementNone, narrow, narrow, wide, wide}
}

// withFloats adds the loops for floats.
func (t byType) withFloats(f32, f64 lanes.ElementOp) byType {
	t.f32, t.f64 = f32, f64
	return t
}

var (
	addLoops   = ofIntegers(lanes.ElementAdd32, lanes.ElementAdd64).withFloats(lanes.ElementAddF32, lanes.ElementAddF64)
	subLoops   = ofIntegers(lanes.ElementSub32, lanes.ElementSub64).withFloats(lanes.ElementSubF32, lanes.ElementSubF64)
	mulLoops   = ofIntegers(lanes.ElementMul32, lanes.ElementMul64).withFloats(lanes.ElementMulF32, lanes.ElementMulF64)
	divLoops   = ofIntegers(lanes.ElementNone, lanes.ElementNone).withFloats(lanes.ElementDivF32, lanes.ElementDivF64)
	andLoops   = ofIntegers(lanes.ElementAnd32, lanes.ElementAnd64)
	orLoops    = ofIntegers(lanes.ElementOr32, lanes.ElementOr64)
	xorLoops   = ofIntegers(lanes.ElementXor32, lanes.ElementXor64)
	shlLoops   = ofIntegers(lanes.ElementShl32, lanes.ElementShl64)
	shrLoops   = ofAll(lanes.ElementShrS32, lanes.ElementShrU32, lanes.ElementShrS64, lanes.ElementShrU64)
	quotLoops  = ofAll(lanes.ElementQuotientS32, lanes.ElementQuotientU32, lanes.ElementQuotientS64, lanes.ElementQuotientU64)
	remLoops   = ofAll(lanes.ElementRemainderS32, lanes.ElementRemainderU32, lanes.ElementRemainderS64, lanes.ElementRemainderU64)
	absLoops   = ofAll(lanes.ElementAbsS32, lanes.ElementNone, lanes.ElementNone, lanes.ElementNone)
	floorLoops = ofIntegers(lanes.ElementNone, lanes.ElementNone).withFloats(lanes.ElementNone, lanes.ElementFloorF64)

	// Comparisons: see compareAll. What takes elements by a mask does so for all elements of a size.
	relationLoops = [...]byType{
		relEq: ofIntegers(lanes.ElementEqualS32, lanes.ElementEqualS64).withFloats(lanes.ElementEqualF32, lanes.ElementEqualF64),
		relNe: ofIntegers(lanes.ElementNotEqualS32, lanes.ElementNotEqualS64).withFloats(lanes.ElementNotEqualF32, lanes.ElementNotEqualF64),
		relLt: ofAll(lanes.ElementLessS32, lanes.ElementLessU32, lanes.ElementLessS64, lanes.ElementLessU64).withFloats(lanes.ElementLessF32, lanes.ElementLessF64),
		relLe: ofAll(lanes.ElementLessEqualS32, lanes.ElementLessEqualU32, lanes.ElementLessEqualS64, lanes.ElementLessEqualU64).withFloats(lanes.ElementLessEqualF32, lanes.ElementLessEqualF64),
	}
	takeLoops = ofIntegers(lanes.ElementTake32, lanes.ElementTake64).withFloats(lanes.ElementTake32, lanes.ElementTake64)

	// Conversions to 64 and 32 bits and to floats, by the type of what they convert.
	widenLoops  = ofAll(lanes.ElementWidenS32, lanes.ElementWidenU32, lanes.ElementNone, lanes.ElementNone)
	narrowLoops = ofIntegers(lanes.ElementNone, lanes.ElementNarrow64)
	toF32Loops  = ofIntegers(lanes.ElementNone, lanes.ElementNone).withFloats(lanes.ElementNone, lanes.ElementF64ToF32)
	toF64Loops  = ofAll(lanes.ElementS32ToF64, lanes.ElementNone, lanes.ElementS64ToF64, lanes.ElementNone).withFloats(lanes.ElementF32ToF64, lanes.ElementNone)
)

// ofAll names loops that differ for signed and unsigned integers.
func ofAll(signed32, unsigned32, signed64, unsigned64 lanes.ElementOp) byType {
	return byType{lanes.ElementNone, lanes.ElementNone, signed32, unsigned32, signed64, unsigned64}
}

// of is the loop for elements of type T.
func of[T number](t byType) lanes.ElementOp {
	var v T
	switch any(v).(type) {
	case float32:
		return t.f32
	case float64:
		return t.f64
	case int32:
		return t.signed32
	case uint32:
		return t.unsigned32
	case int64:
		return t.signed64
	case uint64:
		return t.unsigned64
	}
	return lanes.ElementNone
}

// run computes as many elements of d as the assembly does, from x and what is at b, and
// gives their number.
func run[D, S number](op lanes.ElementOp, d []D, x []S, b unsafe.Pointer) int {
	return op.Run(unsafe.Pointer(unsafe.SliceData(d)), unsafe.Pointer(unsafe.SliceData(x[:len(d)])), b, len(d))
}

// vectored is a loop in Go that leaves to the assembly what that computes alike.
func vectored[T number](t byType, loop func(d, x, y []T)) func(d, x, y []T) {
	op := of[T](t)
	return func(d, x, y []T) {
		n := run(op, d, x, unsafe.Pointer(unsafe.SliceData(y[:len(d)])))
		loop(d[n:], x[n:], y[n:])
	}
}

// bytewise is vectored of a loop that computes each bit by itself. Elements of one or two bytes are
// computed as numbers of four.
func bytewise[T integer](t byType, loop func(d, x, y []T)) func(d, x, y []T) {
	var v T
	size := int(unsafe.Sizeof(v))
	if size >= 4 {
		return vectored(t, loop)
	}
	return func(d, x, y []T) {
		to, from, other := unsafe.Pointer(unsafe.SliceData(d)), unsafe.Pointer(unsafe.SliceData(x[:len(d)])), unsafe.Pointer(unsafe.SliceData(y[:len(d)]))
		n := t.unsigned32.Run(to, from, other, len(d)*size/4) * 4 / size
		loop(d[n:], x[n:], y[n:])
	}
}

// vectoredUnary is vectored of a loop with one operand.
func vectoredUnary[T number](t byType, loop func(d, x []T)) func(d, x []T) {
	op := of[T](t)
	return func(d, x []T) {
		n := run(op, d, x, nil)
		loop(d[n:], x[n:])
	}
}

// dividing is vectored of a loop that divides by one number. The assembly stops before what it
// cannot divide; the loop in Go divides some and lets it try again.
func dividing[T integer](t byType, loop func(d, x []T, by T)) func(d, x []T, by T) {
	op := of[T](t)
	return func(d, x []T, by T) {
		divisor := lanes.NewDivisor(uint64(by))
		for len(d) > 0 {
			n := run(op, d, x, unsafe.Pointer(&divisor))
			d, x = d[n:], x[n:]
			n = min(len(d), divideInGo)
			loop(d[:n], x[:n], by)
			d, x = d[n:], x[n:]
		}
	}
}

// divideInGo is how many elements Go divides where the assembly stops: one large number
// seldom comes alone.
const divideInGo = 256

// convertVector converts by assembly, if there is any for both types, and gives the number of
// elements that it has converted.
func convertVector[D, S number](d []D, s []S) int {
	var to D
	op := lanes.ElementNone
	switch any(to).(type) {
	case int64, uint64:
		op = of[S](widenLoops)
	case int32, uint32:
		op = of[S](narrowLoops)
	case float32:
		op = of[S](toF32Loops)
	case float64:
		op = of[S](toF64Loops)
	}
	return run(op, d, s, nil)
}
