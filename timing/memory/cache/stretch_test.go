// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/arch"
)

// Stretches of random lines, tagged and not, over the ends of sets and larger than the
// cache: those that a look at every line index finds, in the same order.
func TestStretchesAreThoseOfALookAtEveryLine(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, index := range []string{"linear", "xor"} {
		for range 300 {
			tags := NewTags(&arch.Cache{Bytes: 8 << 10, Ways: 4, LineBytes: 64, SectorBytes: 64, Index: index})
			for range 200 {
				line := r.Uint64N(1<<16)&^63 | r.Uint64N(3)<<52
				if tags.Find(line) < 0 {
					tags.Replace(tags.Victim(line), line)
				}
			}
			mask := []uint64{^uint64(0), 1<<52 - 1, 0, r.Uint64() & r.Uint64()}[r.IntN(4)]
			first := r.Uint64N(1 << 16)
			last := first + r.Uint64N([]uint64{64, 4096, 1 << 16}[r.IntN(3)])
			if mask == 0 {
				first = r.Uint64N(2)
				last = 0
			}
			var want, got []int
			for i := range tags.Len() {
				if a := tags.Address(i) & mask; tags.Present(i) && a >= first && a <= last {
					want = append(want, i)
				}
			}
			from, end := tags.Span(mask, first, last)
			for i := tags.NextOf(from, end, mask, first, last); i < end; i = tags.NextOf(i+1, end, mask, first, last) {
				got = append(got, i)
			}
			if len(got) != len(want) {
				t.Fatalf("%s, mask %#x, %#x to %#x: %v, want %v", index, mask, first, last, got, want)
			}
			for k := range got {
				if got[k] != want[k] {
					t.Fatalf("%s, mask %#x, %#x to %#x: %v, want %v", index, mask, first, last, got, want)
				}
			}
		}
	}
}

// A page of 64 lines needs a look at 64 sets, not at all.
func TestAPageIsLookedForInItsSets(t *testing.T) {
	tags := NewTags(&arch.Cache{Bytes: 256 << 10, Ways: 16, LineBytes: 64, SectorBytes: 64, Index: "linear"})
	for _, mask := range []uint64{^uint64(0), 1<<52 - 1, 256*64 - 1} {
		if from, end := tags.Span(mask, 3<<12, 4<<12-1); from != 3*64*16 || end != 4*64*16 {
			t.Errorf("mask %#x: from %d to %d of %d", mask, from, end, tags.Len())
		}
	}
}

// A mask may have holes among the bits of the sets: what is one address under it lies in
// several sets, and is found in all of them.
func TestAMaskWithHolesIsLookedForInAllSets(t *testing.T) {
	const sets, line = 32, 64
	tags := NewTags(&arch.Cache{Bytes: sets * 2 * line, Ways: 2, LineBytes: line, SectorBytes: line, Index: "linear"})
	for i := range uint64(sets) {
		tags.Replace(tags.Victim(i*line), i*line)
	}
	const mask = ^uint64(line * (sets - 2)) // of the bits of the set number, the lowest
	for first, want := range map[uint64]int{0: sets / 2, line: sets / 2, 2 * line: 0} {
		found := 0
		from, end := tags.Span(mask, first, first)
		for i := tags.NextOf(from, end, mask, first, first); i < end; i = tags.NextOf(i+1, end, mask, first, first) {
			found++
		}
		if found != want {
			t.Errorf("%d lines are at %#x under the mask, want %d", found, first, want)
		}
	}
}
