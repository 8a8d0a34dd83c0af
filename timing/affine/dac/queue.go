// SPDX-License-Identifier: Apache-2.0

package dac

import (
	"github.com/warptape/warptape/timing/affine"
	"github.com/warptape/warptape/timing/ring"
)

// tuple is an entry of the affine tuple queue, or on its way there: what it expands to
// for each warp.
type tuple struct {
	instruction uint32 // recorded
	queue       affine.Queue
	divergent   bool
	items       []item
	left        int // thread blocks that have yet to expand it
}

// item is what a tuple expands to for one warp.
type item struct {
	affine.Expansion
	warp, block uint8 // slots of the SM
}

// work is the part of a tuple that an expansion unit has yet to do for a thread block.
type work struct {
	tuple    *tuple
	next, to int // items
}

// record is an address in a warp's queue, of one or more lines.
type record struct {
	instruction uint32
	mask        uint32
	entries     int32 // of the queue that it takes
	pending     int32 // early lines that have yet to come
	whole       bool  // all lines have been expanded
	early       bool  // they are asked for at once
	used        bool  // the load has its data
	warp        uint8
	locked      []uint64 // lines
}

// bitVector is a predicate in a warp's queue.
type bitVector struct{ instruction, mask uint32 }

// warpQueues are the queues of one warp: its part of the PWAQ and of the PWPQ.
type warpQueues struct {
	addresses ring.Ring[int32] // records
	used      int32            // entries of them
	// inUse are records of loads that have issued and whose data have yet to come
	// from the L1.
	inUse      []int32
	predicates ring.Ring[bitVector]
}

// pool hands out records by number.
type pool struct {
	items []record
	free  []int32
}

func (p *pool) take() int32 {
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		return i
	}
	p.items = append(p.items, record{})
	return int32(len(p.items) - 1)
}

func (p *pool) release(i int32) {
	p.items[i].locked = p.items[i].locked[:0]
	p.free = append(p.free, i)
}

// used is how many records are handed out.
func (p *pool) used() int { return len(p.items) - len(p.free) }
