package mta

// pool holds entries that are named by their index; one that is given back is the
// next to be used.
type pool[T any] struct {
	items []T
	free  []int32
	used  int
}

func (p *pool[T]) take() int32 {
	p.used++
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		return i
	}
	var zero T
	p.items = append(p.items, zero)
	return int32(len(p.items) - 1)
}

func (p *pool[T]) release(i int32) {
	p.used--
	p.free = append(p.free, i)
}
