// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"math/bits"
	"unsafe"

	"github.com/warptape/warptape/trace"
)

// The lane loops of the integer instructions that kernels consist of; the
// rarer ones go through the element functions of elements.go.

func Add[T Integer](_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[T](d), Of[T](a), Of[T](b)
	for i := range z {
		z[i] = x[i] + y[i]
	}
}

func Sub[T Integer](_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[T](d), Of[T](a), Of[T](b)
	for i := range z {
		z[i] = x[i] - y[i]
	}
}

func Mul[T Integer](_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[T](d), Of[T](a), Of[T](b)
	for i := range z {
		z[i] = x[i] * y[i]
	}
}

func Mad[T Integer](_ *Scratch, d, a, b, c unsafe.Pointer) {
	z, x, y, w := Of[T](d), Of[T](a), Of[T](b), Of[T](c)
	for i := range z {
		z[i] = x[i]*y[i] + w[i]
	}
}

// MulWide is mul.wide.{s32,u32}: W is the 64-bit type of T's signedness.
func MulWide[T int32 | uint32, W int64 | uint64](_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[W](d), Of[T](a), Of[T](b)
	for i := range z {
		z[i] = W(x[i]) * W(y[i])
	}
}

func MadWide[T int32 | uint32, W int64 | uint64](_ *Scratch, d, a, b, c unsafe.Pointer) {
	z, x, y, w := Of[W](d), Of[T](a), Of[T](b), Of[W](c)
	for i := range z {
		z[i] = W(x[i])*W(y[i]) + w[i]
	}
}

func Min[T Integer](_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[T](d), Of[T](a), Of[T](b)
	for i := range z {
		z[i] = min(x[i], y[i])
	}
}

func Abs[T Integer](_ *Scratch, d, a, _, _ unsafe.Pointer) {
	z, x := Of[T](d), Of[T](a)
	for i := range z {
		z[i] = max(x[i], -x[i])
	}
}

func Max[T Integer](_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[T](d), Of[T](a), Of[T](b)
	for i := range z {
		z[i] = max(x[i], y[i])
	}
}

func And[T Integer](_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[T](d), Of[T](a), Of[T](b)
	for i := range z {
		z[i] = x[i] & y[i]
	}
}

func Or[T Integer](_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[T](d), Of[T](a), Of[T](b)
	for i := range z {
		z[i] = x[i] | y[i]
	}
}

func Xor[T Integer](_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[T](d), Of[T](a), Of[T](b)
	for i := range z {
		z[i] = x[i] ^ y[i]
	}
}

func Move[T Integer](_ *Scratch, d, a, _, _ unsafe.Pointer) { *Of[T](d) = *Of[T](a) }

// Shl and shrLanes rely on Go's shifts: like PTX's (9.7.8.8, 9.7.8.9)
// they give zero, or the sign, for amounts of the width and more.
func Shl[T Integer](_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[T](d), Of[T](a), Of[uint32](b)
	for i := range z {
		z[i] = x[i] << y[i]
	}
}

func Shr[T Integer](_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[T](d), Of[T](a), Of[uint32](b)
	for i := range z {
		z[i] = x[i] >> y[i]
	}
}

// Bfe32 is bfe.u32, frequent in address computations (9.7.1.19).
func Bfe32(_ *Scratch, d, a, b, c unsafe.Pointer) {
	z, x, p, n := Of[uint32](d), Of[uint32](a), Of[uint32](b), Of[uint32](c)
	for i := range z {
		z[i] = x[i] >> (p[i] & 0xff) & (1<<(n[i]&0xff) - 1)
	}
}

// lessLanes, lessEqualLanes and equalLanes are the comparisons that all
// others come from by exchanging operands and inverting. On floats they are
// false for NaN.
func Less[T lane](a, b unsafe.Pointer) uint32 {
	x, y := Of[T](a), Of[T](b)
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

func LessEqual[T lane](a, b unsafe.Pointer) uint32 {
	x, y := Of[T](a), Of[T](b)
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

func Equal[T lane](a, b unsafe.Pointer) uint32 {
	x, y := Of[T](a), Of[T](b)
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
func OrderedNotEqual[T lane](a, b unsafe.Pointer) uint32 {
	x, y := Of[T](a), Of[T](b)
	var m uint32
	for i := range x {
		if x[i] < y[i] || x[i] > y[i] {
			m |= 1 << i
		}
	}
	return m
}

// numberLanes is .num on floats: neither is NaN.
func Number[T lane](a, b unsafe.Pointer) uint32 {
	x, y := Of[T](a), Of[T](b)
	var m uint32
	for i := range x {
		if x[i] == x[i] && y[i] == y[i] {
			m |= 1 << i
		}
	}
	return m
}

// selectLanes is selp: a where the predicate holds, else b, in the lanes of mask.
func Select[T Integer](d, a, b unsafe.Pointer, predicate, mask uint32) {
	z, x, y := Of[T](d), Of[T](a), Of[T](b)
	if mask != FullMask {
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
