// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replacement"
)

// All lines of a set wait for sectors when one that waited in the fill buffer is complete. It has no
// place yet, can be read where it is, and comes in when one of the others is complete.
func TestALineWithoutAPlaceInItsSetStaysAside(t *testing.T) {
	tags := NewTags(&arch.Cache{Bytes: 2 * 128, Ways: 2, LineBytes: 128, SectorBytes: 32, Index: "linear", Allocate: "on_fill", MSHRs: 8})
	bring := func(line uint64) int {
		i := tags.Victim(line)
		tags.Replace(i, line)
		tags.Await(i, 0, 0)
		tags.Fill(i, 0)
		tags.Settle(i)
		return tags.Find(line)
	}
	first, second := bring(0), bring(128)
	tags.Await(first, 1, 1)
	tags.Await(second, 1, 2)
	third := bring(256)
	if third < 2 || tags.Valid(third)&1 == 0 {
		t.Fatalf("the third line is at index %d with sectors %b", third, tags.Valid(third))
	}
	tags.Fill(second, 1)
	tags.Settle(second)
	if i := tags.Find(256); i != second || tags.Valid(i)&1 == 0 {
		t.Errorf("the third line is at index %d, want %d", i, second)
	}
	if tags.Find(128) >= 0 || tags.Find(0) != first {
		t.Error("the second line is there still, or the first is lost")
	}
	if len(tags.fillBuffer.used) != 0 || len(tags.fillBuffer.free) != 8 || tags.fillBuffer.stuck {
		t.Errorf("places of the fill buffer: %v used, %v free, stuck %v", tags.fillBuffer.used, tags.fillBuffer.free, tags.fillBuffer.stuck)
	}
}

// Caches of every kind are filled to the brim with misses. What is on its way is never
// replaced, every line is found where it is and once, and in the end nothing waits.
func TestCachesFullOfMissesKeepTheirLines(t *testing.T) {
	for _, policy := range replacement.Policies.Names() {
		for _, allocate := range []string{"on_miss", "on_fill"} {
			for _, sector := range []int{32, 128} {
				c := &arch.Cache{Bytes: 4 * 3 * 128, Ways: 3, LineBytes: 128, SectorBytes: sector, Index: "xor", Allocate: allocate, Replacement: policy, MSHRs: 7}
				fillToTheBrim(t, NewTags(c), 128/sector, rand.New(rand.NewPCG(uint64(sector), 8)))
			}
		}
	}
}

// miss is a sector on its way.
type miss struct {
	line   uint64
	sector int
}

func fillToTheBrim(t *testing.T, tags *Tags, sectors int, r *rand.Rand) {
	t.Helper()
	var coming []miss
	for step := range 6000 {
		line, sector := uint64(r.IntN(40))*128, r.IntN(sectors)
		if i := tags.Find(line); len(coming) < 7 && (i < 0 || (tags.Valid(i)|tags.Pending(i))>>sector&1 == 0) {
			if i < 0 {
				if i = tags.Victim(line); i >= 0 {
					tags.Replace(i, line)
				}
			}
			if i >= 0 {
				tags.Await(i, sector, 0)
				coming = append(coming, miss{line, sector})
			}
		} else if i >= 0 && tags.Pending(i) == 0 && r.IntN(4) == 0 {
			tags.Drop(i)
		} else if i >= 0 {
			tags.Use(i)
		}
		if len(coming) > 0 && r.IntN(2) == 0 {
			coming = arrive(t, tags, coming, r.IntN(len(coming)))
		}
		if step%1000 == 999 {
			tags.Invalidate()
		}
		checkOnce(t, tags)
	}
	for len(coming) > 0 {
		coming = arrive(t, tags, coming, 0)
	}
	if tags.fillBuffer.on && (len(tags.fillBuffer.used) != 0 || len(tags.fillBuffer.free) != 7) {
		t.Errorf("nothing is on its way, and %d places of the fill buffer are taken", len(tags.fillBuffer.used))
	}
}

// arrive fills one of the sectors that are on their way.
func arrive(t *testing.T, tags *Tags, coming []miss, k int) []miss {
	t.Helper()
	m := coming[k]
	i := tags.Find(m.line)
	if i < 0 || tags.Pending(i)>>m.sector&1 == 0 {
		t.Fatalf("sector %d of line %#x is on its way and lost", m.sector, m.line)
	}
	tags.Fill(i, m.sector)
	tags.Settle(i)
	return append(coming[:k:k], coming[k+1:]...)
}

// checkOnce finds lines that are there twice, or cannot be found.
func checkOnce(t *testing.T, tags *Tags) {
	t.Helper()
	seen := map[uint64]bool{}
	for i := range tags.Len() {
		if !tags.Present(i) {
			continue
		}
		line := tags.Address(i)
		if seen[line] || tags.Find(line) != i {
			t.Fatalf("line %#x is at index %d, found at %d, twice: %v", line, i, tags.Find(line), seen[line])
		}
		seen[line] = true
	}
}

// Places of a fill buffer are taken in turn and given back in any order. A line of a set takes none.
func TestPlacesOfAFillBufferComeBack(t *testing.T) {
	a := fillBuffer{on: true, first: 8, free: []int32{8, 9, 10}}
	a.take(3)
	if len(a.free) != 3 || len(a.used) != 0 {
		t.Errorf("a line of a set takes a place: %v free, %v used", a.free, a.used)
	}
	for range 3 {
		a.take(a.next())
	}
	if a.next() != -1 || len(a.used) != 3 {
		t.Errorf("%v free, %v used", a.free, a.used)
	}
	for n, i := range []int{9, 10, 8} {
		if a.give(i); a.next() != i || len(a.free) != n+1 || len(a.used) != 2-n || slices.Contains(a.used, int32(i)) {
			t.Errorf("behind place %d: %v free, %v used", i, a.free, a.used)
		}
	}
	off := fillBuffer{first: 8}
	if off.take(9); len(off.used) != 0 {
		t.Error("a place is taken of no fill buffer")
	}
}
