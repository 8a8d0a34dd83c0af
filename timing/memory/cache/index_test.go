// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
)

// The published function, bit by bit: index bit i is the xor of these address
// bits (Nugteren et al., HPCA 2014).
var fermiBits = [][]uint{{7, 13}, {8, 14}, {9, 15}, {10, 17}, {11, 19}, {12}}

func TestFermiIndexIsThePublishedXorOfAddressBits(t *testing.T) {
	for _, sets := range []int{32, 64} {
		tags := NewTags(&arch.Cache{Bytes: sets * 128, Ways: 1, LineBytes: 128, SectorBytes: 128, Index: "fermi"})
		index := func(address uint64) int {
			set := 0
			for i, from := range fermiBits {
				if 1<<i == sets {
					break
				}
				for _, b := range from {
					set ^= int(address>>b&1) << i
				}
			}
			return set
		}
		for bit := uint(7); bit < 40; bit++ {
			for _, other := range []uint64{0, 0xc000_0000, 0x12345 << 7} {
				address := uint64(1)<<bit ^ other
				if got, want := tags.set(address), index(address); got != want {
					t.Errorf("%d sets: address %#x is in set %d, want %d", sets, address, got, want)
				}
			}
		}
	}
}

func TestEveryIndexFunctionUsesAllSetsForConsecutiveLines(t *testing.T) {
	for _, name := range []string{"linear", "xor", "fermi"} {
		tags := NewTags(&arch.Cache{Bytes: 32 * 128, Ways: 1, LineBytes: 128, SectorBytes: 128, Index: name})
		seen := map[int]bool{}
		for i := range uint64(32) {
			seen[tags.set(0xc0de_0000+i*128)] = true
		}
		if len(seen) != 32 {
			t.Errorf("%s: 32 consecutive lines use %d sets", name, len(seen))
		}
	}
}

// Table 6.2 of the GPSim thesis has 6 MB in 32 ways of 64 bytes, 3072 sets. Consecutive lines
// of the whole size fill each set to its ways.
func TestModuloUsesSetsThatAreNoPowerOfTwo(t *testing.T) {
	const lines, sets, bytes = 6 << 20 / 64, 3072, 64
	tags := NewTags(&arch.Cache{Bytes: lines * bytes, Ways: 32, LineBytes: bytes, SectorBytes: bytes, Index: "modulo"})
	inSet := map[int]int{}
	for i := range uint64(lines) {
		address := 0x4000_0000 + i*bytes
		inSet[tags.set(address)]++
		if got, want := tags.set(address), int((0x4000_0000/bytes+i)%sets)*32; got != want {
			t.Fatalf("line %d is in the set at %d, want %d", i, got, want)
		}
	}
	if len(inSet) != sets {
		t.Errorf("%d sets are used, want %d", len(inSet), sets)
	}
	for set, n := range inSet {
		if n != 32 {
			t.Errorf("the set at %d has %d of the lines", set, n)
		}
	}
}
