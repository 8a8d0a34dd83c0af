// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"math/rand/v2"
	"testing"
)

// Waiters come and go in any order: each register is a queue.
func TestWaitersLeaveAsFromObviousQueues(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	const n, merges = 3, 4
	r := NewMSHRs(n, merges)
	want := map[int][]uint32{}
	for step := range uint32(20_000) {
		m := random.IntN(n)
		queue, taken := want[m]
		switch {
		case !taken && r.Free() > 0 && random.IntN(2) == 0:
			want[r.TakeFor(1, 2, step)] = []uint32{step}
		case !taken && r.Free() > 0:
			want[r.Take(1, 2)] = nil
		case !taken:
		case random.IntN(2) == 0 && r.CanMerge(m):
			r.Wait(m, step)
			want[m] = append(queue, step)
		case len(queue) == 0:
			if id, ok := r.Next(m); ok {
				t.Fatalf("%d has waited for register %d, which has no waiter", id, m)
			}
			r.Release(m)
			delete(want, m)
		default:
			if id, ok := r.Next(m); !ok || id != queue[0] || r.Waiters(m) != len(queue)-1 {
				t.Fatalf("the first for register %d is %d (%v), of %v; %d are left", m, id, ok, queue, r.Waiters(m))
			}
			want[m] = queue[1:]
		}
	}
}
