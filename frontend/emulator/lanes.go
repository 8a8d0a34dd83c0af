package emulator

import (
	"unsafe"

	"github.com/warptape/warptape/trace"
)

// A slot of the register file holds one value per lane: [32]uint32 for
// registers of up to 32 bits (16-bit values zero-extended), [32]uint64 for
// 64-bit ones. Lane loops get slots as untyped pointers and read them as the
// type that the instruction gives them, which is what PTX registers are; the
// casts are confined to the two functions below.

// lane is what a lane's register can be read as.
type lane interface {
	int32 | uint32 | int64 | uint64 | float32 | float64
}

// integer is the integer lanes.
type integer interface {
	int32 | uint32 | int64 | uint64
}

// lanes reads the slot at p as 32 values of type T.
func lanes[T lane](p unsafe.Pointer) *[trace.WarpSize]T { return (*[trace.WarpSize]T)(p) }

// The slots' sizes in bytes.
const (
	narrowSlot = trace.WarpSize * 4
	wideSlot   = trace.WarpSize * 8
)

// scratch is a context's working space for lane loops.
type scratch struct {
	// result takes what a partially active warp computes, for all lanes, before
	// the active ones are kept.
	result [trace.WarpSize]uint64
	// inputs take flushed copies of operands (.ftz).
	inputs [3][trace.WarpSize]uint64
	pairs  pairScratch
}

// laneLoop computes slot d from slots a, b and c for all 32 lanes. It must be
// total: lanes that are not active hold anything.
type laneLoop func(s *scratch, d, a, b, c unsafe.Pointer)

// laneCompare gives the set of lanes for which a relation between a and b holds.
type laneCompare func(a, b unsafe.Pointer) uint32

const fullMask = ^uint32(0)

// keep32 copies the lanes in mask from src to dst.
func keep32(dst, src unsafe.Pointer, mask uint32) {
	d, s := lanes[uint32](dst), lanes[uint32](src)
	for i := range d {
		if mask>>i&1 != 0 {
			d[i] = s[i]
		}
	}
}

// keep64 is keep32 for 64-bit slots.
func keep64(dst, src unsafe.Pointer, mask uint32) {
	d, s := lanes[uint64](dst), lanes[uint64](src)
	for i := range d {
		if mask>>i&1 != 0 {
			d[i] = s[i]
		}
	}
}

// broadcast fills a slot with one value.
func broadcast[T lane](p unsafe.Pointer, v T) {
	d := lanes[T](p)
	for i := range d {
		d[i] = v
	}
}

// pointerTo is the slot that an array of lanes makes.
func pointerTo(a *[trace.WarpSize]uint32) unsafe.Pointer { return unsafe.Pointer(a) }
