// SPDX-License-Identifier: Apache-2.0

package ir

// Lists hands out short lists that lie in arrays of many. The operations of a kernel have
// thousands, of one to four entries each.
type Lists[T any] struct{ free []T }

// listed is how many entries an array has.
const listed = 512

// Make gives an empty list with room for n entries: with more it is copied elsewhere.
func (l *Lists[T]) Make(n int) []T {
	if n > len(l.free) {
		l.free = make([]T, max(n, listed))
	}
	list := l.free[:0:n]
	l.free = l.free[n:]
	return list
}
