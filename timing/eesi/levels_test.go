// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"math/rand/v2"
	"testing"
)

// TestContentsAreThoseOfEachThread: threads whose upper levels are followed by number read
// and write there what each has by itself, also when contents are dropped again and again.
func TestContentsAreThoseOfEachThread(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		size := 1 + r.IntN(maxUpper)
		var v levels
		v.begin(size, 2+r.IntN(4))
		code := make([]operation, 12)
		for i := range code {
			for range r.IntN(3) {
				code[i].reads = append(code[i].reads, uint16(r.IntN(20)))
			}
			for range 1 + r.IntN(2) {
				code[i].writes = append(code[i].writes, uint16(r.IntN(20)))
			}
			if r.IntN(4) == 0 {
				code[i].what = loads
			}
		}
		warps := make([]warpSet, 3)
		own := make([]upper, len(warps))
		for w := range warps {
			warps[w].uppers, warps[w].live = uppers{{lanes: ^uint32(0)}}, 1
		}
		for range 400 {
			w, i := r.IntN(len(warps)), r.IntN(len(code))
			x := &warps[w].uppers[0]
			got := v.step(x.contents, uint32(i), &code[i])
			if want := own[w].use(&code[i], size); got.registerUse != want {
				t.Fatalf("seed %d: %+v, want %+v", seed, got.registerUse, want)
			}
			x.contents = got.next
			if v.known[x.contents].upper != own[w] {
				t.Fatalf("seed %d: contents %+v, want %+v", seed, v.known[x.contents].upper, own[w])
			}
			if v.full() {
				v.drop(warps)
			}
			if len(v.known) > 2*len(warps)+5 {
				t.Fatalf("seed %d: %d contents are kept of %d threads", seed, len(v.known), len(warps))
			}
		}
	}
}
