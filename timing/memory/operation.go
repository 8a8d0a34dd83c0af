package memory

import "github.com/warptape/warptape/timing/clock"

// operation is one warp instruction (or instruction fetch) in a port.
type operation struct {
	address   uint64 // fetch: of the line
	issued    clock.Cycle
	remaining int32 // transactions not yet looked up, and sectors on their way
	entering  int32 // transactions not yet looked up
	next      int32 // free list
	token     uint32
	warp      int16
	kind      operationKind
	bypass    bool
	local     bool
	timed     bool // counts into the load latency
}

type operationKind uint8

const (
	opLoad operationKind = iota
	opStore
	opAtomic
	opFetch
	opWriteBack
	opLocalStore // a store that stays in the SM, with a token
)

// operationPool holds the operations of a port.
type operationPool struct {
	items []operation
	free  int32
	used  int
}

func newOperationPool() operationPool { return operationPool{free: none} }

func (p *operationPool) take() int32 {
	i := p.free
	if i == none {
		i = int32(len(p.items))
		p.items = append(p.items, operation{})
	} else {
		p.free = p.items[i].next
	}
	p.used++
	return i
}

func (p *operationPool) release(i int32) {
	p.items[i].next = p.free
	p.free = i
	p.used--
}
