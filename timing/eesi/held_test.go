// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/counters"
)

// TestLinesOfAKernelThatFitsAreHeldAsTinyCachesHoldThem: on kernels of all sizes lanes lack
// the lines that their tiny caches lack, and those of a kernel that just fits never leave.
func TestLinesOfAKernelThatFitsAreHeldAsTinyCachesHoldThem(t *testing.T) {
	fitted, exceeded := 0, 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 11))
		section := &Section{TinyWays: 1 + r.IntN(4), TinyLineBytes: 16 << r.IntN(3)}
		section.TinyLines = section.TinyWays << r.IntN(3)
		base, n := uint64(8*r.IntN(1000)), 8*(1+r.IntN(3*section.TinyLines*section.TinyLineBytes/16))
		together, alone := coreOfTinyCaches(section), coreOfTinyCaches(section)
		together.held.begin(&together.lanes[0].tiny, base, uint64(n))
		if together.held.fits {
			fitted++
		} else {
			exceeded++
		}
		for range 300 {
			address, lanes := base+uint64(r.IntN(n)), r.Uint32()
			got, want := together.lookUp(lanes, address), alone.lookUp(lanes, address)
			if got != want {
				t.Fatalf("seed %d: lanes %08x lack the line, want %08x", seed, got, want)
			}
			fill := got & r.Uint32()
			together.fillTiny(fill, address>>together.lanes[0].tiny.shift)
			alone.fillTiny(fill, address>>alone.lanes[0].tiny.shift)
		}
		if got, want := *together.set, *alone.set; got != want {
			t.Fatalf("seed %d: %d lines filled, want %d", seed, got[firstCounter+countTinyFill], want[firstCounter+countTinyFill])
		}
	}
	if fitted < 40 || exceeded < 40 {
		t.Fatalf("%d kernels fit and %d do not; want 40 of each", fitted, exceeded)
	}
}

// coreOfTinyCaches is a core that has nothing but these. It follows each lane's.
func coreOfTinyCaches(section *Section) *laneCore {
	s := &laneCore{Section: section, set: new(counters.Set)}
	for l := range s.lanes {
		s.lanes[l].tiny = newTinyCache(section)
	}
	return s
}
