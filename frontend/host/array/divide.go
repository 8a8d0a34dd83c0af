// SPDX-License-Identifier: Apache-2.0

package array

import (
	"math/bits"

	"github.com/warptape/warptape/frontend/internal/lanes"
)

// byNumber takes the first loop where the right operand is one number from 2 to
// 2^32-1 for all elements of the left one, else the general one.
func byNumber[T integer](loop func(d, x []T, by T), general func(dst, a, b storage)) func(dst, a, b storage) {
	return func(dst, a, b storage) {
		d, x, y := dst.([]T), a.([]T), b.([]T)
		if len(y) == 1 && len(x) == len(d) && y[0] >= 2 && uint64(y[0]) < 1<<32 {
			loop(d, x, y[0])
			return
		}
		general(dst, a, b)
	}
}

func quotients[T integer](d, x []T, by T) {
	r, signed := lanes.NewDivisor(uint64(by)).Reciprocal, ^T(0) < 0
	x = x[:len(d)]
	for i, v := range x {
		if n := uint64(v); n < 1<<32 {
			q, _ := bits.Mul64(r, n)
			d[i] = T(q)
		} else if n := uint64(^v); signed && n < 1<<32 { // the complement of a quotient rounded down
			q, _ := bits.Mul64(r, n)
			d[i] = ^T(q)
		} else {
			d[i] = floorDiv(v, by)
		}
	}
}

func remainders[T integer](d, x []T, by T) {
	r, signed := lanes.NewDivisor(uint64(by)).Reciprocal, ^T(0) < 0
	x = x[:len(d)]
	for i, v := range x {
		if n := uint64(v); n < 1<<32 {
			q, _ := bits.Mul64(r, n)
			d[i] = T(n - q*uint64(by))
		} else if n := uint64(^v); signed && n < 1<<32 {
			q, _ := bits.Mul64(r, n)
			d[i] = v + T(q+1)*by
		} else {
			d[i] = floorRem(v, by)
		}
	}
}
