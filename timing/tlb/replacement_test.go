// SPDX-License-Identifier: Apache-2.0

package tlb

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestFIFODropsThePageThatCameFirst: the naive list again, which hits leave as it is.
// Free places come before any entry has to go.
func TestFIFODropsThePageThatCameFirst(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	for range 20 {
		ways, sets := 2+rng.IntN(7), 1<<rng.IntN(4)
		x, ref := newTLB(t, sets*ways, ways), &naiveTLB{make([][]Entry, sets), ways}
		if err := x.Replace("fifo"); err != nil {
			t.Fatal(err)
		}
		for range 2000 {
			e := Entry{Page: rng.Uint64N(uint64(3 * sets * ways)), Space: uint16(rng.IntN(2))}
			if rng.IntN(8) == 0 {
				if _, there := ref.take(e); x.Drop(e.Space, e.Page) != there {
					t.Fatalf("dropping %v: naive says %v", e, there)
				}
				continue
			}
			if _, hit := x.Lookup(e.Space, e.Page); hit {
				continue
			}
			s := ref.set(e)
			full := len(*s) == ways
			dropped, gone := x.Insert(e)
			if gone != full || full && dropped != (*s)[0] {
				t.Fatalf("%d sets of %d ways: inserting %v drops %v, %v; the naive set is %v", sets, ways, e, dropped, gone, *s)
			}
			if full {
				*s = (*s)[1:]
			}
			*s = append(*s, e)
		}
	}
}

// TestPoliciesHaveRoomForSixtyFourWays, one bit for each; LRU, which is the TLB's own,
// for any number.
func TestPoliciesHaveRoomForSixtyFourWays(t *testing.T) {
	for _, c := range []struct {
		ways   int
		policy string
		want   string
	}{
		{64, "fifo", ""}, {128, "lru", ""}, {128, "", ""}, {128, "fifo", "at most 64 ways, and there are 128"}, {4, "fofi", "fofi"},
	} {
		err := newTLB(t, c.ways, c.ways).Replace(c.policy)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q among %d ways: %v", c.policy, c.ways, err)
		}
	}
}

// TestWaitersOfWalksTakeThePlacesOfThoseBefore: many walks later there is no more
// room for waiters than the most that ever waited.
func TestWaitersOfWalksTakeThePlacesOfThoseBefore(t *testing.T) {
	w := NewWalks(4, 6, 1)
	for page := range uint64(1000) {
		n, _, _, _ := w.Begin(0, page, 1)
		w.Begin(0, page, 2)
		w.Begin(0, page, 3)
		for _, ok := w.Next(n); ok; _, ok = w.Next(n) {
		}
		w.End(n)
	}
	if len(w.waiters) != 3 {
		t.Errorf("room for %d waiters, of whom three wait at a time", len(w.waiters))
	}
}

// The policy is told of hits, and ways fill from the first on: the first of two pages that come in order lies first, and goes first where
// both are alike. One that was hit stays.
func TestPoliciesAreToldOfHits(t *testing.T) {
	for _, policy := range []string{"srrip", "nru"} {
		for _, hit := range []bool{false, true} {
			for set := range uint64(4) {
				x := newTLB(t, 8, 2)
				if err := x.Replace(policy); err != nil {
					t.Fatal(err)
				}
				page := func(n uint64) uint64 { return 4*n + set }
				for n := range uint64(2) {
					x.Insert(Entry{Page: page(n)})
				}
				want := page(0)
				if hit {
					x.Insert(Entry{Page: page(2)}) // in the place of the first
					x.Lookup(0, page(2))
					want = page(1)
				}
				if dropped, full := x.Insert(Entry{Page: page(3)}); !full || dropped.Page != want {
					t.Errorf("%s, hit %v, set %d: page %d goes (%v), want %d", policy, hit, set, dropped.Page, full, want)
				}
			}
		}
	}
	x := newTLB(t, 2, 2)
	if err := x.Replace("srrip"); err != nil {
		t.Fatal(err)
	}
	x.Insert(Entry{Page: 0})
	x.Insert(Entry{Page: 1})
	x.Lookup(0, 0)
	if dropped, _ := x.Insert(Entry{Page: 2}); dropped.Page != 1 {
		t.Errorf("page %d goes, though page 0 was hit since page 1", dropped.Page)
	}
}
