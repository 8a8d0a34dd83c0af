// SPDX-License-Identifier: Apache-2.0

package schedule

import "github.com/warptape/warptape/timing/lowering/ir"

// Ahead lets loads, and what else answers late, go before the operations in front of them
// as far as no more than the target's registers are live; out lists the registers that are
// live behind the block.
func (s *Scheduler) Ahead(b *ir.Block, out []ir.Register, t Target) {
	live := s.live(b.Ops, out, words)
	a := ahead{ops: b.Ops, g: newGraph(b.Ops, s.scratch), live: live, target: t, f: s.f}
	b.Ops = a.order()
	s.fill(b, out, t)
}

// live counts, by words, the registers that are live at each of a block's operations.
func (s *Scheduler) live(ops []ir.Op, out []ir.Register, words func(*ir.Function, ir.Register) int32) []int32 {
	is := map[ir.Register]bool{}
	count := int32(0)
	for _, r := range out {
		is[r] = true
		count += words(s.f, r)
	}
	live := make([]int32, len(ops))
	for i := len(ops) - 1; i >= 0; i-- {
		op := &ops[i]
		most := count
		for _, r := range op.Dst {
			switch {
			case !is[r]:
				most += words(s.f, r) // written, and not read
			case !op.Partial:
				delete(is, r)
				count -= words(s.f, r)
			}
		}
		op.EachRead(func(r ir.Register) {
			if !is[r] {
				is[r] = true
				count += words(s.f, r)
			}
		})
		live[i] = max(most, count)
	}
	return live
}

// Most is how many registers are live at a time in a block.
func (s *Scheduler) Most(b *ir.Block, out []ir.Register) int {
	most := int32(0)
	for _, n := range s.live(b.Ops, out, words) {
		most = max(most, n)
	}
	return int(most)
}

// Predicates is how many predicates hardware has, but for the one that is always true.
const Predicates = 7

// cost weighs an order of a block's operations: the registers that are live at most, and
// what predicates too many cost, which are kept in registers.
func (s *Scheduler) cost(ops []ir.Op, out []ir.Register) int32 {
	most, predicates := int32(0), int32(0)
	for _, n := range s.live(ops, out, words) {
		most = max(most, n)
	}
	for _, n := range s.live(ops, out, s.predicatesOf(ops)) {
		predicates = max(predicates, n)
	}
	return most + 4*max(predicates-Predicates, 0)
}

// ahead moves loads of one block.
type ahead struct {
	f      *ir.Function
	ops    []ir.Op
	g      *graph
	live   []int32
	target Target
	waits  []int32
	done   []bool
	out    []ir.Op
}

// late reports whether an operation answers late.
func late(op *ir.Op) bool {
	return op.Memory && len(op.Dst) > 0 && (op.Effect == ir.Loads || op.Effect == ir.Pure)
}

// window is how many operations ahead loads are looked for.
const window = 512

func (a *ahead) order() []ir.Op {
	n := len(a.ops)
	a.waits, a.done = append([]int32(nil), a.g.before...), make([]bool, n)
	a.out = make([]ir.Op, 0, n)
	var pending []int // loads in the window that have yet to go
	seen := 0         // operations that have come into the window
	flying := 0       // loads that have gone ahead of their place
	for i := range n {
		if a.done[i] {
			flying--
			continue
		}
		for ; seen < n && seen <= i+window; seen++ {
			if late(&a.ops[seen]) {
				pending = append(pending, seen)
			}
		}
		kept := pending[:0]
		for k, l := range pending {
			if a.done[l] || l <= i {
				continue
			}
			if flying >= a.target.InFlight {
				kept = append(kept, pending[k:]...)
				break
			}
			if a.waits[l] == 0 && a.room(i, l) {
				a.take(l)
				flying++
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

// room takes the registers of a load from where it would go to its place, if they are
// there.
func (a *ahead) room(from, to int) bool {
	need := int32(0)
	for _, r := range a.ops[to].Dst {
		need += words(a.f, r)
	}
	for i := from; i < to; i++ {
		if a.live[i]+need > int32(a.target.Registers) {
			return false
		}
	}
	for i := from; i < to; i++ {
		a.live[i] += need
	}
	return true
}

func (a *ahead) take(i int) {
	a.done[i] = true
	a.out = append(a.out, a.ops[i])
	for _, next := range a.g.next[i] {
		a.waits[next]--
	}
}
