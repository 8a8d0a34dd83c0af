// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Counts are those of classes that are counted one by one. Neither the lanes of executions nor whether an encoder keeps
// the codes change them. A reset leaves none.
func TestClassesAreCountedOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 1))
	var counts ClassCounts
	var z Encoder
	for range 60 {
		var want [256]uint32
		var codes []uint64
		var classes []byte
		counts.Reset()
		z.Counted.Reset()
		z.Codes, z.Classes = make([]uint64, 20*WarpLanes), make([]byte, 20*WarpLanes)
		widest, all := r.IntN(65), uint64(0)
		for range 20 {
			mask := []uint32{AllWarpLanes, 1<<(1+r.IntN(31)) - 1, r.Uint32() | 1<<r.IntN(32)}[r.IntN(3)]
			var v [WarpLanes]uint64
			for l := range v {
				v[l] = r.Uint64() >> (64 - r.IntN(widest+1))
				if r.IntN(4) == 0 {
					v[l] = 0
				}
				if mask>>l&1 == 1 {
					class, _ := Class(v[l])
					want[class]++
					all |= v[l]
					codes, classes = append(codes, v[l]), append(classes, class)
				}
			}
			keep := v
			if lanes := z.Classify(len(codes)-onesOf(mask), mask, &keep); lanes != onesOf(mask) {
				t.Fatalf("%d lanes of %08x", lanes, mask)
			}
			counts.Add(mask, &v)
		}
		counts.AddOdd()
		z.Counted.AddOdd()
		for _, c := range []*ClassCounts{&counts, &z.Counted} {
			if used := c.Used(); c.counts != want || len(used) > 0 && slices.Max(want[len(used):]) != 0 || c.All != all {
				t.Fatalf("codes of up to %d bits: %v of %x, want %v of %x", widest, c.counts, c.All, want, all)
			}
		}
		if !slices.Equal(z.Codes[:len(codes)], codes) || !slices.Equal(z.Classes[:len(classes)], classes) {
			t.Fatal("codes or classes are kept in another order")
		}
	}
}

// onesOf is the number of lanes of a mask.
func onesOf(mask uint32) (n int) {
	for ; mask != 0; mask >>= 1 {
		n += int(mask & 1)
	}
	return n
}
