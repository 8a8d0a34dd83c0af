// SPDX-License-Identifier: Apache-2.0

package array

import (
	"math"
	"math/bits"

	"github.com/warptape/warptape/frontend/host/pcg"
)

// The loops here go over whole storages, so that an element costs no call.

func fillAll[T number](d []T, v T) {
	for i := range d {
		d[i] = v
	}
}

func countIntegers[T integer](dst storage, start, step int64) {
	d := dst.([]T)
	for i := range d {
		d[i] = T(start + int64(i)*step)
	}
}

func countFloats[T float](dst storage, start, step int64) {
	d := dst.([]T)
	for i := range d {
		d[i] = T(float64(start + int64(i)*step))
	}
}

func randomAll[T integer](dst storage, g pcg.Source, low int64, span uint64) {
	d := dst.([]T)
	for i := range d {
		g = g.Next()
		high, _ := bits.Mul64(g.Number(), span)
		d[i] = T(low + int64(high))
	}
}

// drawFloats draws at most 62 bits, so that they are those of a signed number, too.
func drawFloats[T float](d []T, g pcg.Source, low, width float64, bits int) {
	scale := math.Ldexp(1, -bits) // exact
	for i := range d {
		g = g.Next()
		unit := float64(int64(g.Number()>>(64-bits))) * scale
		d[i] = T(low + float64(width*unit)) // the conversion forbids a fused multiply-add
	}
}

func anyZero[T number](s storage) bool {
	for _, v := range s.([]T) {
		if v == 0 {
			return true
		}
	}
	return false
}

func anyOther[T number](s storage) bool {
	for _, v := range s.([]T) {
		if v != 0 {
			return true
		}
	}
	return false
}

// firstExtreme knows relLt and relGt. A NaN is neither, but one in front stays.
func firstExtreme[T number](rel relation, s storage) int {
	x := s.([]T)
	best, at := x[0], 0
	if rel == relLt {
		for i, v := range x {
			if v < best {
				best, at = v, i
			}
		}
		return at
	}
	for i, v := range x {
		if v > best {
			best, at = v, i
		}
	}
	return at
}

func sumAll[T float](s storage) float64 {
	sum := 0.0
	for _, v := range s.([]T) {
		sum += float64(v)
	}
	return sum
}

// shiftPart fills dst with the elements from a place on of a shifted matrix. Those inside are copies,
// and those outside repeat the edge.
func shiftPart[T number](dst, src storage, rows, columns, down, right, from int) {
	d, s := dst.([]T), src.([]T)
	if len(d) == 0 {
		return
	}
	down, right = max(-rows, min(down, rows)), max(-columns, min(right, columns))
	for r, c := from/columns, from%columns; len(d) > 0; r, c = r+1, 0 {
		n := min(columns-c, len(d))
		row := s[clamp(r+down, rows)*columns:][:columns]
		left := max(0, min(-right-c, n))             // elements before the first column
		inside := max(left, min(columns-right-c, n)) // where those behind the last one begin
		fillAll(d[:left], row[0])
		if left < inside {
			copy(d[left:inside], row[c+left+right:])
		}
		fillAll(d[inside:n], row[columns-1])
		d = d[n:]
	}
}

// allWithin reports whether all numbers are positions among n elements.
func allWithin(s []int64, n int) bool {
	for _, v := range s {
		if uint64(v) >= uint64(n) { // negative ones too
			return false
		}
	}
	return true
}
