// SPDX-License-Identifier: Apache-2.0

package wheel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/clock"
)

// TestWheelGivesEventsInTheirCycle compares the wheel with a plain list.
func TestWheelGivesEventsInTheirCycle(t *testing.T) {
	for _, span := range []int{1, 64, 300, 1024} {
		r := rand.New(rand.NewPCG(uint64(span), 1))
		w := New(span)
		size := len(w.heads)
		type planned struct {
			at     clock.Cycle
			detail uint32
		}
		var list []planned
		now, most := clock.Cycle(0), 0
		for step := range uint32(20000) {
			if r.IntN(3) > 0 {
				p := planned{now + 1 + clock.Cycle(r.IntN(size-1)), step}
				list = append(list, p)
				most = max(most, len(list))
				w.Put(p.at, Event{Detail: p.detail, Warp: uint8(step)})
				continue
			}
			next := clock.Never
			for _, p := range list {
				next = min(next, p.at)
			}
			if got := w.next(now); got != next {
				t.Fatalf("span %d, cycle %d: next event at %d, want %d", span, now, got, next)
			}
			if next == clock.Never {
				continue
			}
			if r.IntN(2) == 0 && next > now+1 { // something else wakes the SM earlier
				next = now + 1 + clock.Cycle(r.Int64N(int64(next-now-1)))
			}
			now = next
			var got, want []uint32
			for e, ok := w.Take(now); ok; e, ok = w.Take(now) {
				got = append(got, e.Detail)
				more := slices.ContainsFunc(list, func(p planned) bool { return p.at == now && !slices.Contains(got, p.detail) })
				if due := w.Due(); more != (due == now) || due < now {
					t.Fatalf("span %d, cycle %d: more events now %v, due in %d", span, now, more, due)
				}
			}
			list = slices.DeleteFunc(list, func(p planned) bool {
				if p.at == now {
					want = append(want, p.detail)
				}
				return p.at == now
			})
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("span %d, cycle %d: events %v, want %v", span, now, got, want)
			}
		}
		if len(w.events) > most {
			t.Errorf("span %d: %d places for %d events at most", span, len(w.events), most)
		}
		if w.count != len(list) {
			t.Errorf("span %d: %d events left, want %d", span, w.count, len(list))
		}
	}
}

// BenchmarkWheel isolates adding and taking one event.
func BenchmarkWheel(b *testing.B) {
	w := New(512)
	now := clock.Cycle(0)
	for range b.N {
		w.Put(now+10, Event{Detail: 1, Warp: 3})
		now++
		w.Take(now)
	}
}
