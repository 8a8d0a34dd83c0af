// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"unsafe"

	"github.com/warptape/warptape/trace"
)

// The helpers below make lane loops from functions of one lane's values, for
// instructions that are too rare to deserve a loop of their own. The call per
// lane costs about two nanoseconds.

func Each1[T lane](f func(a T) T) Loop {
	return func(_ *Scratch, d, a, _, _ unsafe.Pointer) {
		z, x := Of[T](d), Of[T](a)
		for i := range z {
			z[i] = f(x[i])
		}
	}
}

func Each2[T lane](f func(a, b T) T) Loop {
	return func(_ *Scratch, d, a, b, _ unsafe.Pointer) {
		z, x, y := Of[T](d), Of[T](a), Of[T](b)
		for i := range z {
			z[i] = f(x[i], y[i])
		}
	}
}

func Each3[T lane](f func(a, b, c T) T) Loop {
	return func(_ *Scratch, d, a, b, c unsafe.Pointer) {
		z, x, y, w := Of[T](d), Of[T](a), Of[T](b), Of[T](c)
		for i := range z {
			z[i] = f(x[i], y[i], w[i])
		}
	}
}

// Reduce is a unary instruction with a 32-bit result: popc, clz, bfind.
func Reduce[T lane](f func(a T) uint32) Loop {
	return func(_ *Scratch, d, a, _, _ unsafe.Pointer) {
		z, x := Of[uint32](d), Of[T](a)
		for i := range z {
			z[i] = f(x[i])
		}
	}
}

// Fields is a ternary instruction whose b and c are 32-bit whatever a is: bfe.
func Fields[T lane](f func(a T, b, c uint32) T) Loop {
	return func(_ *Scratch, d, a, b, c unsafe.Pointer) {
		z, x, y, w := Of[T](d), Of[T](a), Of[uint32](b), Of[uint32](c)
		for i := range z {
			z[i] = f(x[i], y[i], w[i])
		}
	}
}

// Short is the 16-bit values, kept zero-extended in 32-bit lanes.
type Short interface{ int16 | uint16 }

func Short1[T Short](f func(a T) T) Loop {
	return func(_ *Scratch, d, a, _, _ unsafe.Pointer) {
		z, x := Of[uint32](d), Of[uint32](a)
		for i := range z {
			z[i] = uint32(uint16(f(T(x[i]))))
		}
	}
}

func Short2[T Short](f func(a, b T) T) Loop {
	return func(_ *Scratch, d, a, b, _ unsafe.Pointer) {
		z, x, y := Of[uint32](d), Of[uint32](a), Of[uint32](b)
		for i := range z {
			z[i] = uint32(uint16(f(T(x[i]), T(y[i]))))
		}
	}
}

func Short3[T Short](f func(a, b, c T) T) Loop {
	return func(_ *Scratch, d, a, b, c unsafe.Pointer) {
		z, x, y, w := Of[uint32](d), Of[uint32](a), Of[uint32](b), Of[uint32](c)
		for i := range z {
			z[i] = uint32(uint16(f(T(x[i]), T(y[i]), T(w[i]))))
		}
	}
}

// Shift16 is a 16-bit shift: the amount is 32 bits wide.
func Shift16[T Short](f func(a T, b uint32) T) Loop {
	return func(_ *Scratch, d, a, b, _ unsafe.Pointer) {
		z, x, y := Of[uint32](d), Of[uint32](a), Of[uint32](b)
		for i := range z {
			z[i] = uint32(uint16(f(T(x[i]), y[i])))
		}
	}
}

// Wide16 is mul.wide and mad.wide of 16-bit factors: 32-bit c and result.
func Wide16[T Short](f func(a, b T, c uint32) uint32) Loop {
	return func(_ *Scratch, d, a, b, c unsafe.Pointer) {
		z, x, y, w := Of[uint32](d), Of[uint32](a), Of[uint32](b), Of[uint32](c)
		for i := range z {
			z[i] = f(T(x[i]), T(y[i]), w[i])
		}
	}
}

// RelateEach makes a comparison from a relation between lanes' values.
func RelateEach[T lane](f func(a, b T) bool) Relation {
	return func(a, b unsafe.Pointer) uint32 {
		x, y := Of[T](a), Of[T](b)
		var m uint32
		for i := range x {
			if f(x[i], y[i]) {
				m |= 1 << i
			}
		}
		return m
	}
}

// Convert makes a conversion between slots of the given widths from a function
// of the source's bits.
func Convert(destinationWide, sourceWide bool, f func(uint64) uint64) Loop {
	switch {
	case destinationWide && sourceWide:
		return convertSlots[uint64, uint64](f)
	case destinationWide:
		return convertSlots[uint64, uint32](f)
	case sourceWide:
		return convertSlots[uint32, uint64](f)
	}
	return convertSlots[uint32, uint32](f)
}

func convertSlots[D, S uint32 | uint64](f func(uint64) uint64) Loop {
	return func(_ *Scratch, d, a, _, _ unsafe.Pointer) {
		z, x := Of[D](d), Of[S](a)
		for i := range z {
			z[i] = D(f(uint64(x[i])))
		}
	}
}

// flushed makes the .ftz form of a single-precision loop: subnormal inputs
// and results become zeros of their sign (9.7.3). Argument sources is the number of
// single-precision inputs; result says whether the result is one.
func flushed(f Loop, sources int, result bool) Loop {
	return func(s *Scratch, d, a, b, c unsafe.Pointer) {
		if sources > 0 {
			a = flushInto(&s.Inputs[0], a)
		}
		if sources > 1 {
			b = flushInto(&s.Inputs[1], b)
		}
		if sources > 2 {
			c = flushInto(&s.Inputs[2], c)
		}
		f(s, d, a, b, c)
		if result {
			flushLanes(d, d)
		}
	}
}

func flushInto(dst *[trace.WarpSize]uint64, src unsafe.Pointer) unsafe.Pointer {
	p := unsafe.Pointer(dst)
	flushLanes(p, src)
	return p
}

func flushLanes(d, a unsafe.Pointer) {
	z, x := Of[uint32](d), Of[uint32](a)
	for i := range z {
		z[i] = Flush32(x[i])
	}
}

// Flush32 makes a subnormal single-precision number a zero of its sign.
func Flush32(v uint32) uint32 {
	if v&0x7f800000 == 0 {
		return v & 0x80000000
	}
	return v
}

// RoundTF32 rounds a finite number of single precision to the 10 bits of fraction of .tf32 (5.2.3),
// to the nearest, halves to even. The 13 bits below are zero then.
func RoundTF32(v uint32) uint32 { return (v + 1<<12 - 1 + v>>13&1) &^ (1<<13 - 1) }

// saturated makes the .sat form of a floating-point loop: results are clamped
// to [0, 1], NaN becomes +0 (9.7.3).
func saturated[T float32 | float64](f Loop) Loop {
	return func(s *Scratch, d, a, b, c unsafe.Pointer) {
		f(s, d, a, b, c)
		z := Of[T](d)
		for i := range z {
			z[i] = Saturate(z[i])
		}
	}
}

func Saturate[T float32 | float64](v T) T {
	switch {
	case v >= 1:
		return 1
	case v > 0:
		return v
	}
	return 0
}
