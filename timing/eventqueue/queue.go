// SPDX-License-Identifier: Apache-2.0

// Package eventqueue keeps what happens in cycles that lie at any distance. The wheel of an
// SM is faster, and its distances have a bound.
package eventqueue

import "github.com/warptape/warptape/timing/clock"

// Queue is a binary heap of events by cycle. Events of one cycle come in the order in which
// they were put. It grows to the most that it is asked to hold, and allocates nothing then.
// The zero value is an empty queue.
type Queue[T any] struct {
	heap []planned[T]
	put  uint64
}

// planned is an event with its place in the order of all.
type planned[T any] struct {
	at    clock.Cycle
	order uint64
	event T
}

func (p *planned[T]) before(o *planned[T]) bool {
	return p.at < o.at || p.at == o.at && p.order < o.order
}

// Due is the cycle of the next event, clock.Never without one.
func (q *Queue[T]) Due() clock.Cycle {
	if len(q.heap) == 0 {
		return clock.Never
	}
	return q.heap[0].at
}

// Put adds an event for a cycle.
func (q *Queue[T]) Put(at clock.Cycle, event T) {
	q.put++
	added := planned[T]{at, q.put, event}
	q.heap = append(q.heap, added)
	i := len(q.heap) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !added.before(&q.heap[up]) {
			break
		}
		q.heap[i] = q.heap[up]
		i = up
	}
	q.heap[i] = added
}

// Take removes the next event; the queue must not be empty.
func (q *Queue[T]) Take() T {
	first := q.heap[0].event
	last := len(q.heap) - 1
	moved := &q.heap[last]
	q.heap = q.heap[:last]
	i := 0
	for {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && q.heap[down+1].before(&q.heap[down]) {
			down++
		}
		if !q.heap[down].before(moved) {
			break
		}
		q.heap[i] = q.heap[down]
		i = down
	}
	if last > 0 {
		q.heap[i] = *moved
	}
	return first
}

// Clear empties the queue and keeps its memory.
func (q *Queue[T]) Clear() { q.heap, q.put = q.heap[:0], 0 }
