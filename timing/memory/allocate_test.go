// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// The cache has one line. While a miss is on its way, the line that it replaces
// still serves when lines are allocated on fill, and does not when on miss. When
// it has come, the line is gone either way.
func TestTheReplacedLineServesUntilTheFillWhenAllocatedThen(t *testing.T) {
	for allocate, hits := range map[string]uint64{"on_miss": 0, "on_fill": 1} {
		r := newRig(t, machine(t, "gtx480", func(m *arch.Machine) {
			m.L1.Bytes, m.L1.Ways, m.L1.Write = 128, 1, "through_no_allocate"
			m.L1.Allocate = allocate
		}))
		r.latency(0, load(1, 0, 4))
		r.issue(0, load(2, 128, 4))
		r.tick(r.now + 1)
		r.issue(0, load(3, 0, 4))
		for r.sets[0][counters.L1Read] < 3 && r.step() {
			if len(r.sms[0].completed) > 1 {
				break // the miss, or the hit, is over
			}
		}
		if got := r.sets[0][counters.L1ReadHit]; got != hits {
			t.Errorf("%s: %d hits while the miss is on its way, want %d", allocate, got, hits)
		}
		r.drain()
		if allocate == "on_miss" {
			continue // the third load has taken the line again
		}
		misses := r.sets[0][counters.L1ReadMiss]
		if r.latency(0, load(4, 0, 4)); r.sets[0][counters.L1ReadMiss] != misses+1 {
			t.Error("on_fill: the replaced line is still there after the fill")
		}
	}
}
