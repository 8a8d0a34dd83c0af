// SPDX-License-Identifier: Apache-2.0

package array

import (
	"fmt"
	"math"

	"go.starlark.net/starlark"
)

// class says in which field of a scalar a type's values live.
type class uint8

const (
	classFloat class = iota
	classSigned
	classUnsigned
)

// scalar is one element on its way between types and Starlark.
type scalar struct {
	class class
	f     float64
	i     int64
	u     uint64
}

func (s scalar) starlark() starlark.Value {
	switch s.class {
	case classFloat:
		return starlark.Float(s.f)
	case classSigned:
		return starlark.MakeInt64(s.i)
	default:
		return starlark.MakeUint64(s.u)
	}
}

func (s scalar) float() float64 {
	switch s.class {
	case classFloat:
		return s.f
	case classSigned:
		return float64(s.i)
	default:
		return float64(s.u)
	}
}

func (s scalar) zero() bool { return s.f == 0 && s.i == 0 && s.u == 0 }

// fromStarlark checks that v is a value of t: integers must fit, floats are
// rounded to the width of t and are no integers.
func fromStarlark(t Type, v starlark.Value) (scalar, error) {
	switch v := v.(type) {
	case starlark.Float:
		if t.Float() {
			return scalar{f: float64(v)}, nil
		}
		return scalar{}, fmt.Errorf("%s: a float (%v) is no %s: convert it with int(...)", t, v, t)
	case starlark.Int:
		return intScalar(t, v)
	case starlark.Bool:
		if v {
			return intScalar(t, starlark.MakeInt(1))
		}
		return intScalar(t, starlark.MakeInt(0))
	case *Array:
		if v.Len() == 1 && v.typ == t {
			return kinds[t].load(v.values(), 0), nil
		}
		return scalar{}, fmt.Errorf("want one %s, got %s", t, v.describe())
	}
	return scalar{}, fmt.Errorf("want a number for %s, got %s", t, v.Type())
}

func intScalar(t Type, v starlark.Int) (scalar, error) {
	k := &kinds[t]
	switch k.class {
	case classFloat:
		return scalar{f: float64(v.Float())}, nil
	case classSigned:
		if i, ok := v.Int64(); ok && i >= -1<<(8*k.bytes-1) && i <= 1<<(8*k.bytes-1)-1 {
			return scalar{class: classSigned, i: i}, nil
		}
	default:
		if u, ok := v.Uint64(); ok && u <= math.MaxUint64>>(64-8*k.bytes) {
			return scalar{class: classUnsigned, u: u}, nil
		}
	}
	return scalar{}, fmt.Errorf("%s: %v does not fit", t, v)
}

// convertTo gives s as a value of class c. Floats become integers as PTX's
// cvt.rzi does it (9.7.9.21): towards zero, clamped, and zero for NaN; the
// store then chops integers to the width, which for floats needs the bounds.
func (s scalar) convertTo(k *kind) scalar {
	switch {
	case k.class == classFloat:
		return scalar{f: s.float()}
	case s.class == classFloat && k.class == classSigned:
		return scalar{class: classSigned, i: clampSigned(s.f, k.bytes)}
	case s.class == classFloat:
		return scalar{class: classUnsigned, u: clampUnsigned(s.f, k.bytes)}
	case k.class == classSigned:
		return scalar{class: classSigned, i: s.i | int64(s.u)}
	default:
		return scalar{class: classUnsigned, u: s.u | uint64(s.i)}
	}
}

func clampSigned(f float64, bytes int) int64 {
	limit := math.Ldexp(1, 8*bytes-1)
	switch {
	case f != f:
		return 0
	case f >= limit:
		return 1<<(8*bytes-1) - 1
	case f < -limit:
		return -1 << (8*bytes - 1)
	}
	return int64(f)
}

func clampUnsigned(f float64, bytes int) uint64 {
	switch {
	case f != f || f < 0:
		return 0
	case f >= math.Ldexp(1, 8*bytes):
		return math.MaxUint64 >> (64 - 8*bytes)
	}
	return uint64(f)
}
