// SPDX-License-Identifier: Apache-2.0

package dac

import (
	"fmt"
	"math/bits"

	"github.com/warptape/warptape/timing/affine"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/sm"
)

// Holds implements sm.Assistant: the scoreboard's rules for enq and deq (section 4.1).
func (e *engine) Holds(w int, instruction uint32) sm.Hold {
	r := &e.kernel.roles[instruction]
	if r.affine {
		return e.holdsAffine(r)
	}
	q := &e.warps[w]
	if r.predicate > 0 && q.predicates.Len() == 0 {
		return sm.HoldCompute
	}
	if !r.address {
		return sm.HoldNothing
	}
	if q.addresses.Len() == 0 {
		return sm.HoldCompute
	}
	switch head := &e.records.items[*q.addresses.Head()]; {
	case !head.whole:
		return sm.HoldCompute
	case head.pending > 0 && !e.chip.section.IssueBeforeData:
		return sm.HoldMemory
	}
	return sm.HoldNothing
}

// holdsAffine holds the affine warp while the tuple queue is full, or the outcome of
// a branch has yet to come from a warp.
func (e *engine) holdsAffine(r *role) sm.Hold {
	switch {
	case r.enqueue && e.queue.Len() >= e.chip.section.TupleEntries:
		return sm.HoldCompute
	case r.decides:
		d := e.decisions.Head()
		for rest := d.warps; rest != 0; rest &= rest - 1 {
			if w := bits.TrailingZeros64(rest); e.supplied[w] < d.needed[w] {
				return sm.HoldCompute
			}
		}
	}
	return sm.HoldNothing
}

// Issued implements sm.Assistant.
func (e *engine) Issued(_ clock.Cycle, w int, instruction, mask uint32) {
	r := &e.kernel.roles[instruction]
	origin := e.kernel.rewriting.Origin[instruction]
	e.moved = true
	if r.affine {
		e.count(countAffine, 1)
		switch {
		case r.enqueue:
			e.enqueue(origin)
		case r.decides:
			e.decisions.Drop()
		}
		return
	}
	if r.predicate > 0 {
		e.dequeuePredicate(w, r.predicate-1)
	}
	if r.address {
		e.dequeueAddress(w, origin, mask)
	}
	if r.decides {
		e.supplied[w]++
		e.count(countSupplied, 1)
		if e.running {
			e.sm.Recheck(e.sm.ExtraSlot())
		}
	}
}

// enqueue puts the next tuple into the queue, and the work that it makes before the
// units: each thread block has its own place in the queue (section 4.2).
func (e *engine) enqueue(origin uint32) {
	t := e.upcoming.Pop()
	if t.instruction != origin {
		e.chip.fail(fmt.Errorf("BUG: SM %d: the affine warp enqueues for instruction %d, its tuple is of %d", e.sm.ID(), origin, t.instruction))
		return
	}
	e.count(countEnqueue, 1)
	e.queue.Push(t)
	for first := 0; first < len(t.items); {
		block := t.items[first].block
		to := first
		for to < len(t.items) && t.items[to].block == block {
			to++
		}
		t.left++
		e.count(countDequeue, 1)
		b := &e.blocks[block]
		if t.queue == affine.Predicate {
			b.predicates.Push(work{t, first, to})
			e.predicating |= 1 << block
		} else {
			b.addresses.Push(work{t, first, to})
			e.addressing |= 1 << block
		}
		first = to
	}
	e.drop()
}

// drop takes tuples out of the queue that all thread blocks have expanded.
func (e *engine) drop() {
	for e.queue.Len() > 0 && (*e.queue.Head()).left == 0 {
		e.spare = append(e.spare, e.queue.Pop())
		e.moved = true
	}
	if e.running {
		e.sm.Recheck(e.sm.ExtraSlot())
	}
}

// dequeuePredicate takes a bit vector from a warp's queue.
func (e *engine) dequeuePredicate(w int, computation uint32) {
	v := e.warps[w].predicates.Pop()
	if v.instruction != computation {
		e.mismatch(w, computation, v.instruction)
	}
	e.count(countPredicateRead, 1)
	e.resumePredicates(e.sm.BlockSlot(w))
}

// dequeueAddress takes an address from a warp's queue. The lines of a load stay locked
// until its data have come from the L1. The data that were asked for early have come by
// then: the early requests are before the load at each line.
func (e *engine) dequeueAddress(w int, origin, mask uint32) {
	q := &e.warps[w]
	i := q.addresses.Pop()
	r := &e.records.items[i]
	if r.instruction != origin || r.mask != mask {
		e.mismatch(w, origin, r.instruction)
	}
	q.used -= r.entries
	e.count(countAddressRead, int(r.entries))
	e.resumeAddresses(e.sm.BlockSlot(w))
	if len(r.locked) == 0 && r.pending == 0 {
		e.records.release(i)
		return
	}
	q.inUse = append(q.inUse, i)
}

// mismatch stops the replay: a warp dequeues what is not its own.
func (e *engine) mismatch(w int, wants, has uint32) {
	k := e.kernel.plan.Kernel
	e.chip.fail(fmt.Errorf("BUG: kernel %s, SM %d, warp slot %d: line %d dequeues what line %d enqueued, or for other threads",
		k.Name, e.sm.ID(), w, k.Instructions[wants].Line, k.Instructions[has].Line))
}

// Loaded implements sm.Assistant: the access unlocks the lines (section 4.2). What
// keeps lines next to the L1, or in front of it, may have had the data before the early
// ones have come: their record waits for these.
func (e *engine) Loaded(_ clock.Cycle, w int, instruction uint32) {
	q := &e.warps[w]
	for k, i := range q.inUse {
		if r := &e.records.items[i]; r.instruction == e.kernel.rewriting.Origin[instruction] {
			q.inUse = append(q.inUse[:k], q.inUse[k+1:]...)
			if r.used = true; r.pending == 0 {
				e.unlock(i)
			}
			return
		}
	}
}

// arrived tells that an early line of a record has come.
func (e *engine) arrived(record uint32) {
	r := &e.records.items[record]
	if r.pending--; r.pending > 0 || !r.whole {
		return
	}
	if r.used {
		e.unlock(int32(record))
		return
	}
	e.sm.Recheck(int(r.warp))
}

// unlock ends a record whose load, and early lines, have come.
func (e *engine) unlock(i int32) {
	for _, line := range e.records.items[i].locked {
		e.port.locks.UnlockLine(line)
	}
	e.records.release(i)
}
