// SPDX-License-Identifier: Apache-2.0

package coalesce

import (
	"math/rand/v2"
	"testing"
)

// drawLanes draws the addresses of 32 lanes: tiles, anything, or one word for several lanes.
func drawLanes(rng *rand.Rand) (lanes [32]uint64) {
	row, wide, unit := uint64(rng.IntN(200)), 1<<rng.IntN(6), uint64(1+rng.IntN(8))
	kind := rng.IntN(3)
	for i := range lanes {
		switch kind {
		case 0:
			lanes[i] = uint64(i/wide)*row + uint64(i%wide)*unit
		case 1:
			lanes[i] = uint64(rng.IntN(1 << 12))
		case 2:
			lanes[i] = uint64(rng.IntN(3)) * row * unit
		}
	}
	return lanes
}

// TestConflictsAreThoseOfBanks lets few arrangements come again and again: at other addresses,
// changed in one lane, in other masks, and around the end of the addresses.
func TestConflictsAreThoseOfBanks(t *testing.T) {
	remembered := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 4))
		b := Banks{Count: 1 << rng.IntN(8), WordBytes: 4 << rng.IntN(2)}
		laneBytes := 1 << rng.IntN(5)
		var c Conflicts
		var kinds [5][32]uint64
		for i := range kinds {
			kinds[i] = drawLanes(rng)
		}
		for range 300 {
			lanes := kinds[rng.IntN(len(kinds))]
			if rng.IntN(4) == 0 {
				lanes[rng.IntN(32)] ^= 1 << rng.IntN(10)
			}
			base := uint64(rng.IntN(1<<20)) &^ (uint64(1)<<rng.IntN(4) - 1)
			if rng.IntN(8) == 0 {
				base = -uint64(rng.IntN(300))
			}
			for i := range lanes {
				lanes[i] += base
			}
			w := Warp{Mask: ^uint32(0), LaneBytes: laneBytes, Addresses: &lanes}
			if rng.IntN(8) == 0 {
				w.LaneBytes = 1 << rng.IntN(5)
			}
			if rng.IntN(4) == 0 {
				w.Mask = rng.Uint32()
			}
			serial := rng.IntN(3) == 0
			if k := &c.known[place(&lanes)]; k.laneBytes == w.LaneBytes && k.matches(&lanes) {
				remembered++
			}
			if got, want := c.Cycles(b, &w, serial), b.Cycles(&w, serial); got != want {
				t.Fatalf("seed %d: %+v: %d cycles, not %d, of %d bytes at %v in %#x, serial %v", seed, b, got, want, w.LaneBytes, lanes, w.Mask, serial)
			}
		}
	}
	if remembered < 1000 {
		t.Errorf("%d arrangements came again", remembered)
	}
}

// Lanes of one word are served together, of two words in halves of the warp, of four in quarters. Parts without a lane take no wavefront, and
// an access without one takes one.
func TestPartsAreThoseOfTheWarpThatHaveLanes(t *testing.T) {
	b := Banks{Count: 32, WordBytes: 4}
	for _, c := range []struct {
		bytes int
		mask  uint32
		want  int
	}{
		{1, ^uint32(0), 1}, {4, ^uint32(0), 1}, {8, ^uint32(0), 2}, {16, ^uint32(0), 4}, {32, ^uint32(0), 8},
		{4, 0, 1}, {16, 0, 1}, {8, 0xffff, 1}, {8, 0xffff0000, 1}, {8, 1<<15 | 1<<16, 2},
		{16, 0x000000ff, 1}, {16, 0xff000000, 1}, {16, 1<<7 | 1<<31, 2}, {16, 0x01010101, 4}, {128, 0x80000001, 2}, {255, 1 << 31, 1},
	} {
		if got := b.Parts(&Warp{Mask: c.mask, LaneBytes: c.bytes}); got != c.want {
			t.Errorf("%d bytes of lanes %08x: %d parts, want %d", c.bytes, c.mask, got, c.want)
		}
	}
}
