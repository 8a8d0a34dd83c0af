package memory

// none is the index of nothing.
const none = int32(-1)

// pool holds entries that are named by their index. An entry that is given back
// keeps its place for the next, so that a run allocates up to its deepest only.
type pool[T any] struct {
	items []T
	links []int32 // of the free entries: the next free one
	free  int32
	used  int
}

func newPool[T any]() pool[T] { return pool[T]{free: none} }

// newPoolOf makes room for n entries beforehand.
func newPoolOf[T any](n int) pool[T] {
	return pool[T]{items: make([]T, 0, n), links: make([]int32, 0, n), free: none}
}

// take gives an entry, which holds what its last user left there.
func (p *pool[T]) take() int32 {
	i := p.free
	if i == none {
		i = int32(len(p.items))
		var zero T
		p.items = append(p.items, zero)
		p.links = append(p.links, none)
	} else {
		p.free = p.links[i]
	}
	p.used++
	return i
}

func (p *pool[T]) release(i int32) {
	p.links[i] = p.free
	p.free = i
	p.used--
}
