// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/warptape/warptape/trace"
)

// The loops in Go that the ones in assembly must equal bit by bit, whatever the
// lanes hold.
var loopTwins = [vectorOps]Loop{
	VectorAddF32:      AddF32,
	VectorAddF64:      AddF64,
	VectorAddFtz:      AddFtz,
	VectorSubF32:      SubF32,
	VectorSubF64:      SubF64,
	VectorSubFtz:      SubFtz,
	VectorMulF32:      MulF32,
	VectorMulF64:      MulF64,
	VectorMulFtz:      MulFtz,
	VectorDivF32:      DivF32,
	VectorDivF64:      DivF64,
	VectorFmaF32:      FmaF32,
	VectorFmaF64:      FmaF64,
	VectorFmaFtz:      FmaFtz,
	VectorAdd32:       Add[uint32],
	VectorAdd64:       Add[uint64],
	VectorSub32:       Sub[uint32],
	VectorSub64:       Sub[uint64],
	VectorMul32:       Mul[uint32],
	VectorMul64:       Mul[uint64],
	VectorMad32:       Mad[uint32],
	VectorMad64:       Mad[uint64],
	VectorAnd32:       And[uint32],
	VectorAnd64:       And[uint64],
	VectorOr32:        Or[uint32],
	VectorOr64:        Or[uint64],
	VectorXor32:       Xor[uint32],
	VectorXor64:       Xor[uint64],
	VectorMinS32:      Min[int32],
	VectorMinU32:      Min[uint32],
	VectorMaxS32:      Max[int32],
	VectorMaxU32:      Max[uint32],
	VectorMulWideS32:  MulWide[int32, int64],
	VectorMulWideU32:  MulWide[uint32, uint64],
	VectorMadWideS32:  MadWide[int32, int64],
	VectorMadWideU32:  MadWide[uint32, uint64],
	VectorShl32:       Shl[uint32],
	VectorShrS32:      Shr[int32],
	VectorShrU32:      Shr[uint32],
	VectorShl64:       Shl[uint64],
	VectorShrS64:      Shr[int64],
	VectorShrU64:      Shr[uint64],
	VectorWidenS32:    Cast[int32, int64],
	VectorWidenU32:    Cast[uint32, uint64],
	VectorNarrow64:    Cast[uint64, uint32],
	VectorS32ToF32:    Cast[int32, float32],
	VectorU32ToF32:    Cast[uint32, float32],
	VectorIntegralF32: IntegralF32,
	VectorBfe32:       Bfe32,
	VectorAbsS32:      Abs[int32],
}

var compareTwins = [vectorRelations]Relation{
	vectorLessS32:            Less[int32],
	vectorLessU32:            Less[uint32],
	vectorLessS64:            Less[int64],
	vectorLessU64:            Less[uint64],
	vectorLessF32:            Less[float32],
	vectorLessF64:            Less[float64],
	vectorLessEqualS32:       LessEqual[int32],
	vectorLessEqualU32:       LessEqual[uint32],
	vectorLessEqualS64:       LessEqual[int64],
	vectorLessEqualU64:       LessEqual[uint64],
	vectorLessEqualF32:       LessEqual[float32],
	vectorLessEqualF64:       LessEqual[float64],
	vectorEqualS32:           Equal[int32],
	vectorEqualU32:           Equal[uint32],
	vectorEqualS64:           Equal[int64],
	vectorEqualU64:           Equal[uint64],
	vectorEqualF32:           Equal[float32],
	vectorEqualF64:           Equal[float64],
	vectorOrderedNotEqualF32: OrderedNotEqual[float32],
	vectorOrderedNotEqualF64: OrderedNotEqual[float64],
	vectorNumberF32:          Number[float32],
	vectorNumberF64:          Number[float64],
}

// specialBits are lanes at which floats and integers have their corners: zeros,
// subnormals, the smallest and largest numbers, infinities, NaNs of both kinds
// with payloads, shift amounts about the widths.
var specialBits = []uint32{
	0, 1, 2, 31, 32, 33, 63, 64, 65, 255, 256, 0x007fffff, 0x00800000, 0x00800001, 0x00ffffff, 0x3f7fffff, 0x3f800000, 0x3f800001,
	0x7effffff, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fa00000, 0x7fc00000, 0x7fffffff, 0x80000000, 0x80000001, 0x807fffff,
	0x80800000, 0xbf800000, 0xff7fffff, 0xff800000, 0xff800001, 0xffc12345, 0xffffffff, 0x00100000, 0x000fffff, 0x7ff00000,
	0x7ff80000, 0xfff00000, 0xfff80001, 0x33800000, 0x0c000000, 0x1f800000, 0x20000000,
}

// fillSlot fills a slot with special words, or with random ones.
func fillSlot(r *rand.Rand, s *[trace.WarpSize]uint64) {
	words := (*[2 * trace.WarpSize]uint32)(unsafe.Pointer(s))
	for i := range words {
		switch r.IntN(4) {
		case 0:
			words[i] = r.Uint32()
		case 1: // products near the smallest normal number
			words[i] = 0x1fc00000 + r.Uint32()&0x80ffffff
		default:
			words[i] = specialBits[r.IntN(len(specialBits))]
		}
	}
}

// forVectors runs a test for every set of loops that this processor can run.
func forVectors(t *testing.T, f func(t *testing.T, r *rand.Rand, v *vectorSet)) {
	sets := availableVectors()
	for i := range sets {
		f(t, rand.New(rand.NewPCG(1, uint64(i))), &sets[i])
	}
}

const vectorRounds = 300

func TestAssemblyLoopsEqualTheirTwinsBitByBit(t *testing.T) {
	forVectors(t, func(t *testing.T, r *rand.Rand, v *vectorSet) {
		for op := range vectorOps {
			if v.loops[op] == nil {
				continue
			}
			for range vectorRounds {
				var s Scratch
				var in [3][trace.WarpSize]uint64
				var got, want [trace.WarpSize]uint64
				for i := range in {
					fillSlot(r, &in[i])
				}
				a, b, c := unsafe.Pointer(&in[0]), unsafe.Pointer(&in[1]), unsafe.Pointer(&in[2])
				v.loops[op](&s, unsafe.Pointer(&got), a, b, c)
				loopTwins[op](&s, unsafe.Pointer(&want), a, b, c)
				if got != want {
					t.Fatalf("operation %d: %x, %x, %x: got %x, want %x", op, in[0], in[1], in[2], got, want)
				}
				inPlace := in
				v.loops[op](&s, unsafe.Pointer(&inPlace[0]), unsafe.Pointer(&inPlace[0]), b, c)
				if op != VectorNarrow64 && !widens(op) && inPlace[0] != merged(in[0], want, op) {
					t.Fatalf("operation %d in place: got %x, want %x", op, inPlace[0], want)
				}
			}
		}
	})
}

// widens reports whether a loop's result has wider lanes than its first source,
// so that they are never the same slot.
func widens(op VectorOp) bool {
	switch op {
	case VectorMulWideS32, VectorMulWideU32, VectorMadWideS32, VectorMadWideU32, VectorWidenS32, VectorWidenU32:
		return true
	}
	return false
}

// merged is old with the result in the bytes that the loop writes.
func merged(old, result [trace.WarpSize]uint64, op VectorOp) [trace.WarpSize]uint64 {
	probe := [2][trace.WarpSize]uint64{}
	for i := range probe[1] {
		probe[1][i] = ^uint64(0)
	}
	// What stays of both patterns is not written.
	var s Scratch
	var zero [trace.WarpSize]uint64
	z := unsafe.Pointer(&zero)
	for i := range probe {
		loopTwins[op](&s, unsafe.Pointer(&probe[i]), z, z, z)
	}
	for i := range old {
		written := ^(probe[0][i] ^ probe[1][i])
		old[i] = old[i]&^written | result[i]&written
	}
	return old
}

func TestAssemblyComparisonsEqualTheirTwins(t *testing.T) {
	forVectors(t, func(t *testing.T, r *rand.Rand, v *vectorSet) {
		for k := range vectorRelations {
			for range vectorRounds {
				var in [2][trace.WarpSize]uint64
				fillSlot(r, &in[0])
				fillSlot(r, &in[1])
				if r.IntN(2) == 0 { // so that some are equal
					for i := range in[0] {
						if r.IntN(2) == 0 {
							in[1][i] = in[0][i]
						}
					}
				}
				a, b := unsafe.Pointer(&in[0]), unsafe.Pointer(&in[1])
				if got, want := v.compares[k](a, b), compareTwins[k](a, b); got != want {
					t.Fatalf("relation %d: %x, %x: got %08x, want %08x", k, in[0], in[1], got, want)
				}
			}
		}
	})
}

func TestAssemblyMovesTouchTheLanesOfTheirMask(t *testing.T) {
	forVectors(t, func(t *testing.T, r *rand.Rand, v *vectorSet) {
		for range 10 * vectorRounds {
			var in [3][trace.WarpSize]uint64
			for i := range in {
				fillSlot(r, &in[i])
			}
			a, b := unsafe.Pointer(&in[0]), unsafe.Pointer(&in[1])
			mask, predicate := r.Uint32(), r.Uint32()
			if r.IntN(4) == 0 {
				mask = FullMask
			}
			compare := func(what string, f, twin func(d unsafe.Pointer)) {
				got, want := in[2], in[2]
				f(unsafe.Pointer(&got))
				twin(unsafe.Pointer(&want))
				if got != want {
					t.Fatalf("%s, mask %08x, predicate %08x: got %x, want %x", what, mask, predicate, got, want)
				}
			}
			compare("keep32", func(d unsafe.Pointer) { v.keep32(d, a, mask) }, func(d unsafe.Pointer) { Keep32(d, a, mask) })
			compare("keep64", func(d unsafe.Pointer) { v.keep64(d, a, mask) }, func(d unsafe.Pointer) { Keep64(d, a, mask) })
			compare("select32", func(d unsafe.Pointer) { v.select32(d, a, b, predicate, mask) },
				func(d unsafe.Pointer) { Select[uint32](d, a, b, predicate, mask) })
			compare("select64", func(d unsafe.Pointer) { v.select64(d, a, b, predicate, mask) },
				func(d unsafe.Pointer) { Select[uint64](d, a, b, predicate, mask) })
		}
	})
}

func TestAssemblyFindsTheStrideThatGoFinds(t *testing.T) {
	forVectors(t, func(t *testing.T, r *rand.Rand, v *vectorSet) {
		for range 10 * vectorRounds {
			var a [trace.WarpSize]uint64
			base, stride := r.Uint64(), r.Uint64()>>r.IntN(64)
			for i := range a {
				a[i] = base + uint64(i)*stride
			}
			if lane := r.IntN(trace.WarpSize + 4); lane < trace.WarpSize {
				a[lane] += 1 << r.IntN(64)
			}
			if got, want := v.affine(unsafe.Pointer(&a)), affineInGo(&a); got != want {
				t.Fatalf("lanes %x: got %t, want %t", a, got, want)
			}
		}
	})
}

// Lanes lie anywhere, close together, or far apart on both sides of the first one.
func TestAssemblySpreadsLanesAsGoDoes(t *testing.T) {
	forVectors(t, func(t *testing.T, r *rand.Rand, v *vectorSet) {
		for range vectorRounds {
			var a, got, want [trace.WarpSize]uint64
			var cut, wantCut [trace.WarpSize]uint32
			bits := r.IntN(65)
			for i := range a {
				a[i] = r.Uint64()>>(64-bits) - 1<<bits/2
			}
			low, high, set := v.spread(unsafe.Pointer(&cut), unsafe.Pointer(&got), unsafe.Pointer(&a))
			wantLow, wantHigh, wantSet := spreadInGo(&wantCut, &want, &a)
			if low != wantLow || high != wantHigh || set != wantSet {
				t.Fatalf("lanes at %x lie in %d ... %d with bits %x, want %d ... %d with %x", a, low, high, set, wantLow, wantHigh, wantSet)
			}
			if got != want || cut != wantCut {
				t.Fatalf("lanes at %x: got %x and %x, want %x and %x", a, got, cut, want, wantCut)
			}
		}
	})
}
