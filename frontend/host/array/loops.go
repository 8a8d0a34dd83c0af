// SPDX-License-Identifier: Apache-2.0

package array

import (
	"math"
	"slices"
)

// together makes an operation of a loop over operands of one length. Here either
// of them may be a single element that goes with every element of the other;
// then a piece of copies of it takes its place.
func together[T number](loop func(d, x, y []T)) func(dst, a, b storage) {
	return func(dst, a, b storage) {
		d, x, y := dst.([]T), a.([]T), b.([]T)
		if len(x) == len(d) && len(y) == len(d) {
			loop(d, x, y)
			return
		}
		copies := make([]T, min(len(d), 256))
		single, right := x, len(x) == len(d)
		if right {
			single = y
		}
		for i := range copies {
			copies[i] = single[0]
		}
		for at := 0; at < len(d); at += len(copies) {
			end := min(at+len(copies), len(d))
			if right {
				loop(d[at:end], x[at:end], copies[:end-at])
			} else {
				loop(d[at:end], copies[:end-at], y[at:end])
			}
		}
	}
}

func plus[T number](d, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] + y[i]
	}
}

func minus[T number](d, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] - y[i]
	}
}

func times[T number](d, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] * y[i]
	}
}

func over[T float](d, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] / y[i]
	}
}

func and[T integer](d, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] & y[i]
	}
}

func or[T integer](d, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] | y[i]
	}
}

func xor[T integer](d, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] ^ y[i]
	}
}

func shl[T integer](d, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] << uint64(y[i])
	}
}

func shr[T integer](d, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] >> uint64(y[i])
	}
}

// elementwise is together for a function of two elements, which is called for each.
func elementwise[T number](f func(a, b T) T) func(dst, a, b storage) {
	return together(func(d, x, y []T) {
		x, y = x[:len(d)], y[:len(d)]
		for i := range d {
			d[i] = f(x[i], y[i])
		}
	})
}

func each[T number](f func(a T) T) func(dst, a storage) {
	return func(dst, a storage) {
		d, x := dst.([]T), a.([]T)
		for i := range d {
			d[i] = f(x[i])
		}
	}
}

// floorDiv rounds towards minus infinity, as Starlark's // does; b is not 0.
func floorDiv[T integer](a, b T) T {
	q := a / b
	if q*b != a && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func floorRem[T integer](a, b T) T { return a - floorDiv(a, b)*b }

// unaryLoop makes an operation of a loop over an operand.
func unaryLoop[T number](loop func(d, x []T)) func(dst, a storage) {
	return func(dst, a storage) { loop(dst.([]T), a.([]T)) }
}

func negativeAll[T number](d, x []T) {
	x = x[:len(d)]
	for i := range d {
		d[i] = -x[i]
	}
}

func absIntegers[T integer](d, x []T) {
	x = x[:len(d)]
	for i := range d {
		v := x[i]
		if v < 0 {
			v = -v
		}
		d[i] = v
	}
}

func absFloats[T float](d, x []T) {
	x = x[:len(d)]
	for i := range d {
		d[i] = T(math.Abs(float64(x[i])))
	}
}

func squareRoots[T float](d, x []T) {
	x = x[:len(d)]
	for i := range d {
		d[i] = T(math.Sqrt(float64(x[i])))
	}
}

func floorAll[T float](d, x []T) {
	x = x[:len(d)]
	for i := range d {
		d[i] = T(math.Floor(float64(x[i])))
	}
}

// relation is a comparison of two elements.
type relation uint8

const (
	relEq relation = iota
	relNe
	relLt
	relLe
	relGt
	relGe
)

func holds[T number](rel relation, a, b T) bool {
	switch rel {
	case relEq:
		return a == b
	case relNe:
		return a != b
	case relLt:
		return a < b
	case relLe:
		return a <= b
	case relGt:
		return a > b
	default:
		return a >= b
	}
}

// compareAll: all relations are made of three, by the order of the operands and by what
// holds otherwise; for floats "less or equal" is not the inverse of "greater".
func compareAll[T number](rel relation, dst []uint8, a, b storage) {
	if rel == relGt || rel == relGe {
		a, b = b, a
	}
	x, y := a.([]T), b.([]T)
	stepX, stepY := min(1, len(x)-1), min(1, len(y)-1) // a single one goes with all
	i, j := 0, 0
	switch rel {
	case relEq, relNe:
		unequal := uint8(0)
		if rel == relNe {
			unequal = 1
		}
		for k := range dst {
			if dst[k] = unequal; x[i] == y[j] {
				dst[k] = 1 - unequal
			}
			i, j = i+stepX, j+stepY
		}
	case relLt, relGt:
		for k := range dst {
			if x[i] < y[j] {
				dst[k] = 1
			}
			i, j = i+stepX, j+stepY
		}
	default:
		for k := range dst {
			if x[i] <= y[j] {
				dst[k] = 1
			}
			i, j = i+stepX, j+stepY
		}
	}
}

func chooseAll[T number](dst, a, b storage, mask []uint8) {
	d, x, y := dst.([]T), a.([]T), b.([]T)
	stepX, stepY := min(1, len(x)-1), min(1, len(y)-1)
	i, j := 0, 0
	for k, chosen := range mask {
		if chosen != 0 {
			d[k] = x[i]
		} else {
			d[k] = y[j]
		}
		i, j = i+stepX, j+stepY
	}
}

func nextDifferent[T number](a, b storage, i int) int {
	x, y := a.([]T), b.([]T)
	for ; i < len(x); i++ {
		if x[i] != y[i] {
			return i
		}
	}
	return i
}

func gatherAll[T number](dst, src storage, index []int) {
	d, s := dst.([]T), src.([]T)
	for i, j := range index {
		d[i] = s[j]
	}
}

func gatherWithin[T number](dst, src storage, at int, index []int64) bool {
	d, s := dst.([]T)[at:][:len(index)], src.([]T)
	for i, j := range index {
		if uint64(j) >= uint64(len(s)) { // negative ones too
			return false
		}
		d[i] = s[j]
	}
	return true
}

func strideAll[T number](dst, src storage, from, step int) {
	d, s := dst.([]T), src.([]T)
	for i := range d {
		d[i] = s[from]
		from += step
	}
}

func putAll[T number](dst, src storage, index []int) {
	d, s := dst.([]T), src.([]T)
	for k, i := range index {
		d[i] = s[min(k, len(s)-1)]
	}
}

func addAtAll[T number](dst, src storage, index []int) {
	d, s := dst.([]T), src.([]T)
	if len(s) == 1 {
		for _, i := range index {
			d[i] += s[0]
		}
		return
	}
	for k, i := range index {
		d[i] += s[k]
	}
}

func cumsumAll[T number](dst, src storage) {
	d, s := dst.([]T), src.([]T)
	var sum T
	for i := range s {
		sum += s[i]
		d[i] = sum
	}
}

func sortAll[T number](s storage) { slices.Sort(s.([]T)) }

// fmaAll computes a*b+c with one rounding.
func fmaAll[T float](dst, a, b, c storage) {
	d, x, y, z := dst.([]T), a.([]T), b.([]T), c.([]T)
	at := func(s []T, i int) T { return s[min(i, len(s)-1)] }
	for i := range d {
		d[i] = fma(at(x, i), at(y, i), at(z, i))
	}
}

func fma[T float](a, b, c T) T {
	if _, wide := any(a).(float64); wide {
		return T(math.FMA(float64(a), float64(b), float64(c)))
	}
	return T(fma32(float32(a), float32(b), float32(c)))
}

// fma32 is the fused multiply-add of binary32. The product is exact in
// binary64. Rounding the sum to odd there keeps the second rounding, to
// binary32, from being misled by the first. See Boldo and Melquiond, "Emulation of
// FMA and correctly rounded sums" (IEEE Transactions on Computers 57, 2008).
func fma32(a, b, c float32) float32 {
	p, z := float64(float64(a)*float64(b)), float64(c)
	sum := p + z
	t := sum - p
	rest := (p - (sum - t)) + (z - t) // Knuth's two-sum: sum+rest is exact
	bits := math.Float64bits(sum)
	if rest != 0 && rest == rest && !math.IsInf(sum, 0) && bits&1 == 0 {
		if (rest > 0) == (sum > 0) {
			bits++
		} else {
			bits--
		}
		sum = math.Float64frombits(bits)
	}
	return float32(sum)
}
