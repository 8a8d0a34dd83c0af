// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"math/rand/v2"
	"testing"
)

// TestHoldingsOfTheSameContentsBecomeOne: each thread keeps its contents, and there is one
// holding of each, also where several pairs are alike.
func TestHoldingsOfTheSameContentsBecomeOne(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		var u uppers
		var of [Lanes]uint32
		for rest := ^uint32(0); rest != 0; {
			x := holding{rest & (r.Uint32() | rest&-rest), r.Uint32N(6)}
			rest &^= x.lanes
			for l := range of {
				if x.lanes>>l&1 != 0 {
					of[l] = x.contents
				}
			}
			u = append(u, x)
		}
		seen, all := map[uint32]bool{}, uint32(0)
		for _, x := range u.merge() {
			if seen[x.contents] || x.lanes == 0 || x.lanes&all != 0 {
				t.Errorf("seed %d: %08x have contents %d, which others have, or none, or lanes of others", seed, x.lanes, x.contents)
			}
			seen[x.contents] = true
			all |= x.lanes
			for l := range of {
				if x.lanes>>l&1 != 0 && of[l] != x.contents {
					t.Errorf("seed %d: lane %d has contents %d, want %d", seed, l, x.contents, of[l])
				}
			}
		}
		if all != ^uint32(0) {
			t.Errorf("seed %d: lanes %08x have contents", seed, all)
		}
	}
}
