// SPDX-License-Identifier: Apache-2.0

package array

import (
	"math"

	"github.com/warptape/warptape/frontend/internal/lanes"
)

// addElementary adds the elementary functions to a float type's operations.
// They are Go's, within a unit in the last place of f64, and may differ in
// that place between machines: good for references, not for inputs.
func addElementary[T float](unary map[string]func(dst, a storage)) {
	for name, f := range map[string]func(float64) float64{"exp": math.Exp, "log": lanes.Log, "erfc": math.Erfc} {
		unary[name] = each(func(a T) T { return T(f(float64(a))) })
	}
	unary["sin"], unary["cos"] = inDouble[T](lanes.Sines), inDouble[T](lanes.Cosines)
}

// inDouble makes an operation of a function of many f64 elements.
func inDouble[T float](all func(d, s []float64)) func(dst, a storage) {
	return func(dst, a storage) {
		if d, wide := dst.([]float64); wide {
			all(d, a.([]float64))
			return
		}
		d, x := dst.([]T), a.([]T)
		in, out := make([]float64, min(len(d), 1024)), make([]float64, min(len(d), 1024))
		for at := 0; at < len(d); at += len(in) {
			n := min(len(in), len(d)-at)
			floats(in[:n], x[at:at+n])
			all(out[:n], in[:n])
			floats(d[at:at+n], out[:n])
		}
	}
}
