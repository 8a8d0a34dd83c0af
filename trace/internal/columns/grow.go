// SPDX-License-Identifier: Apache-2.0

package columns

import "github.com/warptape/warptape/trace/hugepages"

// Slices grow by make, not by append. What append does not fill it clears. That takes a
// small recording as long as to fill it, since every page is one that the process has
// not had before.

// Doubled returns s with room for n more elements, for a slice that is filled bit by
// bit: large ones grow by a quarter at a time otherwise.
func Doubled[T any](s []T, n int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	larger := hugepages.Back(make([]T, len(s), max(2*len(s), len(s)+n)))
	copy(larger, s)
	return larger
}

// Sized returns a slice of n elements whatever they are, in the memory of s where that
// suffices.
func Sized[T any](s []T, n int) []T {
	if cap(s) < n {
		s = hugepages.Back(make([]T, n, max(n, cap(s)+cap(s)/4)))
	}
	return s[:n]
}

// Zeroed returns n zero elements, in the memory of s where that suffices.
func Zeroed[T any](s []T, n int) []T {
	s = Sized(s, n)
	clear(s)
	return s
}
