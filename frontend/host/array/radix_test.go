// SPDX-License-Identifier: Apache-2.0

package array

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Sorting by digits gives what sorting by comparisons gives: for each type, on both sides of the
// least length, for numbers of all bits, few different ones, and ones that are in order.
func TestIntegersSortedByDigitsAreThoseSortedByComparisons(t *testing.T) {
	t.Run("i8", sortsLikeComparisons[int8])
	t.Run("u8", sortsLikeComparisons[uint8])
	t.Run("i16", sortsLikeComparisons[int16])
	t.Run("u16", sortsLikeComparisons[uint16])
	t.Run("i32", sortsLikeComparisons[int32])
	t.Run("u32", sortsLikeComparisons[uint32])
	t.Run("i64", sortsLikeComparisons[int64])
	t.Run("u64", sortsLikeComparisons[uint64])
}

func sortsLikeComparisons[T integer](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, radixFrom - 1, radixFrom, radixFrom + 1, 5000} {
		for name, draw := range map[string]func(i int) T{
			"all bits":   func(int) T { return T(r.Uint64()) },
			"few":        func(int) T { return T(r.Uint64N(3)) - 1 },
			"one":        func(int) T { return ^T(0) },
			"high digit": func(int) T { return T(r.Uint64() &^ (1<<40 - 1)) },
			"ascending":  func(i int) T { return T(i) },
			"descending": func(i int) T { return T(-i) },
		} {
			s := make([]T, n)
			for i := range s {
				s[i] = draw(i)
			}
			want, order, wantOrder := slices.Clone(s), countTo(n), countTo(n)
			slices.Sort(want)
			orderAll[T](wantOrder, s)
			orderIntegers[T](order, s)
			if !slices.Equal(order, wantOrder) {
				t.Errorf("%d numbers (%s): the order is not the stable one of comparisons", n, name)
			}
			if sortIntegers[T](s); !slices.Equal(s, want) {
				t.Errorf("%d numbers (%s): sorted otherwise than by comparisons", n, name)
			}
		}
	}
}

func countTo(n int) []int64 {
	s := make([]int64, n)
	for i := range s {
		s[i] = int64(i)
	}
	return s
}

func BenchmarkSort(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	keys := make([]uint32, 1<<18)
	for i := range keys {
		keys[i] = r.Uint32()
	}
	s := make([]uint32, len(keys))
	for _, c := range []struct {
		name string
		sort func(storage)
	}{{"digits", sortIntegers[uint32]}, {"comparisons", sortAll[uint32]}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				copy(s, keys)
				c.sort(s)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(s)), "ns/element")
		})
	}
}
