// SPDX-License-Identifier: Apache-2.0

package tracetest

import (
	"slices"
	"strconv"
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

// Each kind has its number in a draw, however many it has of all, and all are there at night.
func TestADrawOfEachHasEveryKind(t *testing.T) {
	t.Setenv(wholeVariable, "")
	parity := func(x int) int { return x % 3 }
	all := []int{1, 3, 4, 2, 6, 7, 9, 12, 10}
	for seed := range 50 {
		t.Setenv(seedVariable, strconv.Itoa(seed))
		of := map[int]int{}
		for _, x := range DrawOfEach(t, all, 2, parity) {
			of[parity(x)]++
		}
		if of[0] != 2 || of[1] != 2 || of[2] != 1 {
			t.Fatalf("seed %d draws %v of the kinds", seed, of)
		}
	}
	t.Setenv(wholeVariable, "1")
	if got := DrawOfEach(t, all, 2, parity); len(got) != len(all) {
		t.Errorf("at night it gives %v", got)
	}
}

func TestFewerAreManyInLongRunsAndAtNight(t *testing.T) {
	for _, c := range []struct {
		night, long string
		want        int
	}{{"", "", 2}, {"", "1", 9}, {"1", "", 9}} {
		t.Setenv(wholeVariable, c.night)
		t.Setenv(longVariable, c.long)
		if got := Fewer(2, 9); got != c.want {
			t.Errorf("%d with %+v", got, c)
		}
	}
}
