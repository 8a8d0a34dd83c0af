// SPDX-License-Identifier: Apache-2.0

package schedule

import "github.com/warptape/warptape/timing/lowering/ir"

// lookahead is among how many operations one is looked for that does not wait.
const lookahead = 24

// filled moves operations whose sources are ready ahead of operations that would wait for
// theirs, as far as no more than the target's registers are live. It issues the block as a
// warp alone does, in order, one a cycle.
func (a *ahead) filled() []int32 {
	n := int32(len(a.ops))
	a.ready = zeros(a.ready, len(a.ops))
	first, now := int32(0), int32(0)
	for len(a.out) < len(a.ops) {
		for a.done[first] {
			first++
		}
		pick := first
		if a.ready[first] > now {
			for l := first + 1; l < n && l <= first+lookahead; l++ {
				if !a.done[l] && a.waits[l] == 0 && a.ready[l] <= now && !a.late[l] && a.ops[l].Effect != ir.Ends && a.roomOf(first, l) {
					pick = l
					a.add(first, l, a.needs(l))
					break
				}
			}
		}
		now = max(now, a.ready[pick])
		latency := int32(a.target.Latency)
		if a.late[pick] || a.ops[pick].Code == ir.MUFU {
			latency = int32(a.target.Late)
		}
		a.take(pick)
		for _, next := range a.g.behind(pick) {
			a.ready[next] = max(a.ready[next], now+latency)
		}
		now++
	}
	return a.out
}
