// SPDX-License-Identifier: Apache-2.0

package offload

import (
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
)

// completed counts the accesses that are complete.
type completed struct {
	seam.Completions
	tokens []uint32
}

func (c *completed) Complete(_ clock.Cycle, token uint32) { c.tokens = append(c.tokens, token) }

// Each answer gives an entry of the status register back while there are more entries than parts, and none twice. The warp
// goes on with the last.
func TestAnswersGiveTheirEntriesBack(t *testing.T) {
	for _, c := range []struct{ entries, parts int }{{1, 1}, {3, 3}, {2, 3}, {1, 2}, {5, 5}} { // a part that stays at the core has no entry
		e := &engine{jobs: newJobs(), global: new(counters.Set)}
		to := &completed{}
		q := &queue{engine: e, to: to, free: 7, warps: make([]attempt, 3)}
		q.warps[2] = attempt{state: sent, token: 44, chain: &chain{}, entries: c.entries, parts: c.parts}
		for range c.parts {
			e.jobs.items = append(e.jobs.items, job{warp: 2})
		}
		for n := range c.parts {
			q.finish(10, int32(n))
			left := c.parts - 1 - n
			if want := 7 + max(c.entries-left, 0); q.free != want || q.warps[2].entries != min(c.entries, left) {
				t.Errorf("%d entries, %d parts, %d left: %d are free, want %d", c.entries, c.parts, left, q.free, want)
			}
			if (len(to.tokens) == 1) != (left == 0) || left == 0 && (to.tokens[0] != 44 || q.warps[2].state != idle) {
				t.Errorf("%d parts, %d left: complete are %v", c.parts, left, to.tokens)
			}
		}
		if e.jobs.used() != 0 {
			t.Errorf("%d jobs are left", e.jobs.used())
		}
	}
}
