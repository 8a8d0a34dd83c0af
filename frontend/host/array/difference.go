// SPDX-License-Identifier: Apache-2.0

package array

import "math"

// NextDifferent gives the first place from i on where elements of two arrays of one type
// and length differ, or a NaN is; their length if there is none. Of two types it gives i.
func NextDifferent(a, b *Array, i int) int {
	if a.typ != b.typ {
		return i
	}
	return kinds[a.typ].different(a.values(), b.values(), i)
}

// NextApart gives the first place from i on where elements of two arrays of one length
// differ by more than an absolute and a relative tolerance, or a NaN is; their length if there is none.
func NextApart(a, b *Array, i int, relative, absolute float64) int {
	t := tolerance{relative, absolute}
	switch x := a.values().(type) {
	case []float32:
		switch y := b.values().(type) {
		case []float32:
			return nextApart(x, y, i, t)
		case []float64:
			return nextApart(x, y, i, t)
		}
	case []float64:
		switch y := b.values().(type) {
		case []float32:
			return nextApart(x, y, i, t)
		case []float64:
			return nextApart(x, y, i, t)
		}
	}
	for ; i < a.Len(); i++ {
		if !t.near(a.Float(i), b.Float(i)) {
			break
		}
	}
	return i
}

// tolerance is how far a number may be from one that is wanted.
type tolerance struct{ relative, absolute float64 }

// near holds for equal infinities, and never for a NaN.
func (t tolerance) near(got, want float64) bool {
	difference := math.Abs(got - want)
	return got == want || difference <= t.absolute || difference <= t.relative*math.Abs(want)
}

func nextApart[A, B float](a []A, b []B, i int, t tolerance) int {
	b = b[:len(a)]
	for ; i < len(a); i++ {
		if !t.near(float64(a[i]), float64(b[i])) {
			break
		}
	}
	return i
}
