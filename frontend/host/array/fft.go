// SPDX-License-Identifier: Apache-2.0

package array

import (
	"fmt"
	"math"
	"math/bits"

	"go.starlark.net/starlark"
)

// fft(real, imaginary) is the discrete Fourier transform of every row of a
// matrix of complex numbers, or of a vector, in f64:
// X[k] = sum over j of x[j] * exp(-2 pi i j k / n). The length n is a power of
// two. The result is a pair of arrays, the real and the imaginary parts, whose
// last bits may differ between machines.
func fft(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var real, imaginary *Array
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 2, &real, &imaginary); err != nil {
		return nil, err
	}
	if _, err := real.operand(imaginary); err != nil || !real.typ.Float() || len(imaginary.shape) != len(real.shape) {
		return nil, fmt.Errorf("%s: needs two float arrays of one type and shape, got %s and %s", b.Name(), real.describe(), imaginary.describe())
	}
	if d := len(real.shape); d != 1 && d != 2 || bits.OnesCount(uint(real.shape[d-1])) != 1 {
		return nil, fmt.Errorf("%s: %s is neither a vector nor a matrix whose rows have a power of two as length", b.Name(), real.describe())
	}
	re, err := real.convert(F64) // a copy
	if err != nil {
		return nil, err
	}
	im, err := imaginary.convert(F64)
	if err != nil {
		return nil, err
	}
	length := real.shape[len(real.shape)-1]
	x, y := re.own().([]float64), im.own().([]float64)
	real.space.Work(uint64(real.Len() * bits.Len(uint(length))))
	cosines, sines := roots(length)
	for at := 0; at < len(x); at += length {
		transform(x[at:at+length], y[at:at+length], cosines, sines)
	}
	return starlark.Tuple{re, im}, nil
}

// roots are exp(-2 pi i k / n) for k below n/2.
func roots(n int) (cosines, sines []float64) {
	cosines, sines = make([]float64, n/2), make([]float64, n/2)
	for k := range cosines {
		s, c := math.Sincos(-2 * math.Pi * float64(k) / float64(n))
		cosines[k], sines[k] = c, s
	}
	return cosines, sines
}

// transform is Cooley and Tukey's decimation in time, in place. The elements go to
// the places of their reversed indexes, then transforms of length 1, 2, 4, ... are
// joined in pairs.
func transform(x, y, cosines, sines []float64) {
	n := len(x)
	unused := 64 - bits.Len(uint(n-1))
	for i := range x {
		if j := int(bits.Reverse64(uint64(i)) >> unused); i < j {
			x[i], x[j] = x[j], x[i]
			y[i], y[j] = y[j], y[i]
		}
	}
	for half := 1; half < n; half *= 2 {
		for first := 0; first < n; first += 2 * half {
			for k := range half {
				i, j, root := first+k, first+k+half, k*(n/(2*half))
				re := float64(x[j]*cosines[root]) - float64(y[j]*sines[root])
				im := float64(x[j]*sines[root]) + float64(y[j]*cosines[root])
				x[i], x[j] = x[i]+re, x[i]-re
				y[i], y[j] = y[i]+im, y[i]-im
			}
		}
	}
}
