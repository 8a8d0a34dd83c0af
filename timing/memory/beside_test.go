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
// both wait.
func TestAUnitAndTheInputTakeTurns(t *testing.T) {
	l := newLone(small(), 0)
	l.joins(nothingStays{})
	l.ask(read, 0, 32) // the sector is there
	l.settle(t)
	l.answered = nil
	for n := range uint32(4) {
		hit := levelAccess{bytes: cache.Range(0, 32), ready: l.now + 1, kind: read}
		hit.origin = n
		l.input.Push(hit)
		hit.origin = 100 + n
		l.near.Push(hit)
	}
	l.run(20)
	var order []uint32
	for _, a := range l.answered {
		order = append(order, a.Origin)
	}
	if want := []uint32{100, 0, 101, 1, 102, 2, 103, 3}; !slices.Equal(order, want) {
		t.Errorf("served in order %d, want %d", order, want)
	}
}
