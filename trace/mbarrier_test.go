// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"math/rand/v2"
	"testing"
)

// A word has its address and its number, in a window of the generic space as in shared memory.
// What has no number is an address as it is.
func TestNumbersComeBackFromTheirWords(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for range 2000 {
		address, number := uint64(r.Uint32()), r.Uint32()&(1<<23-1)
		word := WithNumber(address, number)
		if n, ok := NumberOf(word); !ok || n != number || AddressOf(word) != address {
			t.Fatalf("%#x with %d: %d, %v, %#x", address, number, n, ok, AddressOf(word))
		}
		space, relative := ResolveGeneric(word)
		if plainSpace, plain := ResolveGeneric(address); space != plainSpace || relative != plain {
			t.Fatalf("%#x with a number lies at %#x of %v, without one at %#x of %v", address, relative, space, plain, plainSpace)
		}
		plain := r.Uint64() >> r.IntN(60)
		if plain>>55 == 1 {
			continue
		}
		if _, ok := NumberOf(plain); ok || AddressOf(plain) != plain {
			t.Fatalf("%#x has a number, or the address %#x", plain, AddressOf(plain))
		}
	}
	for n := range uint32(8) {
		if LookOf(n).Number() != n {
			t.Errorf("look %+v of %d has number %d", LookOf(n), n, LookOf(n).Number())
		}
	}
}

// Lanes of one copy that complete one mbarrier in the same thread blocks add their bytes; others
// are several.
func TestLanesOfACopyCompleteOneMbarrier(t *testing.T) {
	type lane struct {
		barrier uint64
		blocks  uint16
		bytes   uint32
	}
	for _, c := range []struct {
		lanes   []lane
		bytes   uint32
		several bool
	}{
		{nil, 0, false}, {[]lane{{8, 0, 16}}, 16, false}, {[]lane{{8, 5, 16}, {8, 5, 32}, {8, 5, 16}}, 64, false},
		{[]lane{{8, 0, 16}, {16, 0, 16}}, 32, true}, {[]lane{{8, 1, 16}, {8, 2, 16}, {8, 2, 16}}, 48, true},
	} {
		var b, again BulkCopy
		for _, l := range c.lanes {
			b.Completes(l.barrier, l.blocks, l.bytes)
		}
		words := b.Words()
		again.SetWords(&words)
		if again.TxBytes != c.bytes || again.Several != c.several || again.Counted != (len(c.lanes) > 0) || again.Counted != again.HasBarrier {
			t.Errorf("%+v: %+v", c, again)
		}
		if n := len(c.lanes); n > 0 && (again.Blocks != c.lanes[n-1].blocks || again.Barrier != c.lanes[n-1].barrier) {
			t.Errorf("%+v: %+v", c, again)
		}
		if again.Reset(); again.Counted || again.HasBarrier || again.Several || again.TxBytes != 0 || again.Blocks != 0 || len(again.Runs) != 0 {
			t.Errorf("%+v is left", again)
		}
	}
}
