// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// TestPartsOfLinesAreTheirBytes compares with bit by bit.
func TestPartsOfLinesAreTheirBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		size := 16 << random.IntN(4)
		part := seam.LinePart{Address: random.Uint64N(1<<40) &^ uint64(size-1), HalfWords: random.Uint64() & random.Uint64()}
		if random.IntN(4) == 0 {
			part.HalfWords = ^uint64(0)
		}
		if size < 128 {
			part.HalfWords &= 1<<(size/2) - 1
		}
		var want cache.Bytes
		for i := range size {
			if part.HalfWords>>(i/2)&1 != 0 {
				want = want.Or(cache.Range(int(part.Address%128)+i, 1))
			}
		}
		if got := bytesOf(part); got != want {
			t.Fatalf("%+v: %x, want %x", part, got, want)
		}
	}
}

// TestLinesOfTheScratchpadTakeTheirBusiestBank counts word by word.
func TestLinesOfTheScratchpadTakeTheirBusiestBank(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		r := newRig(t, machine(t, []string{"gpsim-tiny", "gtx480"}[random.IntN(2)], nil))
		size := 32 << random.IntN(3)
		a := seam.MemoryAccess{Class: trace.ClassLoad, Space: trace.SpaceShared, Mask: 1, Token: 1}
		load, words := map[int]int{}, 0
		for _, n := range random.Perm(40)[:1+random.IntN(20)] {
			l := seam.LinePart{Address: uint64(n * size), HalfWords: ^uint64(0) >> (64 - size/2)}
			if random.IntN(3) == 0 {
				l.HalfWords &= random.Uint64() | 1
			}
			a.Lines = append(a.Lines, l)
			for at := 0; at < size; at += 4 {
				if l.HalfWords>>(at/2)&3 != 0 {
					load[(n*size+at)/4%r.m.Shared.Banks]++
					words++
				}
			}
		}
		busiest := 0
		for _, n := range load {
			busiest = max(busiest, n)
		}
		r.issue(0, a)
		r.drain()
		if got := r.sets[0][counters.SharedConflictCycles]; got != uint64(busiest-1) || r.sets[0][counters.SharedLaneRead] != uint64(words) {
			t.Fatalf("%d lines: %d extra cycles and %d words, want %d and %d", len(a.Lines), got, r.sets[0][counters.SharedLaneRead], busiest-1, words)
		}
	}
}
