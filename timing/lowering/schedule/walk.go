// SPDX-License-Identifier: Apache-2.0

package schedule

import "github.com/warptape/warptape/timing/lowering/ir"

// weigh is what a register counts for where it is live. Predicates count that the operations
// make: those that live across can be packed into a register (P2R) meanwhile.
func (s *Scheduler) weigh(r ir.Register) load {
	if s.scratch.made[r] {
		return load{s.general[r], s.predicates[r]}
	}
	return load{words: s.general[r]}
}

// enter makes the registers live that are live behind a block, and counts them.
func (s *Scheduler) enter(ops []ir.Op, out []ir.Register) (live load) {
	for _, r := range s.table.written {
		s.scratch.made[r] = true
	}
	for _, r := range out {
		s.live(r, &live)
	}
	s.Steps += uint64(len(ops))
	return live
}

// live makes a register live.
func (s *Scheduler) live(r ir.Register, live *load) {
	if x := s.scratch; !x.is[r] {
		x.is[r] = true
		x.listed = append(x.listed, r)
		*live = live.plus(s.weigh(r))
	}
}

// back goes back over an operation, and gives what is live there at most.
func (s *Scheduler) back(i int32, live *load) load {
	x, here := s.scratch, *live
	for _, r := range s.table.writesOf(i) {
		switch {
		case !x.is[r]:
			here = here.plus(s.weigh(r)) // written, and not read
		case !s.table.partial[i]:
			x.is[r] = false
			*live = live.minus(s.weigh(r))
		}
	}
	for _, r := range s.table.readsOf(i) {
		s.live(r.register, live)
	}
	return here.most(*live)
}

// leave forgets what is live.
func (s *Scheduler) leave() {
	x := s.scratch
	for _, r := range x.listed {
		x.is[r] = false
	}
	x.listed = x.listed[:0]
	for _, r := range s.table.written {
		x.made[r] = false
	}
}

// walk counts what is live in a block, which the table has, and at each operation into a
// list unless it is nil. It gives the most, and a lower bound of the cost of any order. What is live
// in front of the block gives it, what is live behind, and what one operation alone makes live.
func (s *Scheduler) walk(ops []ir.Op, out []ir.Register, into []load) (most load, least int32) {
	live := s.enter(ops, out)
	least = live.words
	for i := int32(len(ops)) - 1; i >= 0; i-- {
		here := s.back(i, &live)
		if into != nil {
			into[i] = here
		}
		most = most.most(here)
	}
	if least = max(least, live.words); most.cost() > least && into == nil {
		least = max(least, s.alone(out))
	}
	s.leave()
	return most, least
}

// alone is the most that one operation alone makes live, whatever the order: what it reads or
// writes, and what is live all the time. Such registers are live behind the block and, as the
// scratch has it, in front of it, and no operation writes them.
func (s *Scheduler) alone(out []ir.Register) (most int32) {
	x, always := s.scratch, int32(0)
	for _, r := range out {
		if x.is[r] && !x.made[r] {
			x.always[r] = true
			always += s.general[r]
		}
	}
	for i := range int32(len(s.table.partial)) {
		reads, writes := int32(0), int32(0)
		for _, r := range s.table.readsOf(i) {
			if !x.always[r.register] {
				reads += s.general[r.register]
			}
		}
		for _, r := range s.table.writesOf(i) {
			writes += s.general[r]
		}
		most = max(most, always+reads, always+writes)
	}
	for _, r := range out {
		x.always[r] = false
	}
	return most
}

// Most is how many registers are live at a time in a block.
func (s *Scheduler) Most(b *ir.Block, out []ir.Register) int {
	s.table.list(b.Ops)
	most, _ := s.walk(b.Ops, out, nil)
	return int(most.words)
}

// Predicates is how many predicates hardware has, but for the one that is always true (P0 to
// P6 of NVIDIA's binary utilities).
const Predicates = 7
