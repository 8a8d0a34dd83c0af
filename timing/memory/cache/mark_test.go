// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/arch"
)

// A mark stays until it is taken off or its line leaves.
func TestAMarkIsOfALine(t *testing.T) {
	tags := NewTags(&arch.Cache{Bytes: 2 * 128, Ways: 2, LineBytes: 128, SectorBytes: 32, Index: "linear"})
	put := func(line uint64) int {
		i := tags.Victim(line)
		tags.Replace(i, line)
		return i
	}
	a, b := put(0), put(128)
	tags.Mark(a)
	if !tags.Marked(a) || tags.Marked(b) {
		t.Errorf("marks: %t of the line that has one, %t of the other", tags.Marked(a), tags.Marked(b))
	}
	tags.Unmark(a)
	if tags.Marked(a) {
		t.Error("a mark that was taken off is there")
	}
	tags.Mark(a)
	if i := put(256); i != a || tags.Marked(i) {
		t.Errorf("another line at index %d of %d has the mark: %t", i, a, tags.Marked(i))
	}
	tags.Mark(a)
	if tags.Drop(a); tags.Marked(a) {
		t.Error("a line that is not there is marked")
	}
}

// linesOf gives the lines that are there.
func linesOf(tags *Tags) map[uint64]bool {
	there := map[uint64]bool{}
	for i := range tags.Len() {
		if tags.Present(i) {
			there[tags.Address(i)] = true
		}
	}
	return there
}

// goes performs a change of tags. It checks that of all lines the one at index named goes, and no other.
func goes(t *testing.T, tags *Tags, named int, change func()) {
	t.Helper()
	before, gone := linesOf(tags), ^uint64(0)
	if named >= 0 {
		if !tags.Present(named) {
			t.Fatalf("no line is at index %d, which makes room", named)
		}
		gone = tags.Address(named)
	}
	change()
	after := linesOf(tags)
	for l := range before {
		if after[l] == (l == gone) {
			t.Fatalf("line %#x is there: %t; the line to go was %#x", l, after[l], gone)
		}
	}
}

// Leaves names the line that is gone when another has taken its place, Displaces the one that
// is gone when sectors have come. With -1 none is.
func TestLinesThatMakeRoomAreNamed(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 28))
	for _, c := range []arch.Cache{{Allocate: "on_miss", MSHRs: 2}, {Allocate: "on_fill", MSHRs: 1}, {Allocate: "on_fill", MSHRs: 3}} {
		c.Bytes, c.Ways, c.LineBytes, c.SectorBytes, c.Index = 2*2*128, 2, 128, 32, "linear"
		tags := NewTags(&c)
		leave, displaced := 0, 0
		for range 1000 {
			line := r.Uint64N(12) * 128
			if i := tags.Find(line); i >= 0 && r.IntN(4) == 0 {
				tags.Drop(i)
				continue
			}
			i := tags.Find(line)
			if i < 0 {
				named := tags.Leaves(line)
				leave += min(named+1, 1)
				goes(t, tags, named, func() {
					i = tags.Victim(line)
					tags.Replace(i, line)
				})
			}
			// Two sectors come, one behind the other or both at once.
			parts := []Sectors{3}
			if r.IntN(2) == 0 {
				parts = []Sectors{1, 2}
			}
			tags.Await(i, 0, 0)
			tags.Await(i, 1, 1)
			for _, coming := range parts {
				named := tags.Displaces(i, coming)
				displaced += min(named+1, 1)
				goes(t, tags, named, func() {
					for sector := range 2 {
						if coming>>sector&1 != 0 {
							tags.Fill(i, sector)
						}
					}
					tags.Settle(i)
				})
			}
		}
		if (leave > 100) == (c.Allocate == "on_fill") || (displaced > 100) == (c.Allocate == "on_miss") {
			t.Errorf("%s: %d lines leave, %d are displaced", c.Allocate, leave, displaced)
		}
	}
}

// A marked line makes room when sectors of its own come, for one that had waited for a place. It is counted
// once.
func TestAMarkedLineIsLostToOneThatWaited(t *testing.T) {
	for _, marks := range []bool{false, true} {
		tags := NewTags(&arch.Cache{Bytes: 128, Ways: 1, LineBytes: 128, SectorBytes: 32, Index: "linear", Allocate: "on_fill", MSHRs: 4})
		come := func(line uint64, sector int) {
			i := tags.Find(line)
			tags.Fill(i, sector)
			tags.Settle(i)
		}
		for _, line := range []uint64{0, 128} {
			i := tags.Victim(line)
			tags.Replace(i, line)
			tags.Await(i, 0, 0)
		}
		come(0, 0)
		tags.Await(tags.Find(0), 1, 0)
		if marks {
			tags.Mark(tags.Find(0))
		}
		come(128, 0) // it waits
		come(0, 1)
		want := 0
		if marks {
			want = 1
		}
		if first, again := tags.TakeLost(), tags.TakeLost(); first != want || again != 0 || tags.Find(0) >= 0 {
			t.Errorf("marked: %t; %d lines are lost, and then %d", marks, first, again)
		}
	}
}
