// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/arch"
)

// Whatever is locked and unlocked in whatever order, these hold. A locked line stays
// once it is there, at most all ways but one of a set are locked, and every line
// finds a place.
func TestLockedLinesStayAndLeaveAWayOfEachSet(t *testing.T) {
	for _, allocate := range []string{"", "on_fill"} {
		rng := rand.New(rand.NewPCG(2, 7))
		tags := NewTags(&arch.Cache{Bytes: 8 * 4 * 128, Ways: 4, LineBytes: 128, SectorBytes: 128, Index: "linear", Allocate: allocate, MSHRs: 4})
		held := map[uint64]int{}
		var order []uint64
		refused := 0
		for range 20000 {
			line := rng.Uint64N(128) * 128
			switch rng.IntN(3) {
			case 0:
				ways := 0
				for other, n := range held {
					if n > 0 && other != line && tags.set(other) == tags.set(line) {
						ways++
					}
				}
				if got, want := tags.Lock(line), held[line] > 0 || ways < 3; got != want {
					t.Fatalf("lock of %#x is %v with %d other lines of its set locked", line, got, ways)
				} else if got {
					held[line]++
					order = append(order, line)
				} else {
					refused++
				}
			case 1:
				if n := len(order); n > 0 {
					i := rng.IntN(n)
					tags.Unlock(order[i])
					held[order[i]]--
					order = append(order[:i], order[i+1:]...)
				}
			case 2:
				fetch(t, tags, held, line)
			}
			if tags.Locked(line) != (held[line] > 0) || tags.Locks() != len(order) {
				t.Fatalf("%#x is locked: %v, want %d of %d", line, tags.Locked(line), held[line], len(order))
			}
		}
		if refused == 0 {
			t.Error("no lock was ever refused")
		}
	}
}

// A lock that has been taken off cannot be taken off again.
func TestALineIsUnlockedAsOftenAsItIsLocked(t *testing.T) {
	tags := NewTags(&arch.Cache{Bytes: 4 * 128, Ways: 4, LineBytes: 128, SectorBytes: 128, Index: "linear"})
	tags.Lock(256)
	tags.Lock(256)
	tags.Unlock(256)
	if !tags.Locked(256) || tags.Locks() != 1 {
		t.Fatalf("locked twice and unlocked once: locked is %t, %d locks", tags.Locked(256), tags.Locks())
	}
	tags.Unlock(256)
	defer func() {
		if recover() == nil {
			t.Errorf("a third Unlock is taken for good; %d locks", tags.Locks())
		}
	}()
	tags.Unlock(256)
}

// fetch brings a line in, if it is not there, and checks that no locked line goes.
func fetch(t *testing.T, tags *Tags, held map[uint64]int, line uint64) {
	t.Helper()
	if i := tags.Find(line); i >= 0 {
		tags.Use(i)
		return
	}
	there := map[uint64]bool{}
	for locked, n := range held {
		there[locked] = n > 0 && tags.Find(locked) >= 0
	}
	i := tags.Victim(line)
	if i < 0 {
		t.Fatalf("no place for %#x", line)
	}
	tags.Replace(i, line)
	tags.Await(i, 0, 0)
	tags.Fill(i, 0)
	tags.Settle(i)
	for locked, was := range there {
		if was && tags.Find(locked) < 0 {
			t.Fatalf("the locked line %#x went for %#x", locked, line)
		}
	}
}
