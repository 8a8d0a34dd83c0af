// SPDX-License-Identifier: Apache-2.0

package coalesce

import (
	"math/rand/v2"
	"testing"
)

// wide is a read of all lanes, whose addresses a function gives.
func wide(bytes int, address func(lane int) uint64) *Warp {
	var lanes [32]uint64
	for i := range lanes {
		lanes[i] = address(i)
	}
	return &Warp{Mask: ^uint32(0), LaneBytes: bytes, Addresses: &lanes}
}

// TestWideReadsOfOneAddressAreOneWavefront has the published cases: profiles of Parboil's sgemm on a
// V100 count a wavefront for four words that all lanes read. Pairs of lanes at one address halve the
// requests; without pairs each register of all lanes is one.
func TestWideReadsOfOneAddressAreOneWavefront(t *testing.T) {
	b := Banks{Count: 32, WordBytes: 4, Packed: true}
	for _, c := range []struct {
		name   string
		w      *Warp
		cycles int
		packed bool
	}{
		{"four words of all lanes", wide(16, func(int) uint64 { return 64 }), 1, true},
		{"two words of all lanes", wide(8, func(int) uint64 { return 8 }), 1, true},
		{"four words a pair", wide(16, func(i int) uint64 { return uint64(i / 2 * 16) }), 2, true},
		{"two words a pair", wide(8, func(i int) uint64 { return uint64(i / 2 * 8) }), 1, true},
		{"four words of lanes two apart", wide(16, func(i int) uint64 { return uint64(i&1+i>>2*2) * 16 }), 2, true},
		{"four words a pair, in the same banks", wide(16, func(i int) uint64 { return uint64(i / 2 * 128) }), 16, true},
		{"four words a lane", wide(16, func(i int) uint64 { return uint64(i * 16) }), 4, false},
		{"two words a lane", wide(8, func(i int) uint64 { return uint64(i * 8) }), 2, false},
		{"four words of lanes four apart", wide(16, func(i int) uint64 { return uint64(i&3) * 16 }), 4, false},
		{"a word of all lanes", wide(4, func(int) uint64 { return 64 }), 1, false},
	} {
		if cycles, packed := b.Read(c.w); cycles != c.cycles || packed != c.packed {
			t.Errorf("%s: %d wavefronts, packed %v; want %d, %v", c.name, cycles, packed, c.cycles, c.packed)
		}
		apart := b
		apart.Packed = false
		if cycles, packed := apart.Read(c.w); packed || cycles != b.Cycles(c.w, false) {
			t.Errorf("%s, where nothing is packed: %d wavefronts, packed %v", c.name, cycles, packed)
		}
	}
}

// TestPackedReadsAreThoseOfTheirTwin compares random reads with the rule in so many words, and
// with what Conflicts remembers; atomics and stores come in between.
func TestPackedReadsAreThoseOfTheirTwin(t *testing.T) {
	packs, remembered := 0, 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 64))
		b := Banks{Count: 1 << rng.IntN(8), WordBytes: 4 << rng.IntN(2), Packed: true}
		var c Conflicts
		for range 300 {
			unit, apart := uint64(4<<rng.IntN(4)), 1<<rng.IntN(3)
			w := wide(4<<rng.IntN(3), func(lane int) uint64 { return uint64(lane&^apart) * unit })
			if rng.IntN(3) == 0 {
				w.Addresses[rng.IntN(32)] += 2 << rng.IntN(8)
			}
			if rng.IntN(3) == 0 {
				w.Mask = rng.Uint32() | 1
			}
			if rng.IntN(6) == 0 {
				w = &Warp{Mask: w.Mask, LaneBytes: w.LaneBytes, Strided: true, Base: 4 * rng.Uint64N(64), Stride: int64(4 * rng.IntN(3))}
			}
			if rng.IntN(4) == 0 {
				if got, want := c.Cycles(b, w, false), b.Cycles(w, false); got != want {
					t.Fatalf("seed %d: a store takes %d wavefronts, not %d: %+v", seed, got, want, w)
				}
				continue
			}
			if k := &c.known; !w.Strided && k[place(w.Addresses)].reads && k[place(w.Addresses)].matches(w.Addresses) {
				remembered++
			}
			cycles, packed := b.Read(w)
			wantCycles, wantPacked := readTwin(b, w)
			if cycles != wantCycles || packed != wantPacked {
				t.Fatalf("seed %d: %+v: %d wavefronts, packed %v; the twin has %d, %v", seed, w, cycles, packed, wantCycles, wantPacked)
			}
			if cycles, packed = c.Read(b, w); cycles != wantCycles || packed != wantPacked {
				t.Fatalf("seed %d: %+v: %d wavefronts, packed %v are remembered; want %d, %v", seed, w, cycles, packed, wantCycles, wantPacked)
			}
			if packed {
				packs++
			}
		}
	}
	if packs < 1000 || remembered < 100 {
		t.Errorf("%d packed reads, %d remembered", packs, remembered)
	}
}

// readTwin is Read in so many words.
func readTwin(b Banks, w *Warp) (cycles int, packed bool) {
	words := w.LaneBytes / b.WordBytes
	same := func(apart int) bool {
		for i := range 32 {
			if w.Mask>>i&1 != 0 && w.Mask>>(i^apart)&1 != 0 && w.Address(i) != w.Address(i^apart) {
				return false
			}
		}
		return true
	}
	for i := range 32 {
		if w.Mask>>i&1 != 0 && w.Address(i)%uint64(b.WordBytes) != 0 {
			return byWord(b, w, false), false
		}
	}
	if words != 2 && words != 4 || !same(1) && !same(2) {
		return byWord(b, w, false), false
	}
	banks := map[uint64]map[uint64]bool{}
	for i := range 32 {
		for n := range words {
			if word := w.Address(i)/uint64(b.WordBytes) + uint64(n); w.Mask>>i&1 != 0 {
				bank := word % uint64(b.Count)
				if banks[bank] == nil {
					banks[bank] = map[uint64]bool{}
				}
				banks[bank][word] = true
				cycles = max(cycles, len(banks[bank]))
			}
		}
	}
	return max(cycles, 1), true
}
