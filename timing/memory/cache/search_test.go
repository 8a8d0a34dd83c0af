// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestWaysAreSearchedAsByTheObviousLoop(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		list := make([]uint64, random.IntN(18))
		for i := range list {
			list[i] = random.Uint64N(24)
		}
		value := random.Uint64N(24)
		if got, want := where(list, value), slices.Index(list, value); got != want {
			t.Fatalf("%d in %v is at %d, not at %d", value, list, want, got)
		}
		if got, want := least(list, value), slices.Min(append(list, value)); got != want {
			t.Fatalf("the least of %v and %d is %d, not %d", list, value, want, got)
		}
	}
}
