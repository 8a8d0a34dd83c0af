// SPDX-License-Identifier: Apache-2.0

package eventqueue

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/clock"
)

// Events come in the order of their cycles, those of one cycle in the order in which they were put: as a
// stable sort has them. A queue that has been cleared begins again.
func TestEventsComeInOrder(t *testing.T) {
	type event struct {
		at   clock.Cycle
		step int
	}
	r := rand.New(rand.NewPCG(1, 1))
	var q Queue[event]
	var all []event
	for step := range 8000 {
		if r.IntN(2000) == 0 {
			q.Clear()
			all = nil
		}
		if r.IntN(5) < 3 {
			e := event{clock.Cycle(r.IntN(50)), step}
			q.Put(e.at, e)
			all = append(all, e)
			continue
		}
		if len(all) == 0 {
			if q.Due() != clock.Never {
				t.Fatalf("step %d: due at %d without an event", step, q.Due())
			}
			continue
		}
		slices.SortStableFunc(all, func(x, y event) int { return int(x.at - y.at) })
		if q.Due() != all[0].at {
			t.Fatalf("step %d: due at %d, want %d", step, q.Due(), all[0].at)
		}
		if got := q.Take(); got != all[0] {
			t.Fatalf("step %d: took %+v, want %+v", step, got, all[0])
		}
		all = all[1:]
	}
}

func TestAQueueAllocatesOnlyWhenItGrows(t *testing.T) {
	var q Queue[int]
	fill := func() {
		for i := range 20 {
			q.Put(clock.Cycle(i*7%20), i)
		}
		for range 10 {
			q.Take()
		}
		q.Clear()
	}
	fill()
	if n := testing.AllocsPerRun(100, fill); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkQueue isolates taking an event and putting another, at queues that hold so many.
func BenchmarkQueue(b *testing.B) {
	for _, held := range []int{1, 8, 64, 512} {
		b.Run(fmt.Sprint(held), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			var ahead [1024]clock.Cycle
			for i := range ahead {
				ahead[i] = clock.Cycle(r.IntN(400))
			}
			var q Queue[uint64]
			for i := range held {
				q.Put(ahead[i], uint64(i))
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				at := q.Due()
				q.Put(at+ahead[i%len(ahead)], q.Take())
			}
		})
	}
}
