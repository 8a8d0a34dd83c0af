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
	before := b.Ops
	b.Ops = s.mover(b, out, t).order()
	s.fill(b, out, t, before)
}

// mover readies what moves the operations of a block.
func (s *Scheduler) mover(b *ir.Block, out []ir.Register, t Target) *ahead {
	a := &ahead{s: s, ops: b.Ops, g: newGraph(b.Ops, s.scratch), target: t, live: make([]int32, len(b.Ops)), predicates: make([]int32, len(b.Ops))}
	s.Steps += a.g.edges
	s.live(b.Ops, nil, out, a.live, a.predicates)
	return a
}

// live counts the registers that are live at each operation, by words and by the
// predicates that the operations make. It counts into lists unless they are nil, and gives
// the most of both. The operations go in an order, or as they stand where it is nil.
// Predicates that live across can be packed into a register (P2R) meanwhile.
func (s *Scheduler) live(ops []ir.Op, order []int32, out []ir.Register, intoWords, intoPredicates []int32) (mostWords, mostPredicates int32) {
	x := s.scratch
	for i := range ops {
		for _, r := range ops[i].Dst {
			x.made[r] = true
		}
	}
	count := [2]int32{}
	var most [2]int32
	add := func(to *[2]int32, r ir.Register, sign int32) {
		to[0] += sign * s.general[r]
		if x.made[r] {
			to[1] += sign * s.predicates[r]
		}
	}
	reads := func(r ir.Register) {
		if !x.is[r] {
			x.is[r] = true
			x.listed = append(x.listed, r)
			add(&count, r, 1)
		}
	}
	for _, r := range out {
		reads(r)
	}
	s.Steps += uint64(len(ops))
	for i := len(ops) - 1; i >= 0; i-- {
		op := &ops[i]
		if order != nil {
			op = &ops[order[i]]
		}
		here := count
		for _, r := range op.Dst {
			switch {
			case !x.is[r]:
				add(&here, r, 1) // written, and not read
			case !op.Partial:
				x.is[r] = false
				add(&count, r, -1)
			}
		}
		op.EachRead(reads)
		for n := range here {
			here[n] = max(here[n], count[n])
			most[n] = max(most[n], here[n])
		}
		if intoWords != nil {
			intoWords[i], intoPredicates[i] = here[0], here[1]
		}
	}
	for _, r := range x.listed {
		x.is[r] = false
	}
	x.listed = x.listed[:0]
	for i := range ops {
		for _, r := range ops[i].Dst {
			x.made[r] = false
		}
	}
	return most[0], most[1]
}

// Most is how many registers are live at a time in a block.
func (s *Scheduler) Most(b *ir.Block, out []ir.Register) int {
	most, _ := s.live(b.Ops, nil, out, nil, nil)
	return int(most)
}

// Predicates is how many predicates hardware has, but for the one that is always true (P0 to
// P6 of NVIDIA's binary utilities).
const Predicates = 7

// cost weighs an order of a block's operations: the registers that are live at most, and
// what predicates too many cost, which are kept in registers.
func (s *Scheduler) cost(ops []ir.Op, order []int32, out []ir.Register) int32 {
	most, predicates := s.live(ops, order, out, nil, nil)
	return most + 4*max(predicates-Predicates, 0)
}

// ahead moves loads of one block.
type ahead struct {
	s    *Scheduler
	ops  []ir.Op
	g    *graph
	live []int32
	// predicates are those that are live at each operation.
	predicates []int32
	previous   [][]int32
	list       []int
	target     Target
	waits      []int32
	done       []bool
	// reused are the loads in the window that several operations read: registers alone bound
	// how many of them go ahead.
	reused []bool
	out    []ir.Op
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

func (a *ahead) order() []ir.Op {
	n := len(a.ops)
	a.waits, a.done, a.reused = append([]int32(nil), a.g.before...), make([]bool, n), make([]bool, n)
	a.behind()
	a.out = make([]ir.Op, 0, n)
	var pending []int // loads in the window that have yet to go
	seen := 0         // operations that have come into the window
	flying := 0       // loads that have gone ahead of their place, but for those read twice
	twice := 0        // pending ones that are read twice
	for i := range n {
		if a.done[i] {
			if late(&a.ops[i]) && !a.reused[i] {
				flying--
			}
			continue
		}
		for ; seen < n && seen <= i+window; seen++ {
			if late(&a.ops[seen]) {
				if a.reused[seen] = a.readTwice(seen); a.reused[seen] {
					twice++
				}
				pending = append(pending, seen)
			}
		}
		kept, tried := pending[:0], 0
		for k, l := range pending {
			if a.done[l] || l <= i {
				if a.reused[l] {
					twice--
				}
				continue
			}
			if tried == tries || flying >= a.target.InFlight && twice == 0 {
				kept = append(kept, pending[k:]...)
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
				if a.reused[l] {
					twice--
				} else {
					flying++
				}
				continue
			}
			kept = append(kept, l)
		}
		pending = kept
		if !a.done[i] {
			a.take(i)
		}
	}
	return a.out
}

// readTwice reports whether several operations of the block read what a load makes.
func (a *ahead) readTwice(load int) bool {
	readers := 0
	for _, next := range a.g.next[load] {
		reads := false
		a.ops[next].EachRead(func(r ir.Register) { reads = reads || slices.Contains(a.ops[load].Dst, r) })
		if reads {
			readers++
		}
	}
	return readers > 1
}

// behind lists what each operation stays behind.
func (a *ahead) behind() {
	a.previous = make([][]int32, len(a.ops))
	for i := range a.ops {
		for _, next := range a.g.next[i] {
			a.previous[next] = append(a.previous[next], int32(i))
		}
	}
}

// slice is a load with what has yet to go in front of it, in their order; nil where that
// is too long, or is more than computing.
func (a *ahead) slice(load int) []int {
	a.list = append(a.list[:0], load)
	for k := 0; k < len(a.list); k++ {
		for _, p := range a.previous[a.list[k]] {
			x := int(p)
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
// their places, if they are there.
func (a *ahead) room(from int, list []int) bool {
	for n, x := range list {
		if !a.roomOf(from, x) {
			for _, y := range list[:n] {
				a.add(from, y, -1)
			}
			return false
		}
		a.add(from, x, 1)
	}
	return true
}

// roomOf reports whether there is room for one.
func (a *ahead) roomOf(from, to int) bool {
	registers, predicates := a.needs(to)
	a.s.Steps += uint64(max(to-from, 0))
	for i := from; i < to; i++ {
		if registers > 0 && a.live[i]+registers > int32(a.target.Registers) || predicates > 0 && a.predicates[i]+predicates > Predicates-1 {
			return false
		}
	}
	return true
}

// add counts what an operation makes as live from where it would go to its place.
func (a *ahead) add(from, to int, sign int32) {
	registers, predicates := a.needs(to)
	for i := from; i < to; i++ {
		a.live[i] += sign * registers
		a.predicates[i] += sign * predicates
	}
}

// needs are the registers and the predicates that an operation makes.
func (a *ahead) needs(i int) (registers, predicates int32) {
	for _, r := range a.ops[i].Dst {
		registers += a.s.general[r]
		predicates += a.s.predicates[r]
	}
	return registers, predicates
}

func (a *ahead) take(i int) {
	a.done[i] = true
	a.out = append(a.out, a.ops[i])
	for _, next := range a.g.next[i] {
		a.waits[next]--
	}
}
