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

// elementary is a function of one argument that has a loop in assembly.
type elementary func(float64) float64

// sineLimit is where package math begins to reduce arguments in another way.
const sineLimit = 1 << 29

var sine, cosine = elementary(math.Sin), elementary(math.Cos)

// all computes a warp's worth of elements at a time by the assembly, if there is any, and
// again what the assembly does not know.
func (f elementary) all(d, s []float64, vector func(d, a unsafe.Pointer) bool) {
	i := 0
	for vector != nil && !fusesProducts && i+trace.WarpSize <= len(d) {
		to, from := d[i:i+trace.WarpSize], s[i:i+trace.WarpSize]
		if !vector(unsafe.Pointer(&to[0]), unsafe.Pointer(&from[0])) {
			for k, v := range from {
				if m := math.Abs(v); !(m > 0 && m < sineLimit) {
					to[k] = f(v)
				}
			}
		}
		i += trace.WarpSize
	}
	for ; i < len(d); i++ {
		d[i] = f(s[i])
	}
}

// inDouble is the loop of a function of single precision that is computed in double and
// rounded once more.
func inDouble(all func(d, s []float64)) Loop {
	return func(s *Scratch, d, a, _, _ unsafe.Pointer) {
		z, x := Of[float32](d), Of[float32](a)
		in, out := &s.double[0], &s.double[1]
		for i := range x {
			in[i] = float64(x[i])
		}
		all(out[:], in[:])
		for i, v := range out {
			r := float32(v)
			if v != v {
				r = Canonical32
			}
			z[i] = r
		}
	}
}
