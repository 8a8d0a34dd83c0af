// SPDX-License-Identifier: Apache-2.0

package schedule

import "github.com/warptape/warptape/timing/lowering/ir"

// lookahead is among how many operations one is looked for that does not wait.
const lookahead = 24

// fill puts operations whose sources are there in front of those that would wait for
// theirs, as far as no more than the target's registers are live. It issues the block as a
// warp alone does, in order, one a cycle.
// into is room for as many operations.
func (s *Scheduler) fill(b *ir.Block, out []ir.Register, t Target, into []ir.Op) {
	b.Ops = s.mover(b, out, t).filled(into[:0])
}

// filled is the order that fill makes.
func (a *ahead) filled(into []ir.Op) []ir.Op {
	n := len(a.ops)
	a.waits, a.done = append([]int32(nil), a.g.before...), make([]bool, n)
	a.out = into
	ready := make([]int, n) // the cycle in which the sources are there
	first, now := 0, 0
	for len(a.out) < n {
		for a.done[first] {
			first++
		}
		pick := first
		if ready[first] > now {
			for l := first + 1; l < n && l <= first+lookahead; l++ {
				if !a.done[l] && a.waits[l] == 0 && ready[l] <= now && !late(&a.ops[l]) && a.ops[l].Effect != ir.Ends && a.roomOf(first, l) {
					pick = l
					a.add(first, l, 1)
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
