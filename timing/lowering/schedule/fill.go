// SPDX-License-Identifier: Apache-2.0

package schedule

import "github.com/warptape/warptape/timing/lowering/ir"

// lookahead is among how many operations one is looked for that does not wait.
const lookahead = 24

// fill puts operations whose sources are there in front of those that would wait for
// theirs, as far as no more than the target's registers are live. It issues the block as a
// warp alone does, in order, one a cycle.
func (s *Scheduler) fill(b *ir.Block, out []ir.Register, t Target) {
	a := ahead{ops: b.Ops, g: newGraph(b.Ops, s.scratch), live: s.live(b.Ops, out, words), target: t, f: s.f}
	b.Ops = a.filled(s.live(b.Ops, out, s.predicatesOf(b.Ops)))
}

// predicatesOf counts the predicates that a block makes. Those that live across it can be
// packed into a register (P2R) meanwhile.
func (s *Scheduler) predicatesOf(ops []ir.Op) func(*ir.Function, ir.Register) int32 {
	made := map[ir.Register]bool{}
	for i := range ops {
		for _, r := range ops[i].Dst {
			made[r] = true
		}
	}
	return func(f *ir.Function, r ir.Register) int32 {
		if !made[r] {
			return 0
		}
		return predicate(f, r)
	}
}

// filled is the order that fill makes; predicates counts those that are live.
func (a *ahead) filled(predicates []int32) []ir.Op {
	n := len(a.ops)
	a.waits, a.done = append([]int32(nil), a.g.before...), make([]bool, n)
	a.out = make([]ir.Op, 0, n)
	ready := make([]int, n) // the cycle in which the sources are there
	first, now := 0, 0
	for len(a.out) < n {
		for a.done[first] {
			first++
		}
		pick := first
		if ready[first] > now {
			for l := first + 1; l < n && l <= first+lookahead; l++ {
				if !a.done[l] && a.waits[l] == 0 && ready[l] <= now && !late(&a.ops[l]) && a.ops[l].Effect != ir.Ends && a.roomFor(first, l, predicates) {
					pick = l
					break
				}
			}
		}
		now = max(now, ready[pick])
		latency := a.target.Latency
		if late(&a.ops[pick]) || a.ops[pick].Code == ir.MUFU {
			latency = a.target.Late
		}
		a.take(pick)
		for _, next := range a.g.next[pick] {
			ready[next] = max(ready[next], now+latency)
		}
		now++
	}
	return a.out
}

// roomFor is room for predicates too.
func (a *ahead) roomFor(from, to int, predicates []int32) bool {
	need := int32(0)
	for _, r := range a.ops[to].Dst {
		need += predicate(a.f, r)
	}
	if need > 0 {
		for i := from; i < to; i++ {
			if predicates[i]+need > Predicates-1 {
				return false
			}
		}
	}
	if !a.room(from, to) {
		return false
	}
	if need > 0 {
		for i := from; i < to; i++ {
			predicates[i] += need
		}
	}
	return true
}
