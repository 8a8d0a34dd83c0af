// SPDX-License-Identifier: Apache-2.0

package lanecode

import "testing"

// The context of a lane is its key, modulo 32: of the map the units of the companion's address in the same warp, of
// the successor the lane's last units in it. Lanes without one have context 0.
func TestContextsAreKeysOfTheSameWarp(t *testing.T) {
	const some = 0x00ff00f0
	for _, noted := range []uint32{AllWarpLanes, some} {
		var addresses, units [WarpLanes]uint64
		for l := range addresses {
			units[l] = 40 + 3*uint64(l)
			addresses[l] = units[l]<<2 + 1
		}
		w := &Watch{Warp: -1}
		w.Note(3, noted, &addresses)
		companions, successors := &Model{}, &Model{}
		companions.StartKeys(ModelMap, w, 2)
		successors.Start(ModelSuccessor, 64, nil, 0, 0)
		codes := units
		successors.Codes(3, noted, &codes)
		for _, warp := range []int{3, 4, 3} { // a warp that comes back begins anew
			for kind, m := range map[string]*Model{"map": companions, "successor": successors} {
				var got [WarpLanes]uint8
				m.KeyContexts(warp, &got)
				for l := range got {
					want := uint8(0)
					if noted>>l&1 != 0 && warp == 3 && (m == companions || m.seen != 0) {
						want = uint8(units[l] % 32)
					}
					if got[l] != want {
						t.Fatalf("%s, lanes %#x, warp %d: lane %d has context %d, want %d", kind, noted, warp, l, got[l], want)
					}
				}
			}
		}
		if successors.seen != 0 {
			t.Errorf("a warp that comes back has seen lanes %#x", successors.seen)
		}
	}
}

// The lowest lane of a strided access is where its mask begins.
func TestStridedLanesLieByTheirNumbers(t *testing.T) {
	a := Access{Base: 1000, Stride: -8, Lanes: -1, Mask: 1<<5 | 1<<9}
	if a.Lowest() != 960 || a.At(9, nil) != 928 || a.At(5, nil) != a.Lowest() {
		t.Errorf("lanes 5 and 9 are at %d and %d", a.Lowest(), a.At(9, nil))
	}
	if b := (Access{Base: 1000, Stride: 8, Lanes: 0, Mask: 1 << 5}); b.Lowest() != 1000 {
		t.Errorf("the lowest of explicit lanes is %d", b.Lowest())
	}
}
