package emulator

import (
	"unsafe"

	"github.com/warptape/warptape/trace"
)

// The helpers below make lane loops from functions of one lane's values, for
// instructions that are too rare to deserve a loop of their own. The call per
// lane costs about two nanoseconds.

func each1[T lane](f func(a T) T) laneLoop {
	return func(_ *scratch, d, a, _, _ unsafe.Pointer) {
		z, x := lanes[T](d), lanes[T](a)
		for i := range z {
			z[i] = f(x[i])
		}
	}
}

func each2[T lane](f func(a, b T) T) laneLoop {
	return func(_ *scratch, d, a, b, _ unsafe.Pointer) {
		z, x, y := lanes[T](d), lanes[T](a), lanes[T](b)
		for i := range z {
			z[i] = f(x[i], y[i])
		}
	}
}

func each3[T lane](f func(a, b, c T) T) laneLoop {
	return func(_ *scratch, d, a, b, c unsafe.Pointer) {
		z, x, y, w := lanes[T](d), lanes[T](a), lanes[T](b), lanes[T](c)
		for i := range z {
			z[i] = f(x[i], y[i], w[i])
		}
	}
}

// reduce is a unary instruction with a 32-bit result: popc, clz, bfind.
func reduce[T lane](f func(a T) uint32) laneLoop {
	return func(_ *scratch, d, a, _, _ unsafe.Pointer) {
		z, x := lanes[uint32](d), lanes[T](a)
		for i := range z {
			z[i] = f(x[i])
		}
	}
}

// fields is a ternary instruction whose b and c are 32-bit whatever a is: bfe.
func fields[T lane](f func(a T, b, c uint32) T) laneLoop {
	return func(_ *scratch, d, a, b, c unsafe.Pointer) {
		z, x, y, w := lanes[T](d), lanes[T](a), lanes[uint32](b), lanes[uint32](c)
		for i := range z {
			z[i] = f(x[i], y[i], w[i])
		}
	}
}

// short is the 16-bit values, kept zero-extended in 32-bit lanes.
type short interface{ int16 | uint16 }

func short1[T short](f func(a T) T) laneLoop {
	return func(_ *scratch, d, a, _, _ unsafe.Pointer) {
		z, x := lanes[uint32](d), lanes[uint32](a)
		for i := range z {
			z[i] = uint32(uint16(f(T(x[i]))))
		}
	}
}

func short2[T short](f func(a, b T) T) laneLoop {
	return func(_ *scratch, d, a, b, _ unsafe.Pointer) {
		z, x, y := lanes[uint32](d), lanes[uint32](a), lanes[uint32](b)
		for i := range z {
			z[i] = uint32(uint16(f(T(x[i]), T(y[i]))))
		}
	}
}

func short3[T short](f func(a, b, c T) T) laneLoop {
	return func(_ *scratch, d, a, b, c unsafe.Pointer) {
		z, x, y, w := lanes[uint32](d), lanes[uint32](a), lanes[uint32](b), lanes[uint32](c)
		for i := range z {
			z[i] = uint32(uint16(f(T(x[i]), T(y[i]), T(w[i]))))
		}
	}
}

// shift16 is a 16-bit shift: the amount is 32 bits wide.
func shift16[T short](f func(a T, b uint32) T) laneLoop {
	return func(_ *scratch, d, a, b, _ unsafe.Pointer) {
		z, x, y := lanes[uint32](d), lanes[uint32](a), lanes[uint32](b)
		for i := range z {
			z[i] = uint32(uint16(f(T(x[i]), y[i])))
		}
	}
}

// wide16 is mul.wide and mad.wide of 16-bit factors: 32-bit c and result.
func wide16[T short](f func(a, b T, c uint32) uint32) laneLoop {
	return func(_ *scratch, d, a, b, c unsafe.Pointer) {
		z, x, y, w := lanes[uint32](d), lanes[uint32](a), lanes[uint32](b), lanes[uint32](c)
		for i := range z {
			z[i] = f(T(x[i]), T(y[i]), w[i])
		}
	}
}

// compare makes a comparison from a relation between lanes' values.
func compare[T lane](f func(a, b T) bool) laneCompare {
	return func(a, b unsafe.Pointer) uint32 {
		x, y := lanes[T](a), lanes[T](b)
		var m uint32
		for i := range x {
			if f(x[i], y[i]) {
				m |= 1 << i
			}
		}
		return m
	}
}

// convert makes a conversion between slots of the given widths from a function
// of the source's bits.
func convert(destinationWide, sourceWide bool, f func(uint64) uint64) laneLoop {
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

func convertSlots[D, S uint32 | uint64](f func(uint64) uint64) laneLoop {
	return func(_ *scratch, d, a, _, _ unsafe.Pointer) {
		z, x := lanes[D](d), lanes[S](a)
		for i := range z {
			z[i] = D(f(uint64(x[i])))
		}
	}
}

// flushed makes the .ftz form of a single-precision loop: subnormal inputs
// and results become zeros of their sign (9.7.3). sources is the number of
// single-precision inputs, result says whether the result is one.
func flushed(f laneLoop, sources int, result bool) laneLoop {
	return func(s *scratch, d, a, b, c unsafe.Pointer) {
		if sources > 0 {
			a = flushInto(&s.inputs[0], a)
		}
		if sources > 1 {
			b = flushInto(&s.inputs[1], b)
		}
		if sources > 2 {
			c = flushInto(&s.inputs[2], c)
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
	z, x := lanes[uint32](d), lanes[uint32](a)
	for i := range z {
		z[i] = flush32(x[i])
	}
}

// flush32 makes a subnormal single-precision number a zero of its sign.
func flush32(v uint32) uint32 {
	if v&0x7f800000 == 0 {
		return v & 0x80000000
	}
	return v
}

// saturated makes the .sat form of a floating-point loop: results are clamped
// to [0, 1], NaN becomes +0 (9.7.3).
func saturated[T float32 | float64](f laneLoop) laneLoop {
	return func(s *scratch, d, a, b, c unsafe.Pointer) {
		f(s, d, a, b, c)
		z := lanes[T](d)
		for i := range z {
			z[i] = saturate(z[i])
		}
	}
}

func saturate[T float32 | float64](v T) T {
	switch {
	case v >= 1:
		return 1
	case v > 0:
		return v
	}
	return 0
}
