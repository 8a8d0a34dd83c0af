// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"math/rand/v2"
	"testing"
)

// Means of lanes follow what these lanes had, and no others: all lanes together as lane by lane, in any division of
// an execution. The first value is a lane's mean, and a lane that has the same value always keeps it.
func TestMeansFollowTheirLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	for round := range 50 {
		var together, apart Model
		constant, seen := r.Uint64N(1<<40), uint32(0)
		for n := range 40 {
			var units [WarpLanes]uint64
			for l := range units {
				units[l] = r.Uint64N(1 << 40)
			}
			units[7] = constant
			mask := AllWarpLanes
			if round%2 == 0 && r.IntN(2) == 0 { // in the other rounds all lanes have been seen equally often
				mask = r.Uint32()
			}
			before := together
			together.average(mask, &units)
			for rest := mask; rest != 0; {
				part := rest & r.Uint32()
				apart.average(part, &units)
				rest &^= part
			}
			if together.mean != apart.mean || together.count != apart.count {
				t.Fatalf("execution %d of lanes %#x: together and part by part differ", n, mask)
			}
			for l := range units {
				switch active := mask>>l&1 != 0; {
				case !active && (together.mean[l] != before.mean[l] || together.count[l] != before.count[l]):
					t.Fatalf("lane %d was not in %#x, and its mean has changed", l, mask)
				case active && (seen>>l&1 == 0 || l == 7) && together.mean[l] != units[l]<<meanFraction:
					t.Fatalf("lane %d has a mean of %#x behind its value %#x", l, together.mean[l], units[l])
				}
			}
			seen |= mask
		}
	}
}
