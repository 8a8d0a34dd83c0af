// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/memory/cache"
)

// nothingStays is a unit whose answers go by the network.
type nothingStays struct{}

func (nothingStays) stays(uint32) bool { return false }

// Accesses of a unit next to a cache and those of its input take turns at the tags, while
// both wait. Those by arrival pass the accesses of the input that came later, and no others.
func TestAUnitAndTheInputTakeTurnsOrGoByArrival(t *testing.T) {
	for _, c := range []struct {
		what string
		came []int64 // cycles before now in which accesses of the unit came, zero: in turn
		want []uint32
	}{
		{"in turn", []int64{0, 0, 0, 0}, []uint32{100, 0, 101, 1, 102, 2, 103, 3}},
		{"before the input's", []int64{9, 8, 8, 8}, []uint32{100, 101, 102, 103, 0, 1, 2, 3}},
		{"behind the input's", []int64{1, 1, 1, 1}, []uint32{0, 1, 2, 3, 100, 101, 102, 103}},
		{"among them", []int64{6, 5, 3, 1}, []uint32{0, 100, 101, 1, 102, 2, 3, 103}},
	} {
		if got := servedOrder(t, []int64{7, 4, 2, 2}, c.came); !slices.Equal(got, c.want) {
			t.Errorf("%s: served in order %d, want %d", c.what, got, c.want)
		}
	}
}

// servedOrder is that in which a cache serves hits of its input and of a unit next to it. Both
// are given by the cycles before now in which they came.
func servedOrder(t *testing.T, input, unit []int64) (order []uint32) {
	l := newLone(small(), 0)
	l.joins(nothingStays{})
	l.ask(read, 0, 32) // the sector is there
	l.settle(t)
	l.answered = nil
	now := l.now + 10 // so that all came after the first cycle
	for n, before := range unit {
		a := levelAccess{bytes: cache.Range(0, 32), origin: 100 + uint32(n), kind: read}
		if before > 0 {
			a.ready = now - before
		}
		l.near.Push(a)
	}
	for n, before := range input {
		l.input.Push(levelAccess{bytes: cache.Range(0, 32), origin: uint32(n), kind: read, ready: now - before})
	}
	l.now = now
	l.run(20)
	for _, a := range l.answered {
		order = append(order, a.Origin)
	}
	return order
}
