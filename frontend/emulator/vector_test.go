package emulator

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/warptape/warptape/trace"
)

// The loops in Go that the ones in assembly must equal bit by bit, whatever the
// lanes hold.
var loopTwins = [vectorOps]laneLoop{
	vectorAddF32:     addLanesF32,
	vectorAddF64:     addLanesF64,
	vectorAddFtz:     addLanesFtz,
	vectorSubF32:     subLanesF32,
	vectorSubF64:     subLanesF64,
	vectorSubFtz:     subLanesFtz,
	vectorMulF32:     mulLanesF32,
	vectorMulF64:     mulLanesF64,
	vectorMulFtz:     mulLanesFtz,
	vectorFmaF32:     fmaLanesF32,
	vectorFmaF64:     fmaLanesF64,
	vectorFmaFtz:     fmaLanesFtz,
	vectorAdd32:      addLanes[uint32],
	vectorAdd64:      addLanes[uint64],
	vectorSub32:      subLanes[uint32],
	vectorSub64:      subLanes[uint64],
	vectorMul32:      mulLanes[uint32],
	vectorMul64:      mulLanes[uint64],
	vectorMad32:      madLanes[uint32],
	vectorMad64:      madLanes[uint64],
	vectorAnd32:      andLanes[uint32],
	vectorAnd64:      andLanes[uint64],
	vectorOr32:       orLanes[uint32],
	vectorOr64:       orLanes[uint64],
	vectorXor32:      xorLanes[uint32],
	vectorXor64:      xorLanes[uint64],
	vectorMinS32:     minLanes[int32],
	vectorMinU32:     minLanes[uint32],
	vectorMaxS32:     maxLanes[int32],
	vectorMaxU32:     maxLanes[uint32],
	vectorMulWideS32: mulWideLanes[int32, int64],
	vectorMulWideU32: mulWideLanes[uint32, uint64],
	vectorMadWideS32: madWideLanes[int32, int64],
	vectorMadWideU32: madWideLanes[uint32, uint64],
	vectorShl32:      shlLanes[uint32],
	vectorShrS32:     shrLanes[int32],
	vectorShrU32:     shrLanes[uint32],
	vectorShl64:      shlLanes[uint64],
	vectorShrS64:     shrLanes[int64],
	vectorShrU64:     shrLanes[uint64],
	vectorWidenS32:   convertLanes[int32, int64],
	vectorWidenU32:   convertLanes[uint32, uint64],
	vectorNarrow64:   convertLanes[uint64, uint32],
	vectorS32ToF32:   convertLanes[int32, float32],
	vectorU32ToF32:   convertLanes[uint32, float32],
}

var compareTwins = [vectorRelations]laneCompare{
	vectorLessS32:            lessLanes[int32],
	vectorLessU32:            lessLanes[uint32],
	vectorLessS64:            lessLanes[int64],
	vectorLessU64:            lessLanes[uint64],
	vectorLessF32:            lessLanes[float32],
	vectorLessF64:            lessLanes[float64],
	vectorLessEqualS32:       lessEqualLanes[int32],
	vectorLessEqualU32:       lessEqualLanes[uint32],
	vectorLessEqualS64:       lessEqualLanes[int64],
	vectorLessEqualU64:       lessEqualLanes[uint64],
	vectorLessEqualF32:       lessEqualLanes[float32],
	vectorLessEqualF64:       lessEqualLanes[float64],
	vectorEqualS32:           equalLanes[int32],
	vectorEqualU32:           equalLanes[uint32],
	vectorEqualS64:           equalLanes[int64],
	vectorEqualU64:           equalLanes[uint64],
	vectorEqualF32:           equalLanes[float32],
	vectorEqualF64:           equalLanes[float64],
	vectorOrderedNotEqualF32: orderedNotEqualLanes[float32],
	vectorOrderedNotEqualF64: orderedNotEqualLanes[float64],
	vectorNumberF32:          numberLanes[float32],
	vectorNumberF64:          numberLanes[float64],
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
				var s scratch
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
				if op != vectorNarrow64 && !widens(op) && inPlace[0] != merged(in[0], want, op) {
					t.Fatalf("operation %d in place: got %x, want %x", op, inPlace[0], want)
				}
			}
		}
	})
}

// widens reports whether a loop's result has wider lanes than its first source,
// so that they are never the same slot.
func widens(op vectorOp) bool {
	switch op {
	case vectorMulWideS32, vectorMulWideU32, vectorMadWideS32, vectorMadWideU32, vectorWidenS32, vectorWidenU32:
		return true
	}
	return false
}

// merged is old with the result in the bytes that the loop writes.
func merged(old, result [trace.WarpSize]uint64, op vectorOp) [trace.WarpSize]uint64 {
	probe := [2][trace.WarpSize]uint64{}
	for i := range probe[1] {
		probe[1][i] = ^uint64(0)
	}
	// What stays of both patterns is not written.
	var s scratch
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
				mask = fullMask
			}
			compare := func(what string, f, twin func(d unsafe.Pointer)) {
				got, want := in[2], in[2]
				f(unsafe.Pointer(&got))
				twin(unsafe.Pointer(&want))
				if got != want {
					t.Fatalf("%s, mask %08x, predicate %08x: got %x, want %x", what, mask, predicate, got, want)
				}
			}
			compare("keep32", func(d unsafe.Pointer) { v.keep32(d, a, mask) }, func(d unsafe.Pointer) { keep32(d, a, mask) })
			compare("keep64", func(d unsafe.Pointer) { v.keep64(d, a, mask) }, func(d unsafe.Pointer) { keep64(d, a, mask) })
			compare("select32", func(d unsafe.Pointer) { v.select32(d, a, b, predicate, mask) },
				func(d unsafe.Pointer) { selectLanes[uint32](d, a, b, predicate, mask) })
			compare("select64", func(d unsafe.Pointer) { v.select64(d, a, b, predicate, mask) },
				func(d unsafe.Pointer) { selectLanes[uint64](d, a, b, predicate, mask) })
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
