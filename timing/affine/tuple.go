// SPDX-License-Identifier: Apache-2.0

package affine

import "math/bits"

// dimensions are the offsets of a tuple: threadIdx and blockIdx in x, y and z
// (section 4.4).
const dimensions = 6

// specials places the special registers: the first six are the dimensions' indices,
// the others their extents.
var specials = map[string]int{
	"tid.x": 0, "tid.y": 1, "tid.z": 2, "ctaid.x": 3, "ctaid.y": 4, "ctaid.z": 5,
	"ntid.x": 6, "ntid.y": 7, "ntid.z": 8, "nctaid.x": 9, "nctaid.y": 10, "nctaid.z": 11,
}

// Point is a thread's place in the six dimensions.
type Point [dimensions]int64

// Tuple is an affine tuple: the value of a thread is the base plus the offsets times
// the thread's place, formula 1 in six dimensions. Of a mod-type tuple (Divisor not
// zero) it is Base + (Inner + offsets times place) mod Divisor, where the remainder
// has the sign of the divisor. Base and Inner are the paper's base and mod_base.
//
// All fields are as signed as the values they stand for: what is added and multiplied
// wraps around at the register's width in the value of the thread only.
type Tuple struct {
	Base    int64
	Offsets [dimensions]int64
	Inner   int64
	Divisor int64
	// Symbol is the number of the variable whose address is to be added, from 1.
	Symbol int32
	// Wrapped says that the value of some thread of the launch may have wrapped around
	// before it was made wider: what is expanded is right only where it has not.
	Wrapped bool
}

// constant is the tuple of a scalar.
func constant(v int64) Tuple { return Tuple{Base: v} }

// scalar reports whether all threads have the same value.
func (t *Tuple) scalar() bool { return t.Offsets == [dimensions]int64{} && t.Divisor == 0 }

// At is the value of the thread at a place.
func (t *Tuple) At(p *Point) int64 {
	v := t.Inner
	if t.Divisor == 0 {
		v = t.Base
	}
	for d, o := range t.Offsets {
		v += o * p[d]
	}
	if t.Divisor == 0 {
		return v
	}
	return t.Base + floorMod(v, t.Divisor)
}

// floorMod is the remainder that has the divisor's sign.
func floorMod(v, by int64) int64 {
	r := v % by
	if r != 0 && (r < 0) != (by < 0) {
		r += by
	}
	return r
}

// plus adds tuples, formula 2; of mod-type tuples only the bases.
func (t Tuple) plus(u Tuple) (Tuple, bool) {
	if u.Divisor != 0 {
		t, u = u, t
	}
	if t.Divisor != 0 && !u.scalar() || t.Symbol != 0 && u.Symbol != 0 {
		return Tuple{}, false
	}
	t.Base += u.Base
	if t.Divisor == 0 {
		for d := range t.Offsets {
			t.Offsets[d] += u.Offsets[d]
		}
	}
	t.Symbol = max(t.Symbol, u.Symbol)
	t.Wrapped = t.Wrapped || u.Wrapped
	return t, true
}

// times multiplies by a scalar, formula 3; of a mod-type tuple all fields.
func (t Tuple) times(u Tuple) (Tuple, bool) {
	if !u.scalar() {
		t, u = u, t
	}
	if !u.scalar() || t.Symbol != 0 || u.Symbol != 0 {
		return Tuple{}, false
	}
	by := u.Base
	t.Wrapped = t.Wrapped || u.Wrapped
	if by == 0 {
		return Tuple{Wrapped: t.Wrapped}, true
	}
	t.Base *= by
	t.Inner *= by
	t.Divisor *= by
	for d := range t.Offsets {
		t.Offsets[d] *= by
	}
	return t, true
}

// modulo makes a mod-type tuple (section 4.4).
func (t Tuple) modulo(divisor int64) (Tuple, bool) {
	if divisor == 0 || t.Divisor != 0 || t.Symbol != 0 {
		return Tuple{}, false
	}
	t.Inner, t.Base, t.Divisor = floorMod(t.Base, divisor), 0, divisor
	return t, true
}

// wrap brings the fields into the range of a register of that width, as signed.
func (t Tuple) wrap(width uint8) Tuple {
	t.Base = signExtend(t.Base, width)
	if t.Divisor == 0 {
		for d := range t.Offsets {
			t.Offsets[d] = signExtend(t.Offsets[d], width)
		}
	}
	return t
}

func signExtend(v int64, width uint8) int64 {
	shift := 64 - width
	return v << shift >> shift
}

// extend reads a value of that width as signed or unsigned.
func extend(v int64, width uint8, signed bool) int64 {
	if signed || width >= 64 {
		return signExtend(v, width)
	}
	return v & (1<<width - 1)
}

// extent is the number of places in each dimension.
type extent [dimensions]int64

// bounds are the least and the greatest value over all threads of a launch; ok is
// false when they do not fit.
func (t *Tuple) bounds(e *extent) (least, most int64, ok bool) {
	if t.Divisor != 0 {
		if t.Divisor > 0 {
			return t.Base, t.Base + t.Divisor - 1, true
		}
		return t.Base + t.Divisor + 1, t.Base, true
	}
	least, most = t.Base, t.Base
	for d, o := range t.Offsets {
		high, low := bits.Mul64(magnitude(o), uint64(e[d]-1))
		if high != 0 || low > 1<<61 {
			return 0, 0, false
		}
		if o < 0 {
			least -= int64(low)
		} else {
			most += int64(low)
		}
		if least < -1<<62 || most > 1<<62 {
			return 0, 0, false
		}
	}
	return least, most, true
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return uint64(-v)
	}
	return uint64(v)
}

// read makes a tuple of a register of that width one of exact values, signed or
// unsigned, as a conversion, a comparison and a division need them. When some thread's
// value does not fit it is Wrapped.
func (t Tuple) read(width uint8, signed bool, e *extent) Tuple {
	if width >= 64 && (signed || t.Symbol != 0) {
		return t
	}
	if t.scalar() {
		t.Base = extend(t.Base, width, signed)
		return t
	}
	low, high := int64(0), int64(1)<<min(width, 62)-1
	if signed {
		low, high = -1<<(width-1), 1<<(width-1)-1
	}
	if width >= 64 {
		high = 1<<62 - 1
	}
	least, most, ok := t.bounds(e)
	if ok && least >= low && most <= high {
		return t
	}
	if !signed && ok && width < 64 {
		// The base of an unsigned value may be stored as a negative number.
		turn := int64(1) << width
		if least+turn >= low && most+turn <= high {
			t.Base += turn
			return t
		}
	}
	t.Wrapped = true
	return t
}
