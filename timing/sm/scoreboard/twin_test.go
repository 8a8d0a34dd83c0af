// SPDX-License-Identifier: Apache-2.0

package scoreboard

import (
	"math/rand/v2"
	"testing"
)

// A board of sets that lie in up to four words answers as one that notes each register by itself does.
func TestTheBoardAsANoteOfEachRegister(t *testing.T) {
	const warps, words = 3, 4
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 23))
		var parts []Part
		sets, rows := make([]Set, 12), make([][words]uint64, 12)
		for i := range sets {
			for word := range words {
				if random.IntN(2) == 0 {
					rows[i][word] = random.Uint64() & random.Uint64() & random.Uint64()
				}
			}
			sets[i], parts = Gather(rows[i][:], parts)
		}
		var b Board
		for range 2 { // the second time in the memory of the first
			b.Begin(warps, words, parts)
			var units, loads, unread [warps][words]uint64
			change := func(of *[words]uint64, row [words]uint64, set bool) {
				for word, mask := range row {
					if of[word] &^= mask; set {
						of[word] |= mask
					}
				}
			}
			meets := func(of, row [words]uint64) (any bool) {
				for word, mask := range row {
					any = any || of[word]&mask != 0
				}
				return any
			}
			for range 300 {
				w, i := random.IntN(warps), random.IntN(len(sets))
				switch random.IntN(6) {
				case 0:
					b.ReserveUnit(w, sets[i])
					change(&units[w], rows[i], true)
				case 1:
					b.ReleaseUnit(w, sets[i])
					change(&units[w], rows[i], false)
				case 2:
					b.ReserveLoad(w, sets[i])
					change(&loads[w], rows[i], true)
				case 3:
					b.ReleaseLoad(w, sets[i])
					change(&loads[w], rows[i], false)
				case 4:
					b.ReserveRead(w, sets[i])
					change(&unread[w], rows[i], true)
				case 5:
					b.ReleaseReads(w)
					unread[w] = [words]uint64{}
				}
				w, i = random.IntN(warps), random.IntN(len(sets))
				want, late := None, None
				if meets(units[w], rows[i]) {
					want = Unit
				}
				if meets(loads[w], rows[i]) {
					want = Memory
				}
				if meets(unread[w], rows[i]) {
					late = Unread
				}
				if got, read := b.Check(w, sets[i]), b.CheckReads(w, sets[i]); got != want || read != late {
					t.Fatalf("seed %d: warp %d, registers %x: hazards %d and %d, want %d and %d", seed, w, rows[i], got, read, want, late)
				}
			}
		}
	}
}
