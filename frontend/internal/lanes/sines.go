// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"math"
	"unsafe"

	"github.com/warptape/warptape/trace"
)

// Sines sets d to the sines of s, which lies elsewhere. They are those of math.Sin, to the bit.
func Sines(d, s []float64) { sine.all(d, s, host.sine) }

// Cosines sets d to the cosines of s, which lies elsewhere. They are those of math.Cos, to the bit.
func Cosines(d, s []float64) { cosine.all(d, s, host.cosine) }

// PowersOfTwo sets d to 2 to the power of s, which lies elsewhere: to math.Exp2 of it, to the bit.
func PowersOfTwo(d, s []float64) { powerOfTwo.all(d, s, host.powerOfTwo) }

// elementary is a function of one argument that has a loop in assembly. That is right for numbers
// whose magnitude is above least and below limit.
type elementary struct {
	of           func(float64) float64
	least, limit float64
}

// Package math reduces arguments of sines in another way from 2^29 on, and treats zeros by themselves.
// The power of two of a magnitude below 1021 is a normal number.
var (
	sine       = elementary{math.Sin, 0, 1 << 29}
	cosine     = elementary{math.Cos, 0, 1 << 29}
	powerOfTwo = elementary{math.Exp2, -1, 1021}
)

// all computes a warp's worth of elements at a time by the assembly, if there is any, and
// again what the assembly does not know.
func (f *elementary) all(d, s []float64, vector func(d, a unsafe.Pointer) bool) {
	i := 0
	for vector != nil && !fusesProducts && i+trace.WarpSize <= len(d) {
		to, from := d[i:i+trace.WarpSize], s[i:i+trace.WarpSize]
		if !vector(unsafe.Pointer(&to[0]), unsafe.Pointer(&from[0])) {
			for k, v := range from {
				if m := math.Abs(v); !(m > f.least && m < f.limit) {
					to[k] = f.of(v)
				}
			}
		}
		i += trace.WarpSize
	}
	for ; i < len(d); i++ {
		d[i] = f.of(s[i])
	}
}

// inDouble is the loop of a function of single precision that is computed in double and
// rounded once more.
func inDouble(all func(d, s []float64)) Loop {
	return func(s *Scratch, d, a, _, _ unsafe.Pointer) {
		z, x := Of[float32](d), Of[float32](a)
		in, out := &s.double[0], &s.double[1]
		if ElementF32ToF64.Run(unsafe.Pointer(in), a, nil, len(in)) == 0 {
			for i := range x {
				in[i] = float64(x[i])
			}
		}
		all(out[:], in[:])
		if ElementF64ToF32.Run(d, unsafe.Pointer(out), nil, len(out)) == 0 {
			for i, v := range out {
				z[i] = float32(v)
			}
		}
		for i, v := range z {
			if v != v {
				z[i] = Canonical32
			}
		}
	}
}
