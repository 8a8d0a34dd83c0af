// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/warptape/warptape/timing/counters"
)

func TestAWriteToALineWithoutItsSectorIsCountedApart(t *testing.T) {
	r := newRig(t, machine(t, "gtx480", nil)) // sectors of 32 bytes
	for i, at := range []uint64{0, 0, 32, 64} {
		a := store(at, 0)
		a.LaneBytes = 4
		r.issue(0, a)
		r.drain()
		want := [][3]uint64{{1, 0, 0}, {1, 1, 0}, {1, 2, 1}, {1, 3, 2}}[i]
		if got := [3]uint64{r.global[counters.L2WriteMiss], r.global[counters.L2WriteHit], r.global[counters.L2WriteSectorMiss]}; got != want {
			t.Errorf("store %d: %d misses, %d hits, %d of these without the sector; want %v", i, got[0], got[1], got[2], want)
		}
	}
}
