// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"math"
	"unsafe"
)

// The single-precision loops with .ftz that kernels compiled for speed
// consist of; others go through flushed.

// flushFloat makes a subnormal number a zero of its sign. NaN stays.
func flushFloat(v float32) float32 {
	const magnitude, smallestNormal = 0x7fffffff, 0x00800000
	if u := math.Float32bits(v); u&magnitude < smallestNormal {
		return math.Float32frombits(u &^ magnitude)
	}
	return v
}

func AddFtz(_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[float32](d), Of[float32](a), Of[float32](b)
	for i := range z {
		r := flushFloat(x[i]) + flushFloat(y[i])
		if r != r {
			r = Canonical32
		}
		z[i] = flushFloat(r)
	}
}

func SubFtz(_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[float32](d), Of[float32](a), Of[float32](b)
	for i := range z {
		r := flushFloat(x[i]) - flushFloat(y[i])
		if r != r {
			r = Canonical32
		}
		z[i] = flushFloat(r)
	}
}

func MulFtz(_ *Scratch, d, a, b, _ unsafe.Pointer) {
	z, x, y := Of[float32](d), Of[float32](a), Of[float32](b)
	for i := range z {
		r := float32(flushFloat(x[i]) * flushFloat(y[i]))
		if r != r {
			r = Canonical32
		}
		z[i] = flushFloat(r)
	}
}

// fmaLanesFtz is fmaLanesF32 with flushed inputs and results.
func FmaFtz(_ *Scratch, d, a, b, c unsafe.Pointer) {
	z, x, y, w := Of[float32](d), Of[float32](a), Of[float32](b), Of[float32](c)
	for i := range z {
		p, q, r := flushFloat(x[i]), flushFloat(y[i]), flushFloat(w[i])
		s := float64(float64(p)*float64(q)) + float64(r)
		u := math.Float64bits(s)
		if u&halfwayMask == halfway || u<<1-2*smallestNormal32 >= 2*(overflow32-smallestNormal32) {
			z[i] = flushFloat(fused32(p, q, r))
			continue
		}
		z[i] = float32(s)
	}
}
