// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/warptape/warptape/trace"
)

// Loads at places that differ from lane to lane, and the question whether lanes are
// where they were.

// NearBytes is what two vector registers hold.
const NearBytes = 128

// FirstLane is the lowest lane of a non-empty mask.
func FirstLane(mask uint32) int { return bits.TrailingZeros32(mask) & (trace.WarpSize - 1) }

// Moved64 reports whether the 64-bit lanes of a mask are at base plus offsets.
func Moved64(slot unsafe.Pointer, offsets *[trace.WarpSize]uint64, base uint64, mask uint32) bool {
	if host.moved64 != nil {
		return host.moved64(slot, unsafe.Pointer(offsets), base, mask)
	}
	return movedInGo[uint64](slot, unsafe.Pointer(offsets), base, mask)
}

// Moved32 is moved64 for 32-bit lanes.
func Moved32(slot unsafe.Pointer, offsets *[trace.WarpSize]uint64, base, mask uint32) bool {
	if host.moved32 != nil {
		return host.moved32(slot, unsafe.Pointer(offsets), uint64(base), mask)
	}
	return movedInGo[uint32](slot, unsafe.Pointer(offsets), uint64(base), mask)
}

func movedInGo[T uint32 | uint64](slot, offsets unsafe.Pointer, base uint64, mask uint32) bool {
	a, o := Of[T](slot), Of[uint64](offsets)
	for ; mask != 0; mask &= mask - 1 {
		if i := FirstLane(mask); uint64(a[i])-base != o[i] {
			return false
		}
	}
	return true
}

// Gather32 loads the words of at that lie at the lanes' offsets. near says that all
// are multiples of 4 within nearBytes.
func Gather32(d unsafe.Pointer, at []byte, offsets *[trace.WarpSize]uint32, near bool, mask uint32) {
	switch {
	case near && host.near32 != nil && cap(at) >= NearBytes:
		host.near32(d, unsafe.Pointer(&at[0]), unsafe.Pointer(offsets), mask)
	case host.gather32 != nil:
		host.gather32(d, unsafe.Pointer(&at[0]), unsafe.Pointer(offsets), mask)
	default:
		gather32InGo(d, at, offsets, mask)
	}
}

func gather32InGo(d unsafe.Pointer, at []byte, offsets *[trace.WarpSize]uint32, mask uint32) {
	z := Of[uint32](d)
	if mask == FullMask {
		for i, offset := range offsets {
			z[i] = binary.LittleEndian.Uint32(at[offset:])
		}
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		i := FirstLane(mask)
		z[i] = binary.LittleEndian.Uint32(at[offsets[i]:])
	}
}

// Gather64 is gather32 for double words.
func Gather64(d unsafe.Pointer, at []byte, offsets *[trace.WarpSize]uint32, mask uint32) {
	if host.gather64 != nil {
		host.gather64(d, unsafe.Pointer(&at[0]), unsafe.Pointer(offsets), mask)
		return
	}
	gather64InGo(d, at, offsets, mask)
}

func gather64InGo(d unsafe.Pointer, at []byte, offsets *[trace.WarpSize]uint32, mask uint32) {
	z := Of[uint64](d)
	for ; mask != 0; mask &= mask - 1 {
		i := FirstLane(mask)
		z[i] = binary.LittleEndian.Uint64(at[offsets[i]:])
	}
}
