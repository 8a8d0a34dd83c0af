// SPDX-License-Identifier: Apache-2.0

package array

import (
	"fmt"
	"math"

	"go.starlark.net/starlark"
)

// toBfloat(a) rounds f32 or f64 to the nearest bfloat16, ties to even, and gives its bits
// as u16. NaN becomes 0x7fff.
func toBfloat(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return convertHalf(b, args, kwargs, U16, func(a *Array, out *Array) error {
		if !a.typ.Float() {
			return fmt.Errorf("%s: needs floats, got %s", b.Name(), a.describe())
		}
		bits := out.data.([]uint16)
		for i := range bits {
			bits[i] = roundToBfloat(a.Float(i))
		}
		return nil
	})
}

// ofBfloat(bits) gives the values of bfloat16 numbers as f32, exactly.
func ofBfloat(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return convertHalf(b, args, kwargs, F32, func(a *Array, out *Array) error {
		bits, ok := a.values().([]uint16)
		if !ok {
			return fmt.Errorf("%s: needs u16, got %s", b.Name(), a.describe())
		}
		values := out.data.([]float32)
		for i := range values {
			values[i] = math.Float32frombits(uint32(bits[i]) << 16)
		}
		return nil
	})
}

// roundToBfloat scales v so that the last place of its bfloat16, which has 8 bits of
// significand and the exponents of f32, is 1, and rounds.
func roundToBfloat(v float64) uint16 {
	sign := uint16(0)
	if math.Signbit(v) {
		sign = 0x8000
	}
	magnitude := math.Abs(v)
	switch {
	case v != v:
		return 0x7fff
	case magnitude >= math.Ldexp(511, 119): // half a place above the largest number
		return sign | 0x7f80
	case magnitude < 0x1p-126: // subnormal: multiples of 2^-133
		return sign | uint16(math.RoundToEven(math.Ldexp(magnitude, 133)))
	}
	exponent := math.Ilogb(magnitude)
	significand := math.RoundToEven(math.Ldexp(magnitude, 7-exponent)) // 128 ... 256
	return sign | uint16(exponent+126)<<7 + uint16(significand)
}
