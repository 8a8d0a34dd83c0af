// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/warptape/warptape/trace"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

// elementTwin computes in Go what a loop over arrays does, element by element.
type elementTwin func(d, a, b unsafe.Pointer, n int)

func twinOf[D, S any](f func(a, b S) D) elementTwin {
	return func(d, a, b unsafe.Pointer, n int) {
		to, x, y := unsafe.Slice((*D)(d), n), unsafe.Slice((*S)(a), n), unsafe.Slice((*S)(b), n)
		for i := range to {
			to[i] = f(x[i], y[i])
		}
	}
}

// converting is a twin that does not read b, which may be short.
func converting[D, S any](f func(S) D) elementTwin {
	return func(d, a, _ unsafe.Pointer, n int) {
		to, x := unsafe.Slice((*D)(d), n), unsafe.Slice((*S)(a), n)
		for i := range to {
			to[i] = f(x[i])
		}
	}
}

// divisionTwin divides by the number of a Divisor, with remainder if so.
func divisionTwin[T Integer](remainder bool) elementTwin {
	return func(d, a, b unsafe.Pointer, n int) {
		to, x, by := unsafe.Slice((*T)(d), n), unsafe.Slice((*T)(a), n), T((*Divisor)(b).Number)
		for i, v := range x {
			q, r := v/by, v%by
			if r < 0 {
				q, r = q-1, r+by
			}
			if to[i] = q; remainder {
				to[i] = r
			}
		}
	}
}

func sum[T Integer | float32 | float64](a, b T) T        { return a + b }
func difference[T Integer | float32 | float64](a, b T) T { return a - b }
func product[T Integer | float32 | float64](a, b T) T    { return a * b }
func ratio[T float32 | float64](a, b T) T                { return a / b }

func less[T Integer | float32 | float64](a, b T) uint8      { return byteOf(a < b) }
func lessEqual[T Integer | float32 | float64](a, b T) uint8 { return byteOf(a <= b) }
func equal[T Integer | float32 | float64](a, b T) uint8     { return byteOf(a == b) }
func notEqual[T Integer | float32 | float64](a, b T) uint8  { return byteOf(a != b) }

func byteOf(holds bool) uint8 {
	if holds {
		return 1
	}
	return 0
}

// takingTwin takes elements where a byte is not zero.
func takingTwin[T any](d, a, b unsafe.Pointer, n int) {
	to, x, mask := unsafe.Slice((*T)(d), n), unsafe.Slice((*T)(a), n), unsafe.Slice((*uint8)(b), n)
	for i, v := range mask {
		if v != 0 {
			to[i] = x[i]
		}
	}
}

var elementTwins = [ElementNone]elementTwin{
	ElementAdd32:        twinOf(sum[uint32]),
	ElementSub32:        twinOf(difference[uint32]),
	ElementMul32:        twinOf(product[uint32]),
	ElementAdd64:        twinOf(sum[uint64]),
	ElementSub64:        twinOf(difference[uint64]),
	ElementMul64:        twinOf(product[uint64]),
	ElementAnd32:        twinOf(func(a, b uint32) uint32 { return a & b }),
	ElementAnd64:        twinOf(func(a, b uint64) uint64 { return a & b }),
	ElementOr32:         twinOf(func(a, b uint32) uint32 { return a | b }),
	ElementOr64:         twinOf(func(a, b uint64) uint64 { return a | b }),
	ElementXor32:        twinOf(func(a, b uint32) uint32 { return a ^ b }),
	ElementXor64:        twinOf(func(a, b uint64) uint64 { return a ^ b }),
	ElementAddF32:       twinOf(sum[float32]),
	ElementSubF32:       twinOf(difference[float32]),
	ElementMulF32:       twinOf(product[float32]),
	ElementDivF32:       twinOf(ratio[float32]),
	ElementAddF64:       twinOf(sum[float64]),
	ElementSubF64:       twinOf(difference[float64]),
	ElementMulF64:       twinOf(product[float64]),
	ElementDivF64:       twinOf(ratio[float64]),
	ElementShl32:        twinOf(func(a, b uint32) uint32 { return a << b }),
	ElementShl64:        twinOf(func(a, b uint64) uint64 { return a << b }),
	ElementShrS32:       twinOf(func(a, b int32) int32 { return a >> uint32(b) }),
	ElementShrU32:       twinOf(func(a, b uint32) uint32 { return a >> b }),
	ElementShrU64:       twinOf(func(a, b uint64) uint64 { return a >> b }),
	ElementShrS64:       twinOf(func(a, b int64) int64 { return a >> uint64(b) }),
	ElementWidenS32:     converting(func(a int32) int64 { return int64(a) }),
	ElementWidenU32:     converting(func(a uint32) uint64 { return uint64(a) }),
	ElementNarrow64:     converting(func(a uint64) uint32 { return uint32(a) }),
	ElementS32ToF64:     converting(func(a int32) float64 { return float64(a) }),
	ElementF32ToF64:     converting(func(a float32) float64 { return float64(a) }),
	ElementF64ToF32:     converting(func(a float64) float32 { return float32(a) }),
	ElementS64ToF64:     converting(func(a int64) float64 { return float64(a) }),
	ElementAbsS32:       converting(func(a int32) int32 { return max(a, -a) }),
	ElementFloorF64:     converting(func(a float64) float64 { return math.Floor(a) }),
	ElementLessS32:      twinOf(less[int32]),
	ElementLessU32:      twinOf(less[uint32]),
	ElementLessS64:      twinOf(less[int64]),
	ElementLessU64:      twinOf(less[uint64]),
	ElementLessF32:      twinOf(less[float32]),
	ElementLessF64:      twinOf(less[float64]),
	ElementLessEqualS32: twinOf(lessEqual[int32]),
	ElementLessEqualU32: twinOf(lessEqual[uint32]),
	ElementLessEqualS64: twinOf(lessEqual[int64]),
	ElementLessEqualU64: twinOf(lessEqual[uint64]),
	ElementLessEqualF32: twinOf(lessEqual[float32]),
	ElementLessEqualF64: twinOf(lessEqual[float64]),
	ElementEqualS32:     twinOf(equal[int32]),
	ElementEqualS64:     twinOf(equal[int64]),
	ElementEqualF32:     twinOf(equal[float32]),
	ElementEqualF64:     twinOf(equal[float64]),
	ElementNotEqualS32:  twinOf(notEqual[int32]),
	ElementNotEqualS64:  twinOf(notEqual[int64]),
	ElementNotEqualF32:  twinOf(notEqual[float32]),
	ElementNotEqualF64:  twinOf(notEqual[float64]),
	ElementTake32:       takingTwin[uint32],
	ElementTake64:       takingTwin[uint64],
	ElementQuotientS32:  divisionTwin[int32](false),
	ElementRemainderS32: divisionTwin[int32](true),
	ElementQuotientU32:  divisionTwin[uint32](false),
	ElementRemainderU32: divisionTwin[uint32](true),
	ElementQuotientS64:  divisionTwin[int64](false),
	ElementRemainderS64: divisionTwin[int64](true),
	ElementQuotientU64:  divisionTwin[uint64](false),
	ElementRemainderU64: divisionTwin[uint64](true),
}

// elementWords is room for the arrays of a test.
const elementWords = 5*trace.WarpSize + 1

type elementArray [elementWords]uint64

// drawElements draws numbers of all magnitudes and special ones.
func drawElements(r *rand.Rand) *elementArray {
	a := new(elementArray)
	words := unsafe.Slice((*uint32)(unsafe.Pointer(a)), 2*elementWords)
	kind := r.IntN(4)
	for i := range a {
		switch {
		case kind == 0: // what divisions compute: below 2^32, or the complement of that
			a[i] = uint64(r.Uint32())>>r.IntN(32) ^ -uint64(r.IntN(2))
		case kind == 1 && r.IntN(8) > 0: // floats that are numbers, and shift amounts
			a[i] = math.Float64bits(r.NormFloat64() * math.Exp2(float64(r.IntN(80)-40)))
		case kind == 2:
			a[i] = uint64(r.IntN(70))
		default:
			words[2*i], words[2*i+1] = specialBits[r.IntN(len(specialBits))], specialBits[r.IntN(len(specialBits))]
		}
	}
	return a
}

// drawDivisor draws a number by which elements of 32 bits may be divided, too.
func drawDivisor(r *rand.Rand) Divisor {
	return NewDivisor(max(2, uint64(r.Uint32()>>1)>>r.IntN(31)))
}

func TestAssemblyOverArraysEqualsItsTwinsBitByBit(t *testing.T) {
	forVectors(t, func(t *testing.T, r *rand.Rand, v *vectorSet) {
		for op := range ElementNone {
			if v.elements[op] == nil {
				continue
			}
			for range vectorRounds {
				testElements(t, r, v, op)
			}
		}
	})
}

func testElements(t *testing.T, r *rand.Rand, v *vectorSet, op ElementOp) {
	t.Helper()
	in := [2]*elementArray{drawElements(r), drawElements(r)}
	b := unsafe.Pointer(in[1])
	if op >= ElementQuotientS32 {
		divisor := drawDivisor(r)
		b = unsafe.Pointer(&divisor)
	}
	n := r.IntN(elementWords)
	got, want := *in[1], *in[1] // what is behind the result stays
	a := unsafe.Pointer(in[0])
	done := v.elements[op].run(unsafe.Pointer(&got), a, b, n)
	if done != n/trace.WarpSize*trace.WarpSize && !(op >= ElementQuotientS64 && done < n && tooLarge(op, in[0][done:done+trace.WarpSize])) {
		t.Fatalf("operation %d has done %d of %d elements", op, done, n)
	}
	elementTwins[op](unsafe.Pointer(&want), a, b, done)
	if got != want {
		t.Fatalf("operation %d, %d of %d elements of %x and %x: got %x, want %x", op, done, n, *in[0], *in[1], got, want)
	}
	if !resizes(op) {
		again, inPlace := *in[0], *in[0]
		v.elements[op].run(unsafe.Pointer(&again), a, b, n)
		v.elements[op].run(unsafe.Pointer(&inPlace), unsafe.Pointer(&inPlace), b, n)
		if inPlace != again {
			t.Fatalf("operation %d in place: got %x, want %x", op, inPlace, again)
		}
	}
}

// resizes reports whether results of an operation have another size than its operands.
func resizes(op ElementOp) bool {
	switch op {
	case ElementWidenS32, ElementWidenU32, ElementNarrow64, ElementS32ToF64, ElementF32ToF64, ElementF64ToF32:
		return true
	}
	return op >= ElementLessS32 && op < ElementTake32
}

// tooLarge reports whether a division leaves the elements to Go.
func tooLarge(op ElementOp, elements []uint64) bool {
	for _, v := range elements {
		if op <= ElementRemainderS64 && int64(v) < 0 {
			v = ^v
		}
		if bits.Len64(v) > 32 {
			return true
		}
	}
	return false
}
