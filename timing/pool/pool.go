// SPDX-License-Identifier: Apache-2.0

// Package pool keeps the entries of queues and tables that have no fixed depth.
package pool

// Pool holds entries that are named by their index. An entry that is given back
// keeps its place and its memory for the next, so that a run allocates up to its
// deepest only. The zero value is an empty pool; it is not safe for concurrent use.
type Pool[T any] struct {
	Items []T
	links []int32 // of the free entries: one more than the next free one, 0 for none
	free  int32   // one more than the first free entry, 0 for none
	used  int
}

// Of makes room for n entries beforehand.
func Of[T any](n int) Pool[T] {
	return Pool[T]{Items: make([]T, 0, n), links: make([]int32, 0, n)}
}

// Take gives an entry, which holds what its last user left there.
func (p *Pool[T]) Take() int32 {
	p.used++
	if p.free != 0 {
		i := p.free - 1
		p.free = p.links[i]
		return i
	}
	var zero T
	p.Items = append(p.Items, zero)
	p.links = append(p.links, 0)
	return int32(len(p.Items) - 1)
}

// Release gives an entry back that has been taken.
func (p *Pool[T]) Release(i int32) {
	p.links[i] = p.free
	p.free = i + 1
	p.used--
}

// Used is the number of entries that are taken.
func (p *Pool[T]) Used() int { return p.used }
