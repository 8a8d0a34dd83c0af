// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"unsafe"

	"github.com/warptape/warptape/trace"
)

// A slot of the register file holds one value per lane: [32]uint32 for
// registers of up to 32 bits (16-bit values zero-extended), [32]uint64 for
// 64-bit ones. Lane loops get slots as untyped pointers and read them as the
// type that the instruction gives them, which is what PTX registers are. The casts
// are confined to the two functions below.

// lane is what a lane's register can be read as.
type lane interface {
	int32 | uint32 | int64 | uint64 | float32 | float64
}

// Integer is the integer lanes.
type Integer interface {
	int32 | uint32 | int64 | uint64
}

// Of reads the slot at p as 32 values of type T.
func Of[T lane](p unsafe.Pointer) *[trace.WarpSize]T { return (*[trace.WarpSize]T)(p) }

// The slots' sizes in bytes.
const (
	NarrowSlot = trace.WarpSize * 4
	WideSlot   = trace.WarpSize * 8
)

// Scratch is a context's working space for lane loops.
type Scratch struct {
	// Result takes what a partially active warp computes, for all lanes, before
	// the active ones are kept.
	Result [trace.WarpSize]uint64
	// Inputs take flushed copies of operands (.ftz).
	Inputs [3][trace.WarpSize]uint64
	pairs  pairScratch
	// double takes arguments and results of functions that are computed in double precision.
	double [2][trace.WarpSize]float64
}

// Loop computes slot d from slots a, b and c for all 32 lanes. It must be
// total: lanes that are not active hold anything.
type Loop func(s *Scratch, d, a, b, c unsafe.Pointer)

// Relation gives the set of lanes for which a relation between a and b holds.
type Relation func(a, b unsafe.Pointer) uint32

const FullMask = ^uint32(0)

// Keep32 copies the lanes in mask from src to dst.
func Keep32(dst, src unsafe.Pointer, mask uint32) {
	d, s := Of[uint32](dst), Of[uint32](src)
	for i := range d {
		if mask>>i&1 != 0 {
			d[i] = s[i]
		}
	}
}

// Keep64 is keep32 for 64-bit slots.
func Keep64(dst, src unsafe.Pointer, mask uint32) {
	d, s := Of[uint64](dst), Of[uint64](src)
	for i := range d {
		if mask>>i&1 != 0 {
			d[i] = s[i]
		}
	}
}

// Broadcast fills a slot with one value.
func Broadcast[T lane](p unsafe.Pointer, v T) {
	d := Of[T](p)
	for i := range d {
		d[i] = v
	}
}

// PointerTo is the slot that an array of lanes makes.
func PointerTo(a *[trace.WarpSize]uint32) unsafe.Pointer { return unsafe.Pointer(a) }
