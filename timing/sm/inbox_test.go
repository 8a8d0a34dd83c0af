// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/clock"
)

// Messages come in the order of their cycles, those of one cycle in the order in which they were
// put: as a stable sort has them.
func TestMessagesComeInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var b inbox
	var all []message
	for step := range 4000 {
		if r.IntN(5) < 3 {
			m := message{warp: step}
			at := clock.Cycle(r.IntN(50))
			b.Put(at, m)
			m.at = at
			all = append(all, m)
			continue
		}
		if len(all) == 0 {
			if b.Due() != clock.Never {
				t.Fatalf("step %d: due at %d without a message", step, b.Due())
			}
			continue
		}
		slices.SortStableFunc(all, func(x, y message) int { return int(x.at - y.at) })
		if b.Due() != all[0].at {
			t.Fatalf("step %d: due at %d, want %d", step, b.Due(), all[0].at)
		}
		if got := b.Take(); got.warp != all[0].warp || got.at != all[0].at {
			t.Fatalf("step %d: message %d of cycle %d, want %d of %d", step, got.warp, got.at, all[0].warp, all[0].at)
		}
		all = all[1:]
	}
}
