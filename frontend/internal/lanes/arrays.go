// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"unsafe"

	"github.com/warptape/warptape/trace"
)

// ElementOp names a loop over arrays that exists in assembly. It computes what the Go
// operation of its name gives, to the bit.
type ElementOp uint8

const (
	ElementAdd32 ElementOp = iota
	ElementSub32
	ElementMul32
	ElementAdd64
	ElementSub64
	ElementMul64
	ElementAnd32
	ElementAnd64
	ElementOr32
	ElementOr64
	ElementXor32
	ElementXor64
	ElementAddF32
	ElementSubF32
	ElementMulF32
	ElementDivF32
	ElementAddF64
	ElementSubF64
	ElementMulF64
	ElementDivF64
	ElementShl32
	ElementShl64
	ElementShrS32
	ElementShrU32
	ElementShrU64
	ElementShrS64
	ElementWidenS32
	ElementWidenU32
	ElementNarrow64
	ElementS32ToF64
	ElementF32ToF64
	ElementF64ToF32
	ElementS64ToF64
	ElementAbsS32
	ElementFloorF64
	// Comparisons have a byte for each element: 1 where the relation holds, else 0.
	ElementLessS32
	ElementLessU32
	ElementLessS64
	ElementLessU64
	ElementLessF32
	ElementLessF64
	ElementLessEqualS32
	ElementLessEqualU32
	ElementLessEqualS64
	ElementLessEqualU64
	ElementLessEqualF32
	ElementLessEqualF64
	ElementEqualS32
	ElementEqualS64
	ElementEqualF32
	ElementEqualF64
	ElementNotEqualS32
	ElementNotEqualS64
	ElementNotEqualF32
	ElementNotEqualF64
	// ElementTake32 and ElementTake64 set elements where a byte at b is not zero. Others stay.
	ElementTake32
	ElementTake64
	// The divisions round down. Their second operand is a *Divisor.
	ElementQuotientS32
	ElementRemainderS32
	ElementQuotientU32
	ElementRemainderU32
	ElementQuotientS64
	ElementRemainderS64
	ElementQuotientU64
	ElementRemainderU64
	// ElementNone has no assembly at any level.
	ElementNone
	elementOps
)

// elementLoop computes n rounds of as many elements as a warp has lanes, and gives the number of
// rounds that it has done.
type elementLoop func(d, a, b unsafe.Pointer, n int) int

// Divisor is a number by which elements are divided, from 2 to 2^32-1.
type Divisor struct {
	// Reciprocal is 2^64 divided by the number, rounded up. The high half of its product with a
	// number below 2^32 is the quotient (Lemire, Kaser and Kurz, "Faster remainder by direct
	// computation", Software: Practice and Experience 49, 2019, Theorem 1).
	Reciprocal, Number uint64
}

// NewDivisor gives the divisor of a number.
func NewDivisor(number uint64) Divisor { return Divisor{^uint64(0)/number + 1, number} }

// Run computes the first of n elements, and gives their number. That is zero without assembly. It is
// a multiple of 32, and leaves the rest to Go. A division also stops before 32 elements unless all
// are below 2^32, or complements of such numbers: Go computes these.
func (op ElementOp) Run(d, a, b unsafe.Pointer, n int) int {
	return host.elements[op].run(d, a, b, n)
}

func (f elementLoop) run(d, a, b unsafe.Pointer, n int) int {
	if f == nil || n < trace.WarpSize {
		return 0
	}
	return f(d, a, b, n/trace.WarpSize) * trace.WarpSize
}
