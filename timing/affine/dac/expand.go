// SPDX-License-Identifier: Apache-2.0

package dac

import (
	"math/bits"

	"github.com/warptape/warptape/timing/affine"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/memory/coalesce"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// blockState is where the expansion units are for a thread block: the address unit has
// an accumulator for each (section 4.2).
type blockState struct {
	addresses, predicates ring.Ring[work]
	opened                uint32 // barriers
	// open says that the address unit is in the middle of a warp's address: at lines[at],
	// in a record.
	open   bool
	record int32
	lines  []coalesce.Transaction
	at     int
}

// expandAddress is a step of the address expansion unit: one line of one thread block,
// the next one in turn that can go on.
func (e *engine) expandAddress(now clock.Cycle) {
	for range bits.OnesCount64(e.addressing) {
		slot := nextAfter(e.addressing, e.lastAddress)
		e.lastAddress = slot
		b := &e.blocks[slot]
		if b.addresses.Len() == 0 {
			e.addressing &^= 1 << slot
			continue
		}
		w := b.addresses.Head()
		x := &w.tuple.items[w.next]
		if x.Barriers > b.opened && e.kernel.held(w.tuple, e.chip.section.Barrier == "expansion") || !e.hasAddressRoom(b, x) {
			e.addressing &^= 1 << slot // until a barrier opens, or a warp dequeues
			continue
		}
		if w.tuple.queue == affine.Data && x.Mask != 0 && (!b.open || e.records.items[b.record].early) && !e.port.Ready(now) {
			return
		}
		e.addressStep(now, slot, b, w, x)
		return
	}
}

// held reports whether a barrier that a thread block has not passed holds the expansion of a
// tuple. Section 4.2 has it hold the requests that could conflict with what the other side of
// the barrier stores. They are loads of memory that threads share, unless it is read-only. The
// section's first sentence, read by itself, holds everything.
func (c *compiled) held(t *tuple, all bool) bool { return all || c.conflicts[t.instruction] }

// hasAddressRoom reports whether the warp's queue has an entry left. The lines of an
// access that is longer than the queue stream through it, when it is the only one.
func (e *engine) hasAddressRoom(b *blockState, x *item) bool {
	q := &e.warps[x.warp]
	return q.used < e.addressRoom || b.open && q.addresses.Len() == 1
}

// addressStep expands one line.
func (e *engine) addressStep(now clock.Cycle, slot int, b *blockState, w *work, x *item) {
	q := &e.warps[x.warp]
	if !b.open {
		e.openRecord(b, w, x)
	}
	r := &e.records.items[b.record]
	if q.used < e.addressRoom {
		q.used++
		r.entries++
		e.count(countAddressWrite, 1)
	}
	e.count(countAddressStep, 1)
	e.moved = true
	if r.early && b.at < len(b.lines) {
		e.ask(now, slot, b, w, x, r)
	}
	if b.at++; b.at < len(b.lines) {
		return
	}
	b.open, r.whole = false, true
	if r.pending == 0 || e.chip.section.IssueBeforeData {
		e.sm.Recheck(int(x.warp))
	}
	if w.next++; w.next == w.to {
		w.tuple.left--
		b.addresses.Drop()
		e.drop()
	}
}

// openRecord begins a warp's address.
func (e *engine) openRecord(b *blockState, w *work, x *item) {
	i := e.records.take()
	r := &e.records.items[i]
	*r = record{instruction: w.tuple.instruction, mask: x.Mask, warp: x.warp, locked: r.locked[:0], early: e.early(w, x)}
	b.open, b.record, b.at = true, i, 0
	e.warps[x.warp].addresses.Push(i)
	b.lines = e.linesOf(b.lines[:0], w, x)
	if w.next == 0 || w.tuple.items[w.next-1].block != x.block {
		e.count(countBlockStart, 1)
	}
	if x.Case == affine.LanesCase {
		e.count(countAdjustment, 1)
	}
	if w.tuple.divergent {
		e.count(countCondition, 1)
	}
}

// early reports whether the lines of a warp's access are asked for at once: those of loads,
// where a generic address is one of global memory.
func (e *engine) early(w *work, x *item) bool {
	if w.tuple.queue != affine.Data || e.kernel.plan.Kernel.Instructions[w.tuple.instruction].Space != trace.SpaceGeneric {
		return w.tuple.queue == affine.Data
	}
	a, _ := e.sm.Assigned(int(x.block))
	request, early := x.Generic(a.Chunk)
	if request {
		e.count(countLoad, 1)
	}
	if early {
		e.count(countAffineLoad, 1)
	}
	return early
}

// linesOf lists the lines of a warp's address. Local memory is laid out so that a word of
// all threads is a line (CUDA C Programming Guide, "Device Memory Accesses").
func (e *engine) linesOf(out []coalesce.Transaction, w *work, x *item) []coalesce.Transaction {
	in := &e.kernel.plan.Kernel.Instructions[w.tuple.instruction]
	if x.Mask == 0 {
		return out
	}
	switch in.Space {
	case trace.SpaceLocal:
		for range max(int(in.LaneBytes)/4, 1) {
			out = append(out, coalesce.Transaction{})
		}
		return out
	case trace.SpaceShared, trace.SpaceConst:
		// No lines are asked for there: a record holds the base and what the threads add to
		// it, as section 4.2 encodes the addresses of a warp.
		return append(out, coalesce.Transaction{})
	}
	warp := coalesce.Warp{Mask: x.Mask, LaneBytes: max(int(in.LaneBytes), 1), Strided: x.Access.Strided(), Base: x.Access.Base, Stride: int64(x.Access.Stride)}
	if !warp.Strided {
		a, _ := e.sm.Assigned(int(x.block))
		a.Chunk.Lanes(x.Access, &e.addresses)
		warp.Addresses = &e.addresses
	}
	return warp.Lines(e.chip.machine.L1.LineBytes, out)
}

// ask sends an early request for a line to the L1, and locks it there (sections 4.1 and 4.2:
// of global and of local loads). Of local memory the whole access goes at once.
func (e *engine) ask(now clock.Cycle, slot int, b *blockState, w *work, x *item, r *record) {
	in := &e.kernel.plan.Kernel.Instructions[w.tuple.instruction]
	a := &e.access
	*a = seam.MemoryAccess{
		Class: trace.ClassLoad, Space: trace.SpaceGlobal, LaneBytes: in.LaneBytes, Mask: x.Mask, Access: x.Access,
		WarpSlot: int(x.warp), BlockSlot: slot, ThreadBase: int(x.warp) * trace.WarpSize, LocalBytes: e.kernel.plan.Kernel.LocalBytes,
		Token: e.port.own.Token(uint32(b.record)), Early: true, Instruction: w.tuple.instruction,
	}
	if in.Space == trace.SpaceLocal {
		if b.at > 0 {
			return
		}
		assigned, _ := e.sm.Assigned(slot)
		a.Space, a.Chunk = trace.SpaceLocal, assigned.Chunk
		e.local = e.port.locks.LocalLines(a, e.local[:0])
		for _, line := range e.local {
			e.lock(r, line)
		}
	} else {
		t := &b.lines[b.at]
		e.part[0] = seam.LinePart{Address: t.Line, HalfWords: halfWords(t)}
		a.Lines = e.part[:]
		e.lock(r, t.Line)
	}
	r.pending++
	e.count(countEarly, 1)
	e.port.Issue(now, a)
	e.port.Completions.Wake()
}

// lock keeps a line in the L1 for a record, if it can.
func (e *engine) lock(r *record, line uint64) {
	if e.port.locks.LockLine(line) {
		r.locked = append(r.locked, line)
	} else {
		e.count(countUnlocked, 1)
	}
}

// halfWords is the bytes of a transaction, in half words of its line.
func halfWords(t *coalesce.Transaction) uint64 {
	at := int(t.Line % cache.BlockBytes)
	var m uint64
	for k := range 64 {
		if at+2*k < cache.BlockBytes && !t.Bytes.And(cache.Range(at+2*k, 2)).Empty() {
			m |= 1 << k
		}
	}
	return m
}

// expandPredicate is a step of the predicate expansion unit: a comparison for a thread
// block, or for a warp (section 4.3).
func (e *engine) expandPredicate() {
	for range bits.OnesCount64(e.predicating) {
		slot := nextAfter(e.predicating, e.lastPredicate)
		e.lastPredicate = slot
		b := &e.blocks[slot]
		if b.predicates.Len() == 0 {
			e.predicating &^= 1 << slot
			continue
		}
		if !e.predicateStep(b) {
			e.predicating &^= 1 << slot // until a warp dequeues
			continue
		}
		e.moved = true
		return
	}
}

// predicateStep expands a predicate for as many warps as one step does; false when the
// first has no room.
func (e *engine) predicateStep(b *blockState) bool {
	w := b.predicates.Head()
	done := 0
	for w.next < w.to {
		x := &w.tuple.items[w.next]
		q := &e.warps[x.warp]
		if int32(q.predicates.Len()) >= e.predicateRoom || done > 0 && x.Case != affine.ScalarCase {
			break
		}
		q.predicates.Push(bitVector{w.tuple.instruction, x.Mask})
		e.count(countPredicateWrite, 1)
		e.sm.Recheck(int(x.warp))
		w.next++
		if done++; x.Case != affine.ScalarCase {
			break
		}
	}
	if done == 0 {
		return false
	}
	e.countPredicate(w.tuple.items[w.next-1].Case)
	if w.next == w.to {
		w.tuple.left--
		b.predicates.Drop()
		e.drop()
	}
	return true
}

func (e *engine) countPredicate(c affine.Case) {
	switch c {
	case affine.ScalarCase:
		e.count(countScalarPredicate, 1)
	case affine.EndsCase:
		e.count(countEndPredicate, 1)
	default:
		e.count(countLanePredicate, 1)
	}
}

// resumeAddresses lets the address unit look at a thread block again.
func (e *engine) resumeAddresses(slot int) {
	if slot < len(e.blocks) && e.blocks[slot].addresses.Len() > 0 {
		e.addressing |= 1 << slot
		e.moved = true
	}
}

// resumePredicates lets the predicate unit look at a thread block again.
func (e *engine) resumePredicates(slot int) {
	if e.blocks[slot].predicates.Len() > 0 {
		e.predicating |= 1 << slot
		e.moved = true
	}
}

// nextAfter is the first of a set of slots of thread blocks behind one of them, wrapping
// around, as round robin goes; the set is not empty.
func nextAfter(slots uint64, last int) int {
	if later := slots >> 1 >> (last & 63); later != 0 {
		return last + 1 + bits.TrailingZeros64(later)
	}
	return bits.TrailingZeros64(slots)
}
