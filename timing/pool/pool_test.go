// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"math/rand/v2"
	"testing"
)

// TestEntriesInUseHaveDifferentIndexes takes and gives back at random.
func TestEntriesInUseHaveDifferentIndexes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, p := range []Pool[int]{{}, Of[int](3)} {
		taken := map[int32]int{}
		deepest := 0
		for n := range 5000 {
			if random.IntN(2) == 0 {
				i := p.Take()
				if _, ok := taken[i]; ok {
					t.Fatalf("entry %d is taken twice", i)
				}
				p.Items[i], taken[i] = n, n
				deepest = max(deepest, len(taken))
			} else {
				for i, want := range taken {
					if p.Items[i] != want {
						t.Fatalf("entry %d holds %d, want %d", i, p.Items[i], want)
					}
					p.Release(i)
					delete(taken, i)
					break
				}
			}
			if p.Used() != len(taken) {
				t.Fatalf("%d entries in use, want %d", p.Used(), len(taken))
			}
		}
		if len(p.Items) != deepest {
			t.Errorf("%d entries exist, at most %d were in use", len(p.Items), deepest)
		}
	}
}
