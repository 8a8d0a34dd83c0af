// SPDX-License-Identifier: Apache-2.0

package array

import "math"

// addElementary adds the elementary functions to a float type's operations.
// They are Go's, within a unit in the last place of f64, and may differ in
// that place between machines: good for references, not for inputs.
func addElementary[T float](unary map[string]func(dst, a storage)) {
	for name, f := range map[string]func(float64) float64{
		"exp": math.Exp, "log": math.Log, "sin": math.Sin, "cos": math.Cos, "erfc": math.Erfc,
	} {
		unary[name] = each(func(a T) T { return T(f(float64(a))) })
	}
}
