// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"unsafe"

	"github.com/warptape/warptape/trace"
)

// vectorOp names a lane loop that exists in assembly too, vectorRelation a
// comparison. What each computes is what its twin in Go does, to the bit.
type (
	VectorOp       uint8
	vectorRelation uint8
)

const (
	VectorAddF32 VectorOp = iota
	VectorSubF32
	VectorMulF32
	VectorDivF32
	VectorFmaF32
	VectorAddFtz
	VectorSubFtz
	VectorMulFtz
	VectorFmaFtz
	VectorAddF64
	VectorSubF64
	VectorMulF64
	VectorDivF64
	VectorFmaF64
	VectorAdd32
	VectorSub32
	VectorMul32
	VectorMinS32
	VectorMinU32
	VectorMaxS32
	VectorMaxU32
	VectorAdd64
	VectorSub64
	VectorAnd32
	VectorAnd64
	VectorOr32
	VectorOr64
	VectorXor32
	VectorXor64
	VectorMad32
	VectorMul64
	VectorMulWideS32
	VectorMulWideU32
	VectorMad64
	VectorMadWideS32
	VectorMadWideU32
	VectorShl32
	VectorShrS32
	VectorShrU32
	VectorShl64
	VectorShrU64
	VectorShrS64
	VectorWidenS32
	VectorWidenU32
	VectorS32ToF32
	VectorU32ToF32
	VectorNarrow64
	VectorIntegralF32
	VectorAbsS32
	VectorBfe32
	vectorOps
	// VectorNone has no assembly at any level.
	VectorNone = vectorOps
)

const (
	vectorLessS32 vectorRelation = iota
	vectorLessU32
	vectorLessS64
	vectorLessU64
	vectorLessF32
	vectorLessF64
	vectorLessEqualS32
	vectorLessEqualU32
	vectorLessEqualS64
	vectorLessEqualU64
	vectorLessEqualF32
	vectorLessEqualF64
	vectorEqualS32
	vectorEqualU32
	vectorEqualS64
	vectorEqualU64
	vectorEqualF32
	vectorEqualF64
	vectorOrderedNotEqualF32
	vectorOrderedNotEqualF64
	vectorNumberF32
	vectorNumberF64
	vectorRelations
)

// vectorSet are the loops for one set of the host's instructions; those that it
// has none for are nil.
type vectorSet struct {
	loops              [vectorOps + 1]Loop
	compares           [vectorRelations]Relation
	keep32, keep64     func(d, a unsafe.Pointer, mask uint32)
	select32, select64 func(d, a, b unsafe.Pointer, predicate, mask uint32)
	// affine reports whether 64-bit lanes have one stride.
	affine func(a unsafe.Pointer) bool
	// spread is Spread.
	spread func(cut, offsets, a unsafe.Pointer) (low, high int64, set uint64)
	// moved64 and moved32 report whether the lanes of a mask are at base plus 64-bit
	// offsets.
	moved64, moved32 func(a, offsets unsafe.Pointer, base uint64, mask uint32) bool
	// near32 loads words of nearBytes of memory at multiples of 4, gather32 and gather64
	// those of any memory, at 32-bit offsets, into the lanes of a mask.
	near32, gather32, gather64 func(d, memory, offsets unsafe.Pointer, mask uint32)
	// sine, cosine and powerOfTwo compute 32 results of 64 bits. They report whether all are right.
	sine, cosine, powerOfTwo func(d, a unsafe.Pointer) bool
	// between finds the texels of a linear filter, blend weighs them.
	between func(below, share, x unsafe.Pointer, scale float64)
	blend   func(d, texels, weights unsafe.Pointer) uint32
	// productsF32 and productsF64 add products of matrices.
	productsF32, productsF64 productLoop
	elements                 [elementOps]elementLoop
}

// host holds the loops that kernels are loaded with.
var host = hostVectors()

// Or gives the assembly of an operation, or the loop in Go where there is none.
func (v VectorOp) Or(plain Loop) Loop {
	if f := host.loops[v]; f != nil {
		return f
	}
	return plain
}

// or gives the assembly of a comparison, or the loop in Go where there is none.
func (v vectorRelation) or(plain Relation) Relation {
	if f := host.compares[v]; f != nil {
		return f
	}
	return plain
}

// Keep copies the lanes in mask from src to dst.
func Keep(dst, src unsafe.Pointer, wide bool, mask uint32) {
	switch {
	case !wide && host.keep32 != nil:
		host.keep32(dst, src, mask)
	case !wide:
		Keep32(dst, src, mask)
	case host.keep64 != nil:
		host.keep64(dst, src, mask)
	default:
		Keep64(dst, src, mask)
	}
}

// Affine reports whether lane i is a[0] + i*(a[1]-a[0]) for all i.
func Affine(a *[trace.WarpSize]uint64) bool {
	if host.affine != nil {
		return host.affine(unsafe.Pointer(a))
	}
	return affineInGo(a)
}

func affineInGo(a *[trace.WarpSize]uint64) bool {
	expected, stride := a[0], a[1]-a[0]
	var different uint64
	for i := range a {
		different |= a[i] ^ expected
		expected += stride
	}
	return different == 0
}

// Spread sets offsets to the distances of lanes from the first one, and cut to the low halves of their distances
// from the lowest one. It gives the lowest and the highest offset, and the bits that are set in any.
func Spread(cut *[trace.WarpSize]uint32, offsets, a *[trace.WarpSize]uint64) (low, high int64, set uint64) {
	if host.spread != nil {
		return host.spread(unsafe.Pointer(cut), unsafe.Pointer(offsets), unsafe.Pointer(a))
	}
	return spreadInGo(cut, offsets, a)
}

func spreadInGo(cut *[trace.WarpSize]uint32, offsets, a *[trace.WarpSize]uint64) (low, high int64, set uint64) {
	base := a[0]
	for i, address := range a {
		offset := address - base
		offsets[i] = offset
		low, high, set = min(low, int64(offset)), max(high, int64(offset)), set|offset
	}
	for i, offset := range offsets {
		cut[i] = uint32(offset - uint64(low))
	}
	return low, high, set
}

// Choose is selp: a where the predicate holds, else b, in the lanes of mask.
func Choose(d, a, b unsafe.Pointer, wide bool, predicate, mask uint32) {
	switch {
	case !wide && host.select32 != nil:
		host.select32(d, a, b, predicate, mask)
	case !wide:
		Select[uint32](d, a, b, predicate, mask)
	case host.select64 != nil:
		host.select64(d, a, b, predicate, mask)
	default:
		Select[uint64](d, a, b, predicate, mask)
	}
}

// OfWidth gives the one of two operations that is for lanes of type T.
func OfWidth[T Integer](narrow, wide VectorOp) VectorOp {
	var v T
	if unsafe.Sizeof(v) == 8 {
		return wide
	}
	return narrow
}

// ExtremeOp gives the one of a signed and an unsigned operation that is for lanes
// of type T; there are none for 64 bits.
func ExtremeOp[T Integer](signed, unsigned VectorOp) VectorOp {
	var v T
	switch {
	case unsafe.Sizeof(v) == 8:
		return VectorNone
	case ^v < 0:
		return signed
	}
	return unsigned
}

// The comparisons of each type, by basic relation. Integers have no other ones.
var (
	vectorRelationsS32 = [...]vectorRelation{vectorLessS32, vectorLessEqualS32, vectorEqualS32, basicNumber: 0}
	vectorRelationsU32 = [...]vectorRelation{vectorLessU32, vectorLessEqualU32, vectorEqualU32, basicNumber: 0}
	vectorRelationsS64 = [...]vectorRelation{vectorLessS64, vectorLessEqualS64, vectorEqualS64, basicNumber: 0}
	vectorRelationsU64 = [...]vectorRelation{vectorLessU64, vectorLessEqualU64, vectorEqualU64, basicNumber: 0}
	vectorRelationsF32 = [...]vectorRelation{vectorLessF32, vectorLessEqualF32, vectorEqualF32, vectorOrderedNotEqualF32, vectorNumberF32}
	vectorRelationsF64 = [...]vectorRelation{vectorLessF64, vectorLessEqualF64, vectorEqualF64, vectorOrderedNotEqualF64, vectorNumberF64}
)
