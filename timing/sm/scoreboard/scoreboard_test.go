// SPDX-License-Identifier: Apache-2.0

package scoreboard

import (
	"slices"
	"testing"
)

// The sets of a program with registers 3 and 4 (word 0), 70 (word 1) and 130 (word 2).
var (
	parts []Part
	three = set(3)
	both  = set(3, 70)
	last  = set(70)
	four  = set(4)
	wide  = set(4, 70, 130)
	none  = set()
)

func set(registers ...int) (s Set) {
	row := make([]uint64, 3)
	for _, r := range registers {
		row[r/64] |= 1 << (r % 64)
	}
	s, parts = Gather(row, parts)
	return s
}

func board() *Board {
	b := new(Board)
	b.Begin(4, 3, parts)
	return b
}

// Each reservation holds the instructions that use a register of it, whatever for, and
// no others, of its own warp alone, until it is released.
func TestAReservedRegisterHoldsThoseThatUseIt(t *testing.T) {
	for _, c := range []struct {
		name             string
		reserve, release func(*Board, int, Set)
		check            func(*Board, int, Set) Hazard
		want             Hazard
	}{
		{"result", (*Board).ReserveUnit, (*Board).ReleaseUnit, (*Board).Check, Unit},
		{"load", (*Board).ReserveLoad, (*Board).ReleaseLoad, (*Board).Check, Memory},
		{"read", (*Board).ReserveRead, func(b *Board, w int, _ Set) { b.ReleaseReads(w) }, (*Board).CheckReads, Unread},
	} {
		b := board()
		c.reserve(b, 2, both)
		for _, x := range []struct {
			w    int
			set  Set
			want Hazard
		}{{2, three, c.want}, {2, both, c.want}, {2, last, c.want}, {2, wide, c.want}, {2, four, None}, {2, none, None}, {1, both, None}, {3, both, None}} {
			if got := c.check(b, x.w, x.set); got != x.want {
				t.Errorf("%s of warp 2 reserved, warp %d, set %v: hazard %d, want %d", c.name, x.w, x.set, got, x.want)
			}
		}
		c.release(b, 2, both)
		if got := c.check(b, 2, wide); got != None {
			t.Errorf("%s released: hazard %d of another set", c.name, got)
		}
		if got := c.check(b, 2, both); got != None {
			t.Errorf("%s released: hazard %d", c.name, got)
		}
	}
}

// Every register of a set is in it, in whichever word, and no other.
func TestASetHasTheRegistersOfItsRow(t *testing.T) {
	for _, row := range [][]uint64{{0}, {5}, {0, 9}, {0, 0, 1}, {1, 0, 2}, {1 << 63, 1, 7}} {
		s, parts := Gather(row, []Part{{8, 8}})
		got := make([]uint64, len(row))
		for p := range s.All(parts) {
			got[p.Word] |= p.Mask
		}
		if !slices.Equal(got, row) || s.Empty() != (slices.Max(row) == 0) {
			t.Errorf("of %v the set has %v; empty: %v", row, got, s.Empty())
		}
	}
}

// A part of a set that is released leaves the rest reserved.
func TestRegistersAreReleasedOneByOne(t *testing.T) {
	b := board()
	b.ReserveLoad(0, both)
	b.ReleaseLoad(0, three)
	if b.Check(0, three) != None || b.Check(0, both) != Memory {
		t.Errorf("after the release of one of two: %d and %d", b.Check(0, three), b.Check(0, both))
	}
}

// A load is the farther reason, in whichever word it is.
func TestALoadGoesBeforeAUnitAsAReason(t *testing.T) {
	b := board()
	b.ReserveUnit(1, three)
	b.ReserveLoad(1, last)
	if got := b.Check(1, both); got != Memory {
		t.Errorf("hazard %d, want that of the load", got)
	}
	b.ReleaseLoad(1, last)
	if got := b.Check(1, both); got != Unit {
		t.Errorf("hazard %d, want that of the unit", got)
	}
}

// A write by a load does not release one by a unit, or the other way round.
func TestUnitsAndLoadsReserveApart(t *testing.T) {
	b := board()
	b.ReserveUnit(0, three)
	b.ReleaseLoad(0, three)
	if b.Check(0, three) != Unit {
		t.Error("a load's write released a unit's")
	}
	b = board()
	b.ReserveLoad(0, three)
	b.ReleaseUnit(0, three)
	if b.Check(0, three) != Memory {
		t.Error("a unit's write released a load's")
	}
}

func TestANewProgramFindsNothingReserved(t *testing.T) {
	b := board()
	for w := range 4 {
		b.ReserveUnit(w, both)
		b.ReserveLoad(w, both)
		b.ReserveRead(w, both)
	}
	b.Begin(4, 3, parts)
	for w := range 4 {
		if b.Check(w, both) != None || b.CheckReads(w, both) != None {
			t.Errorf("warp %d: %d, %d", w, b.Check(w, both), b.CheckReads(w, both))
		}
	}
}
