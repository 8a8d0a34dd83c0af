// SPDX-License-Identifier: Apache-2.0

package tracetest

import (
	"slices"
	"testing"
)

// A draw has n different ones in their order, depends on its seed only, and each is drawn
// as often as another.
func TestADrawIsFairAndRepeats(t *testing.T) {
	all := []int{0, 1, 2, 3, 4, 5, 6}
	var drawn [7]int
	const seeds = 7000
	for seed := range uint64(seeds) {
		some := draw(all, 3, seed)
		if len(some) != 3 || !slices.IsSorted(some) || len(slices.Compact(slices.Clone(some))) != 3 {
			t.Fatalf("seed %d draws %v", seed, some)
		}
		if again := draw(all, 3, seed); !slices.Equal(some, again) {
			t.Fatalf("seed %d draws %v, then %v", seed, some, again)
		}
		for _, x := range some {
			drawn[x]++
		}
	}
	for x, n := range drawn {
		if n < 3000-200 || n > 3000+200 { // 3000 is the mean, 41 the standard deviation
			t.Errorf("%d was drawn %d times of %d", x, n, seeds)
		}
	}
}

func TestDrawGivesAllAtNight(t *testing.T) {
	t.Setenv(wholeVariable, "1")
	if all := Draw(t, []int{3, 1, 2}, 1); !slices.Equal(all, []int{3, 1, 2}) {
		t.Errorf("it gives %v", all)
	}
	t.Setenv(wholeVariable, "")
	t.Setenv(seedVariable, "5")
	if some := Draw(t, []int{3, 1, 2}, 1); !slices.Equal(some, draw([]int{3, 1, 2}, 1, 5)) {
		t.Errorf("it gives %v", some)
	}
}
