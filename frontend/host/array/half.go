// SPDX-License-Identifier: Apache-2.0

package array

import (
	"fmt"
	"math"

	"go.starlark.net/starlark"

	"github.com/warptape/warptape/frontend/internal/lanes"
)

// There is no element type of half precision: its bits travel as u16.

// toHalf(a) rounds f32 or f64 to the nearest IEEE binary16, ties to even, and
// gives its bits as u16. NaN becomes 0x7fff.
func toHalf(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return convertHalf(b, args, kwargs, U16, func(a *Array, out *Array) error {
		if !a.typ.Float() {
			return fmt.Errorf("%s: needs floats, got %s", b.Name(), a.describe())
		}
		bits := out.data.([]uint16)
		if values, ok := a.values().([]float32); ok {
			for i, v := range values {
				bits[i] = uint16(lanes.HalfRounded(v))
			}
			return nil
		}
		for i := range bits {
			bits[i] = roundToHalf(a.Float(i))
		}
		return nil
	})
}

// ofHalf(bits) gives the values of binary16 numbers as f32, exactly.
func ofHalf(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return convertHalf(b, args, kwargs, F32, func(a *Array, out *Array) error {
		bits, ok := a.values().([]uint16)
		if !ok {
			return fmt.Errorf("%s: needs u16, got %s", b.Name(), a.describe())
		}
		values := out.data.([]float32)
		for i := range values {
			if v := lanes.HalfValue(uint32(bits[i])); v == v {
				values[i] = v
			} else {
				values[i] = halfToFloat(bits[i])
			}
		}
		return nil
	})
}

func convertHalf(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple, to Type, fill func(a, out *Array) error) (starlark.Value, error) {
	var a *Array
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &a); err != nil {
		return nil, err
	}
	out, err := a.like(to)
	if err != nil {
		return nil, err
	}
	a.space.Work(uint64(a.Len()))
	return out, fill(a, out)
}

// roundToHalf scales v so that the last place of its half is 1, and rounds.
func roundToHalf(v float64) uint16 {
	sign := uint16(0)
	if math.Signbit(v) {
		sign = 0x8000
	}
	magnitude := math.Abs(v)
	switch {
	case v != v:
		return 0x7fff
	case magnitude >= 65520: // rounds to 2^16, which is infinity
		return sign | 0x7c00
	case magnitude < 0x1p-14: // subnormal: multiples of 2^-24
		return sign | uint16(math.RoundToEven(magnitude*0x1p24))
	}
	exponent := math.Ilogb(magnitude)
	significand := math.RoundToEven(math.Ldexp(magnitude, 10-exponent)) // 1024 ... 2048
	return sign | uint16(exponent+14)<<10 + uint16(significand)
}

func halfToFloat(bits uint16) float32 {
	fraction, exponent := float64(bits&0x3ff), int(bits>>10&31)
	var v float64
	switch {
	case exponent == 31 && fraction != 0:
		v = math.NaN()
	case exponent == 31:
		v = math.Inf(1)
	case exponent == 0:
		v = fraction * 0x1p-24
	default:
		v = math.Ldexp(1024+fraction, exponent-25)
	}
	if bits>>15 != 0 {
		v = -v
	}
	return float32(v)
}
