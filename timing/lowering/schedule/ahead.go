// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"slices"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// Ahead lets loads, and what else answers late, go before the operations in front of them.
// It does so as far as no more than the target's registers are live. out lists the
// registers that are live behind the block.
func (s *Scheduler) Ahead(b *ir.Block, out []ir.Register, t Target) {
	if s.quotients(b, out, &t) {
		most := s.Most(b, out)
		t.Registers = max(most, min(t.Registers, t.Quotients))
	}
	a := s.mover(b, out, t)
	if order, some := a.order(); some {
		permute(b.Ops, order)
		a = s.mover(b, out, t)
	} else {
		a.begin()
	}
	permute(b.Ops, a.filled())
	for _, r := range out {
		s.after[r] = false
	}
}

// mover readies what moves the operations of a block. s.after has what is live behind it.
func (s *Scheduler) mover(b *ir.Block, out []ir.Register, t Target) *ahead {
	a, g, n := &s.ahead, s.graph(0), len(b.Ops)
	for _, r := range out {
		s.after[r] = true
	}
	s.table.list(b.Ops)
	g.build(b.Ops, &s.table, 0, s.scratch)
	a.s, a.ops, a.g, a.target = s, b.Ops, g, t
	a.live = slices.Grow(a.live[:0], n)[:n]
	a.late = slices.Grow(a.late[:0], n)[:n]
	for i := range b.Ops {
		a.late[i] = late(&b.Ops[i])
	}
	s.Steps += g.edges()
	s.walk(b.Ops, out, a.live)
	a.begin()
	return a
}

// begin begins an order.
func (a *ahead) begin() {
	a.waits, a.out = a.g.counts(a.waits), a.out[:0]
	a.done = slices.Grow(a.done[:0], len(a.ops))[:len(a.ops)]
	clear(a.done)
}

// ahead moves loads of one block.
type ahead struct {
	s      *Scheduler
	ops    []ir.Op
	g      *graph
	live   []load // at each operation
	list   []int32
	target Target
	waits  []int32
	done   []bool
	late   []bool // by operation
	// reused are the loads in the window that several operations read: registers alone bound
	// how many of them go ahead.
	reused  []bool
	pending []int32 // loads in the window that have yet to go
	ready   []int32 // by operation: the cycle in which its sources are there
	out     []int32
}

// late reports whether an operation answers late.
func late(op *ir.Op) bool {
	return op.Memory && len(op.Dst) > 0 && (op.Effect == ir.Loads || op.Effect == ir.Pure)
}

// window is how many operations ahead loads are looked for, tries among how many of them.
const (
	window = 512
	tries  = 8
)

// chain is how many operations, such as those that make an address and a predicate, go
// ahead with a load that needs them.
const chain = 12

// order gives the order in which loads have gone ahead, and whether some have.
func (a *ahead) order() (order []int32, some bool) {
	n := int32(len(a.ops))
	a.reused = slices.Grow(a.reused[:0], len(a.ops))[:n]
	a.pending = a.pending[:0]
	seen := int32(0) // operations that have come into the window
	flying := 0      // loads that have gone ahead of their place, but for those read twice
	for i := range n {
		if a.done[i] {
			if a.late[i] && !a.reused[i] {
				flying--
			}
			continue
		}
		for ; seen < n && seen <= i+window; seen++ {
			if a.late[seen] {
				a.reused[seen] = a.readTwice(seen)
				a.pending = append(a.pending, seen)
			}
		}
		kept, tried := a.pending[:0], 0
		for k, l := range a.pending {
			if a.done[l] || l <= i {
				continue
			}
			if tried == tries {
				kept = append(kept, a.pending[k:]...)
				break
			}
			if flying >= a.target.InFlight && !a.reused[l] {
				kept = append(kept, l)
				continue
			}
			tried++
			if slice := a.slice(l); slice != nil && a.room(i, slice) {
				for _, x := range slice {
					a.take(x)
				}
				some = true
				if !a.reused[l] {
					flying++
				}
				continue
			}
			kept = append(kept, l)
		}
		a.pending = kept
		if !a.done[i] {
			a.take(i)
		}
	}
	return a.out, some
}

// readTwice reports whether several operations of the block read what a load makes.
func (a *ahead) readTwice(load int32) bool {
	readers, made := 0, a.g.writes(load)
	for _, next := range a.g.behind(load) {
		if slices.ContainsFunc(a.g.reads(next), func(x read) bool { return slices.Contains(made, x.register) }) {
			readers++
		}
	}
	return readers > 1
}

// slice is a load with what has yet to go in front of it, in their order; nil where that
// is too long, or is more than computing.
func (a *ahead) slice(load int32) []int32 {
	a.list = append(a.list[:0], load)
	for k := 0; k < len(a.list); k++ {
		for _, x := range a.g.before(a.list[k]) {
			if a.done[x] || slices.Contains(a.list, x) {
				continue
			}
			if op := &a.ops[x]; len(a.list) == chain || op.Effect != ir.Pure || op.Memory || op.Keep != nil || op.Code.Class == trace.ClassNop {
				return nil
			}
			a.list = append(a.list, x)
		}
	}
	slices.Sort(a.list)
	return a.list
}

// room takes the registers, and the predicates, of operations from where they would go to
// their places, if they are there. What operations of the list alone read goes with them: it
// is live where they go, and no more where they were.
func (a *ahead) room(from int32, list []int32) bool {
	a.inside(list, -1)
	if !a.passes(from, list) {
		a.inside(list, 1)
		return false
	}
	for n, x := range list {
		if a.lastInside(x, list) != none {
			continue
		}
		if !a.roomOf(from, x) {
			a.giveBack(from, list[:n], list)
			return false
		}
		a.add(from, x, a.needs(x))
	}
	return true
}

// inside counts what operations of the list alone read, once more or once less, where it is
// live.
func (a *ahead) inside(list []int32, sign int32) {
	for _, x := range list {
		if last := a.lastInside(x, list); last != none {
			made := a.needs(x)
			a.add(x, last+1, load{sign * made.words, sign * made.predicates})
		}
	}
}

// passes reports whether there is room for what the operations of a list make, one after the
// other, in front of an operation.
func (a *ahead) passes(from int32, list []int32) bool {
	made := load{}
	for n, x := range list {
		for _, y := range list[:n] {
			if a.lastInside(y, list) == x {
				made = made.minus(a.needs(y))
			}
		}
		if made = made.plus(a.needs(x)); !a.holds(from, made) {
			return false
		}
	}
	return true
}

// giveBack undoes what room has taken for the first operations of a list.
func (a *ahead) giveBack(from int32, taken, list []int32) {
	for _, x := range taken {
		if a.lastInside(x, list) == none {
			a.add(from, x, load{}.minus(a.needs(x)))
		}
	}
	a.inside(list, 1)
}

// none is the place of no operation.
const none = -1

// lastInside is the last operation that reads what operation x makes, where all of them are in
// the list, and none where not.
func (a *ahead) lastInside(x int32, list []int32) int32 {
	last, made := int32(none), a.g.writes(x)
	for _, r := range made {
		if a.s.after[r] {
			return none
		}
	}
	for _, next := range a.g.behind(x) {
		reads := slices.ContainsFunc(a.g.reads(next), func(y read) bool { return slices.Contains(made, y.register) })
		if !reads && !a.g.partial(next) {
			continue
		}
		if !slices.Contains(list, next) {
			return none
		}
		if reads {
			last = max(last, next)
		}
	}
	return last
}

// roomOf reports whether there is room for one.
func (a *ahead) roomOf(from, to int32) bool {
	needs := a.needs(to)
	a.s.Steps += uint64(max(to-from, 0))
	for i := from; i < to; i++ {
		if !a.holds(i, needs) {
			return false
		}
	}
	return true
}

// holds reports whether there is room for more at an operation.
func (a *ahead) holds(i int32, more load) bool {
	with := a.live[i].plus(more)
	return (more.words <= 0 || with.words <= int32(a.target.Registers)) && (more.predicates <= 0 || with.predicates <= Predicates-1)
}

// add counts more as live at a range of operations.
func (a *ahead) add(from, to int32, more load) {
	for i := from; i < to; i++ {
		a.live[i] = a.live[i].plus(more)
	}
}

// needs are the registers and the predicates that an operation makes.
func (a *ahead) needs(i int32) (made load) {
	for _, r := range a.g.writes(i) {
		made = made.plus(load{a.s.general[r], a.s.predicates[r]})
	}
	return made
}

func (a *ahead) take(i int32) {
	a.done[i] = true
	a.out = append(a.out, i)
	for _, next := range a.g.behind(i) {
		a.waits[next]--
	}
}
