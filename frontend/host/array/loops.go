// SPDX-License-Identifier: Apache-2.0

package array

import (
	"math"
	"slices"
	"unsafe"
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

// inPieces calls use for pieces of d, x and y that have one length. Copies of a single element go
// with every element of the others.
func inPieces[D, T number](d []D, x, y []T, use func(d []D, x, y []T)) {
	length, repeatX, repeatY := blockLength, len(x) != len(d), len(y) != len(d)
	if repeatX || repeatY {
		length = min(len(d), 256)
	}
	if repeatX {
		x = repeated(x, length)
	}
	if repeatY {
		y = repeated(y, length)
	}
	for len(d) > 0 {
		n := min(len(d), length)
		use(d[:n], x[:n], y[:n])
		d = d[n:]
		if !repeatX {
			x = x[n:]
		}
		if !repeatY {
			y = y[n:]
		}
	}
}

// repeated has copies of a single element.
func repeated[T number](single []T, n int) []T {
	copies := make([]T, n)
	fillAll(copies, single[0])
	return copies
}

// compareAll: greater is less with its operands exchanged; for floats "less or equal" is not
// the inverse of "greater".
func compareAll[T number](rel relation, dst []uint8, a, b storage) {
	if rel == relGt || rel == relGe {
		a, b, rel = b, a, rel-relGt+relLt
	}
	op := of[T](relationLoops[rel])
	inPieces(dst, a.([]T), b.([]T), func(d []uint8, x, y []T) {
		n := run(op, d, x, unsafe.Pointer(unsafe.SliceData(y)))
		relate(rel, d[n:], x[n:], y[n:])
	})
}

// relate knows the relations of relationLoops.
func relate[T number](rel relation, d []uint8, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	switch rel {
	case relEq:
		for i := range d {
			d[i] = bit(x[i] == y[i])
		}
	case relNe:
		for i := range d {
			d[i] = bit(x[i] != y[i])
		}
	case relLt:
		for i := range d {
			d[i] = bit(x[i] < y[i])
		}
	case relLe:
		for i := range d {
			d[i] = bit(x[i] <= y[i])
		}
	}
}

// bit needs no branch in the compiled code.
func bit(holds bool) uint8 {
	if holds {
		return 1
	}
	return 0
}

func chooseAll[T number](dst, a, b storage, mask []uint8) {
	op := of[T](takeLoops)
	inPieces(dst.([]T), a.([]T), b.([]T), func(d, x, y []T) {
		copy(d, y)
		n := run(op, d, x, unsafe.Pointer(unsafe.SliceData(mask[:len(d)])))
		take(d[n:], x[n:], mask[n:])
		mask = mask[len(d):]
	})
}

// take sets elements where the mask is not zero, without a branch in the compiled code.
func take[T number](d, x []T, mask []uint8) {
	x, mask = x[:len(d)], mask[:len(d)]
	for i := range d {
		v := d[i]
		if mask[i] != 0 {
			v = x[i]
		}
		d[i] = v
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
