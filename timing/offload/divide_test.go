// SPDX-License-Identifier: Apache-2.0

package offload

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/memory/coalesce"
)

// TestGroupsAreTheLanesOfEqualLines holds groups against a map of lines. Of an access that the chain does not have the
// addresses are those of a chain before.
func TestGroupsAreTheLanesOfEqualLines(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for range 2000 {
		a := attempt{chain: &chain{loads: 1 + r.IntN(2), stores: r.IntN(2) == 0}}
		var addresses [3][32]uint64
		width := []uint8{1, 2, 4}[r.IntN(3)]
		for k := range addresses {
			a.accesses[k].LaneBytes = width
			for lane := range 32 {
				addresses[k][lane] = uint64(k)<<20 + uint64(r.IntN(512))
			}
		}
		lines := func(lane int) (of [3]uint64) {
			for k := range addresses {
				if a.uses(k) {
					of[k] = addresses[k][lane] / 128
				}
			}
			return of
		}
		byLines := map[[3]uint64]uint32{}
		mask := r.Uint32()
		for m := mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			byLines[lines(lane)] |= 1 << lane
		}
		groups := 0
		for todo := mask; todo != 0; groups++ {
			lane := bits.TrailingZeros32(todo)
			group, whole := a.group(&addresses, lane, todo, new([3]coalesce.Transaction))
			if want := byLines[lines(lane)]; group != want {
				t.Fatalf("lane %d is with %032b, want %032b", lane, group, want)
			}
			crosses := false
			for m := group; m != 0; m &= m - 1 {
				for k := range addresses {
					crosses = crosses || a.uses(k) && int(addresses[k][bits.TrailingZeros32(m)]%128)+int(width) > 128
				}
			}
			if whole == crosses {
				t.Fatalf("group %032b: whole is %v, crosses is %v", group, whole, crosses)
			}
			todo &^= group
		}
		if groups != len(byLines) {
			t.Fatalf("%d groups of %d triples of lines", groups, len(byLines))
		}
	}
}
