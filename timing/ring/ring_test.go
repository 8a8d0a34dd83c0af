// SPDX-License-Identifier: Apache-2.0

package ring

import (
	"math/rand/v2"
	"testing"
)

func TestRingKeepsTheOrderOfASliceWhileItWrapsAndGrows(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	r := New[int](3)
	var want []int
	for i := range 20000 {
		if random.IntN(100) < 52 {
			if i%3 == 0 {
				*r.Add() = i
			} else {
				r.Push(i)
			}
			want = append(want, i)
		} else if len(want) > 0 {
			if i%3 == 0 {
				r.Drop()
			} else if got := r.Pop(); got != want[0] {
				t.Fatalf("step %d: popped %d, want %d", i, got, want[0])
			}
			want = want[1:]
		}
		if r.Len() != len(want) {
			t.Fatalf("step %d: length %d, want %d", i, r.Len(), len(want))
		}
		if len(want) > 0 {
			k := random.IntN(len(want))
			if *r.Head() != want[0] || *r.At(k) != want[k] {
				t.Fatalf("step %d: head %d, entry %d is %d; want %d, %d", i, *r.Head(), k, *r.At(k), want[0], want[k])
			}
		}
	}
}

func TestRingAllocatesOnlyWhenItGrows(t *testing.T) {
	r := New[int](4)
	if n := testing.AllocsPerRun(100, func() {
		for i := range 4 {
			r.Push(i)
		}
		for range 4 {
			r.Pop()
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
