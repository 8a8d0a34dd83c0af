// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// event is what an instruction does that others can see.
type event struct {
	instruction uint32
	address     uint64
	values      []value
	others      []value // addresses besides that of the access
	guard       value
	executed    bool
	access      bool
	lost        bool // the kernel has not written what the address is made of
}

// Check follows a way through a kernel and what it was lowered to. The error says what is
// different.
func Check(k *trace.Kernel, l *lowering.Lowered, w Way) error {
	c := &checker{thread: newThread(k, w.draw), l: l, general: map[int]value{}, predicates: map[int]value{}, local: map[uint32]value{}}
	path := w.blocks
	c.numbers, c.names = map[trace.Register]ir.Register{}, map[ir.Register]trace.Register{}
	l.Function.Variables.Each(func(name trace.Register, r ir.Register) { c.numbers[name], c.names[r] = r, name })
	for at := 0; at < len(path); {
		b := c.l.Function.Blocks[path[at]]
		if b == nil {
			return fmt.Errorf("kernel %s: a path comes to block %d, which is a part of another", k.Name, path[at])
		}
		taken := make([]bool, len(b.Parts))
		n := 0
		for p := range b.Parts {
			if at+n < len(path) && path[at+n] == b.Parts[p].Block && (p > 0 || n == 0) {
				taken[p] = true
				n++
			} else if !b.Parts[p].Optional {
				return nil // the path ends inside of a lowered block
			}
		}
		c.cut = w.cut && at+n == len(path)
		want := c.recorded(b, taken)
		if err := c.lowered(b, taken, want); err != nil {
			return fmt.Errorf("kernel %s, block %d (visit %d): %w", k.Name, path[at], c.visits[path[at]], err)
		}
		at += n
	}
	return nil
}

// checker holds the state of both.
type checker struct {
	*thread // of the recorded kernel
	l       *lowering.Lowered

	cut bool // the way ends in this block, and the thread goes on

	general, predicates map[int]value
	local               map[uint32]value
	covered             map[trace.Register]value // while an operation is executed

	numbers map[trace.Register]ir.Register // of the variables
	names   map[ir.Register]trace.Register
}

// recorded executes the parts that are taken, and gives what each instruction does.
func (c *checker) recorded(b *ir.Block, taken []bool) map[uint32]event {
	events := map[uint32]event{}
	for p, part := range b.Parts {
		if taken[p] {
			c.block(part.Block, events)
		}
	}
	return events
}
