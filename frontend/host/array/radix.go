// SPDX-License-Identifier: Apache-2.0

package array

import (
	"cmp"
	"slices"
	"unsafe"
)

// Integers are sorted digit by digit, from the last to the first (Knuth, "The Art of Computer
// Programming", volume 3, section 5.2.5, algorithm R). Each pass is stable.
const (
	digitBits = 8
	digits    = 1 << digitBits
	// radixFrom is the length from which counting digits is faster than comparing elements.
	radixFrom = 512
)

// digitCounts says how often each digit is at each place of some numbers, the last place first.
type digitCounts [8][digits]int

// digitsOf is a number whose unsigned order is that of v.
func digitsOf[T integer](v T) uint64 {
	if ^T(0) < 0 {
		return uint64(v) ^ 1<<(8*unsafe.Sizeof(v)-1)
	}
	return uint64(v)
}

// count counts the digits of all numbers.
func countDigits[T integer](counts *digitCounts, s []T) {
	for _, v := range s {
		d := digitsOf(v)
		for p := range unsafe.Sizeof(v) {
			counts[p][uint8(d>>(digitBits*p))]++
		}
	}
}

// starts makes counts of a place the first position of each digit. It reports false if one digit is
// that of all n numbers, whose order the place does not change.
func starts(counts *[digits]int, n int) bool {
	at := 0
	for d, c := range counts {
		if c == n {
			return false
		}
		counts[d] = at
		at += c
	}
	return true
}

func sortIntegers[T integer](s storage) {
	v := s.([]T)
	if len(v) < radixFrom {
		slices.Sort(v)
		return
	}
	var counts digitCounts
	countDigits(&counts, v)
	from, to := v, make([]T, len(v))
	for p := range unsafe.Sizeof(v[0]) {
		at := &counts[p]
		if !starts(at, len(v)) {
			continue
		}
		for _, e := range from {
			d := uint8(digitsOf(e) >> (digitBits * p))
			to[at[d]] = e
			at[d]++
		}
		from, to = to, from
	}
	if &from[0] != &v[0] {
		copy(v, from)
	}
}

// orderIntegers is orderAll of integers. The index is that of a storage in its own order.
func orderIntegers[T integer](index []int64, s storage) {
	v := s.([]T)
	if len(v) < radixFrom {
		slices.SortStableFunc(index, func(i, j int64) int { return cmp.Compare(v[i], v[j]) })
		return
	}
	var counts digitCounts
	countDigits(&counts, v)
	from, to := index, make([]int64, len(v))
	for p := range unsafe.Sizeof(v[0]) {
		at := &counts[p]
		if !starts(at, len(v)) {
			continue
		}
		for _, i := range from {
			d := uint8(digitsOf(v[i]) >> (digitBits * p))
			to[at[d]] = i
			at[d]++
		}
		from, to = to, from
	}
	if &from[0] != &index[0] {
		copy(index, from)
	}
}
