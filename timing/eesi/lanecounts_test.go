// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"math/rand/v2"
	"testing"
)

// TestLaneCountsAreNumbers: sums and comparisons of all lanes at once are those of a list.
func TestLaneCountsAreNumbers(t *testing.T) {
	const most = 70
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 7))
		var c laneCounts
		var want [Lanes]int
		for range 400 {
			lanes, n := r.Uint32()&r.Uint32(), 1+r.IntN(9)
			for l, is := range want {
				if is+n > most {
					lanes &^= 1 << l
				}
			}
			c.add(lanes, n)
			var some uint32
			for l := range want {
				want[l] += n * int(lanes>>l&1)
				if want[l] > 0 && r.IntN(2) == 0 {
					some |= 1 << l
					want[l]--
				}
			}
			c.take(some)
			n = r.IntN(most+2) - 1
			above, equal, nonzero := c.above(n, sizeOf(most)), c.equal(max(n, 0), sizeOf(most)), c.some(sizeOf(most))
			for l, is := range want {
				if c.of(l) != is || above>>l&1 != 0 != (is > n) || equal>>l&1 != 0 != (is == max(n, 0)) || nonzero>>l&1 != 0 != (is > 0) {
					t.Fatalf("seed %d, lane %d: %d, above %d: %v, equal: %v, some: %v; it is %d", seed, l, c.of(l), n, above>>l&1, equal>>l&1, nonzero>>l&1, is)
				}
			}
		}
	}
}
