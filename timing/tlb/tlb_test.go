// SPDX-License-Identifier: Apache-2.0

package tlb

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func newTLB(t testing.TB, entries, ways int) *TLB {
	t.Helper()
	x, err := New(entries, ways)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// misses looks pages up in order, inserting those that miss.
func misses(t *TLB, pages func(yield func(uint64) bool)) (n int) {
	for p := range pages {
		if _, hit := t.Lookup(1, p); !hit {
			n++
			t.Insert(Entry{Page: p, Space: 1})
		}
	}
	return n
}

// sweeps goes over n pages a number of times.
func sweeps(n uint64, times int) func(func(uint64) bool) {
	return func(yield func(uint64) bool) {
		for range times {
			for p := range n {
				if !yield(p) {
					return
				}
			}
		}
	}
}

func TestMissesOfSweepsAreThoseOfLRUInClosedForm(t *testing.T) {
	for _, c := range []struct {
		entries, ways int
		pages         uint64
		times, want   int
	}{
		{64, 64, 64, 5, 64},   // fits: compulsory misses only
		{64, 64, 65, 5, 325},  // one too many: LRU keeps nothing of use
		{512, 4, 512, 3, 512}, // four ways, consecutive pages use all sets
		{512, 4, 513, 3, 523}, // one set has five pages: those miss in every sweep
		{512, 4, 640, 3, 1920},
		{1, 1, 1, 7, 1},
		{1, 1, 2, 7, 14},
	} {
		if got := misses(newTLB(t, c.entries, c.ways), sweeps(c.pages, c.times)); got != c.want {
			t.Errorf("%d entries in %d ways, %d sweeps over %d pages: %d misses, closed form %d", c.entries, c.ways, c.times, c.pages, got, c.want)
		}
	}
}

func TestAStrideOfTheNumberOfSetsUsesOneSet(t *testing.T) {
	x := newTLB(t, 512, 4) // 128 sets
	stride := func(yield func(uint64) bool) {
		for range 10 {
			for p := range uint64(5) {
				if !yield(p * 128) {
					return
				}
			}
		}
	}
	if got := misses(x, stride); got != 50 {
		t.Errorf("%d misses of 50 accesses to five pages of one set of four", got)
	}
	if x.Len() != 4 {
		t.Errorf("%d pages in one set of four ways", x.Len())
	}
}

// naiveTLB keeps for each set a list of pages, youngest last.
type naiveTLB struct {
	sets [][]Entry
	ways int
}

func (n *naiveTLB) set(e Entry) *[]Entry { return &n.sets[e.Page%uint64(len(n.sets))] }

// take removes an entry and reports whether it was there.
func (n *naiveTLB) take(e Entry) (Entry, bool) {
	s := n.set(e)
	for i, x := range *s {
		if x.Page == e.Page && x.Space == e.Space {
			*s = append((*s)[:i:i], (*s)[i+1:]...)
			return x, true
		}
	}
	return Entry{}, false
}

func TestTLBDoesWhatANaiveLRUListDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 40 {
		ways := 1 + rng.IntN(8)
		sets := 1 << rng.IntN(4)
		x, ref := newTLB(t, sets*ways, ways), &naiveTLB{make([][]Entry, sets), ways}
		for range 4000 {
			e := Entry{Page: rng.Uint64N(uint64(3 * sets * ways)), Space: uint16(rng.IntN(2)), Frame: rng.Uint64N(9)}
			old, there := ref.take(e)
			switch rng.IntN(5) {
			case 0:
				if x.Drop(e.Space, e.Page) != there {
					t.Fatalf("dropping %v: naive says %v", e, there)
				}
				continue
			case 1:
				s := ref.set(e)
				full := len(*s) == ways
				dropped, gone := x.Insert(e)
				if gone != full || full && dropped != (*s)[0] {
					t.Fatalf("inserting %v drops %v, %v; naive set %v", e, dropped, gone, *s)
				}
				if full {
					*s = (*s)[1:]
				}
				*s = append(*s, e)
				continue
			}
			frame, hit := x.Lookup(e.Space, e.Page)
			if hit != there || hit && frame != old.Frame {
				t.Fatalf("lookup of %v: frame %d, %v; naive %v, %v", e, frame, hit, old, there)
			}
			if hit {
				*ref.set(e) = append(*ref.set(e), old)
			}
		}
	}
}

func TestSpacesDoNotSeeEachOthersPages(t *testing.T) {
	x := newTLB(t, 4, 4)
	x.Insert(Entry{Page: 7, Space: 1, Frame: 70})
	if _, hit := x.Lookup(2, 7); hit {
		t.Error("space 2 hits the page of space 1")
	}
	if f, hit := x.Lookup(1, 7); !hit || f != 70 {
		t.Errorf("frame %d, %v", f, hit)
	}
}

func TestImpossibleShapesAreRefused(t *testing.T) {
	for _, c := range []struct {
		entries, ways int
		want          string
	}{{0, 1, "divide"}, {4, 0, "divide"}, {10, 4, "divide"}, {12, 4, "power of two"}} {
		if _, err := New(c.entries, c.ways); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d entries, %d ways: %v", c.entries, c.ways, err)
		}
	}
}

// BenchmarkLookup isolates a hit in a shared TLB of four ways and in a fully
// associative one of a core.
func BenchmarkLookup(b *testing.B) {
	for _, c := range []struct {
		name          string
		entries, ways int
	}{{"512x4", 512, 4}, {"64x64", 64, 64}} {
		b.Run(c.name, func(b *testing.B) {
			x := newTLB(b, c.entries, c.ways)
			misses(x, sweeps(uint64(c.entries), 1))
			n := uint64(0)
			for b.Loop() {
				if _, hit := x.Lookup(1, n%uint64(c.entries)); !hit {
					b.Fatal("miss")
				}
				n += 5
			}
		})
	}
}
