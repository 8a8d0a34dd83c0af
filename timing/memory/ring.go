package memory

// ring is a queue that grows to what it is asked to hold; whoever pushes
// enforces the queue's limit, so that it stops growing early in a run.
type ring[T any] struct {
	items []T // length a power of two
	first int
	count int
}

func newRing[T any](capacity int) ring[T] {
	n := 1
	for n < capacity {
		n *= 2
	}
	return ring[T]{items: make([]T, n)}
}

func (r *ring[T]) head() *T { return &r.items[r.first] }

func (r *ring[T]) push(v T) {
	if r.count == len(r.items) {
		grown := make([]T, 2*r.count)
		n := copy(grown, r.items[r.first:])
		copy(grown[n:], r.items[:r.first])
		r.items, r.first = grown, 0
	}
	r.items[(r.first+r.count)&(len(r.items)-1)] = v
	r.count++
}

func (r *ring[T]) pop() T {
	v := r.items[r.first]
	r.first = (r.first + 1) & (len(r.items) - 1)
	r.count--
	return v
}
