package emulator

import (
	"math/bits"
	"unsafe"

	"github.com/warptape/warptape/trace"
)

// The lane loops of the integer instructions that kernels consist of; the
// rarer ones go through the element functions of elements.go.

func addLanes[T integer](_ *scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := lanes[T](d), lanes[T](a), lanes[T](b)
	for i := range z {
		z[i] = x[i] + y[i]
	}
}

func subLanes[T integer](_ *scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := lanes[T](d), lanes[T](a), lanes[T](b)
	for i := range z {
		z[i] = x[i] - y[i]
	}
}

func mulLanes[T integer](_ *scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := lanes[T](d), lanes[T](a), lanes[T](b)
	for i := range z {
		z[i] = x[i] * y[i]
	}
}

func madLanes[T integer](_ *scratch, d, a, b, c unsafe.Pointer) {
	z, x, y, w := lanes[T](d), lanes[T](a), lanes[T](b), lanes[T](c)
	for i := range z {
		z[i] = x[i]*y[i] + w[i]
	}
}

// mulWideLanes is mul.wide.{s32,u32}: W is the 64-bit type of T's signedness.
func mulWideLanes[T int32 | uint32, W int64 | uint64](_ *scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := lanes[W](d), lanes[T](a), lanes[T](b)
	for i := range z {
		z[i] = W(x[i]) * W(y[i])
	}
}

func madWideLanes[T int32 | uint32, W int64 | uint64](_ *scratch, d, a, b, c unsafe.Pointer) {
	z, x, y, w := lanes[W](d), lanes[T](a), lanes[T](b), lanes[W](c)
	for i := range z {
		z[i] = W(x[i])*W(y[i]) + w[i]
	}
}

func minLanes[T integer](_ *scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := lanes[T](d), lanes[T](a), lanes[T](b)
	for i := range z {
		z[i] = min(x[i], y[i])
	}
}

func maxLanes[T integer](_ *scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := lanes[T](d), lanes[T](a), lanes[T](b)
	for i := range z {
		z[i] = max(x[i], y[i])
	}
}

func andLanes[T integer](_ *scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := lanes[T](d), lanes[T](a), lanes[T](b)
	for i := range z {
		z[i] = x[i] & y[i]
	}
}

func orLanes[T integer](_ *scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := lanes[T](d), lanes[T](a), lanes[T](b)
	for i := range z {
		z[i] = x[i] | y[i]
	}
}

func xorLanes[T integer](_ *scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := lanes[T](d), lanes[T](a), lanes[T](b)
	for i := range z {
		z[i] = x[i] ^ y[i]
	}
}

func moveLanes[T integer](_ *scratch, d, a, _, _ unsafe.Pointer) { *lanes[T](d) = *lanes[T](a) }

// shlLanes and shrLanes rely on Go's shifts: like PTX's (9.7.8.8, 9.7.8.9)
// they give zero, or the sign, for amounts of the width and more.
func shlLanes[T integer](_ *scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := lanes[T](d), lanes[T](a), lanes[uint32](b)
	for i := range z {
		z[i] = x[i] << y[i]
	}
}

func shrLanes[T integer](_ *scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := lanes[T](d), lanes[T](a), lanes[uint32](b)
	for i := range z {
		z[i] = x[i] >> y[i]
	}
}

// bfeLanes32 is bfe.u32, frequent in address computations (9.7.1.19).
func bfeLanes32(_ *scratch, d, a, b, c unsafe.Pointer) {
	z, x, p, n := lanes[uint32](d), lanes[uint32](a), lanes[uint32](b), lanes[uint32](c)
	for i := range z {
		z[i] = x[i] >> (p[i] & 0xff) & (1<<(n[i]&0xff) - 1)
	}
}

// lessLanes, lessEqualLanes and equalLanes are the comparisons that all
// others come from by exchanging operands and inverting. On floats they are
// false for NaN.
func lessLanes[T lane](a, b unsafe.Pointer) uint32 {
	x, y := lanes[T](a), lanes[T](b)
	var m uint32
	for i := range x {
		var bit uint32
		if x[i] < y[i] {
			bit = 1
		}
		m |= bit << i
	}
	return m
}

func lessEqualLanes[T lane](a, b unsafe.Pointer) uint32 {
	x, y := lanes[T](a), lanes[T](b)
	var m uint32
	for i := range x {
		var bit uint32
		if x[i] <= y[i] {
			bit = 1
		}
		m |= bit << i
	}
	return m
}

func equalLanes[T lane](a, b unsafe.Pointer) uint32 {
	x, y := lanes[T](a), lanes[T](b)
	var m uint32
	for i := range x {
		var bit uint32
		if x[i] == y[i] {
			bit = 1
		}
		m |= bit << i
	}
	return m
}

// orderedNotEqualLanes is .ne on floats, false for NaN (9.3.1.2).
func orderedNotEqualLanes[T lane](a, b unsafe.Pointer) uint32 {
	x, y := lanes[T](a), lanes[T](b)
	var m uint32
	for i := range x {
		if x[i] < y[i] || x[i] > y[i] {
			m |= 1 << i
		}
	}
	return m
}

// numberLanes is .num on floats: neither is NaN.
func numberLanes[T lane](a, b unsafe.Pointer) uint32 {
	x, y := lanes[T](a), lanes[T](b)
	var m uint32
	for i := range x {
		if x[i] == x[i] && y[i] == y[i] {
			m |= 1 << i
		}
	}
	return m
}

// selectLanes is selp: a where the predicate holds, else b, in the lanes of mask.
func selectLanes[T integer](d, a, b unsafe.Pointer, predicate, mask uint32) {
	z, x, y := lanes[T](d), lanes[T](a), lanes[T](b)
	if mask != fullMask {
		for ; mask != 0; mask &= mask - 1 {
			i := bits.TrailingZeros32(mask) & (trace.WarpSize - 1)
			if predicate>>i&1 != 0 {
				z[i] = x[i]
			} else {
				z[i] = y[i]
			}
		}
		return
	}
	for i := range z {
		v := y[i]
		if predicate>>i&1 != 0 {
			v = x[i]
		}
		z[i] = v
	}
}
