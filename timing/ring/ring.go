// SPDX-License-Identifier: Apache-2.0

// Package ring holds the queue that the memory path and the networks are made
// of.
package ring

// Ring is a first-in first-out queue that grows to what it is asked to hold, so
// that it allocates nothing once a run has reached its deepest. It knows no
// limit: the caller of Push enforces the limit of the hardware queue.
type Ring[T any] struct {
	items []T // length a power of two
	first uint32
	count uint32
}

// New makes an empty queue with room for capacity entries.
func New[T any](capacity int) Ring[T] {
	n := 1
	for n < capacity {
		n *= 2
	}
	return Ring[T]{items: make([]T, n)}
}

// Len is the number of entries.
func (r *Ring[T]) Len() int { return int(r.count) }

// Head is the oldest entry; the queue must not be empty.
func (r *Ring[T]) Head() *T { return &r.items[r.first] }

// At is the i-th oldest entry, 0 being the head.
func (r *Ring[T]) At(i int) *T { return &r.items[(int(r.first)+i)&(len(r.items)-1)] }

// Push appends v.
func (r *Ring[T]) Push(v T) {
	if int(r.count) == len(r.items) {
		r.grow()
	}
	r.items[int(r.first+r.count)&(len(r.items)-1)] = v
	r.count++
}

// Add appends an entry, which holds what was there before, for the caller to fill
// in place: a large entry is not copied.
func (r *Ring[T]) Add() *T {
	if int(r.count) == len(r.items) {
		r.grow()
	}
	r.count++
	return &r.items[int(r.first+r.count-1)&(len(r.items)-1)]
}

// Drop removes the oldest entry; the queue must not be empty.
func (r *Ring[T]) Drop() {
	r.first = (r.first + 1) & uint32(len(r.items)-1)
	r.count--
}

// Pop takes the oldest entry; the queue must not be empty.
func (r *Ring[T]) Pop() T {
	v := r.items[r.first]
	r.first = (r.first + 1) & uint32(len(r.items)-1)
	r.count--
	return v
}

func (r *Ring[T]) grow() {
	grown := make([]T, 2*r.count)
	n := copy(grown, r.items[r.first:])
	copy(grown[n:], r.items[:r.first])
	r.items, r.first = grown, 0
}
