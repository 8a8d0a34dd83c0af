// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// reaches is the blocks that can be reached from block 0 without one block.
func reaches(next [][]uint32, without int) []bool {
	seen := make([]bool, len(next))
	var visit func(b uint32)
	visit = func(b uint32) {
		if int(b) == without || seen[b] {
			return
		}
		seen[b] = true
		for _, s := range next[b] {
			visit(s)
		}
	}
	visit(0)
	return seen
}

func random(r *rand.Rand) [][]uint32 {
	next := make([][]uint32, 2+r.IntN(12))
	for b := range next {
		for range r.IntN(3) {
			next[b] = append(next[b], uint32(r.IntN(len(next))))
		}
	}
	return next
}

// A block dominates another exactly when that one cannot be reached without it.
func TestDominatorsAreThoseOfTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		next := random(r)
		g, all := New(next), reaches(next, None)
		for a := range next {
			without := reaches(next, a)
			for b := range next {
				if !all[a] || !all[b] {
					continue
				}
				if want, got := a == b || !without[b], g.dominates(uint32(a), uint32(b)); got != want {
					t.Fatalf("%v: %d dominates %d: %v, not %v", next, a, b, got, want)
				}
			}
		}
	}
}

// A block lies in the natural loop of a header exactly when the header dominates it and it
// reaches a branch back to the header without passing the header.
func TestLoopsAreThoseOfTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		next := random(r)
		g, all := New(next), reaches(next, None)
		for h := range next {
			in := make([]bool, len(next))
			var back func(b int)
			back = func(b int) {
				if in[b] || !all[b] {
					return
				}
				in[b] = true
				if b == h {
					return
				}
				for p := range next {
					if slices.Contains(next[p], uint32(b)) {
						back(p)
					}
				}
			}
			if all[h] {
				for p := range next {
					if slices.Contains(next[p], uint32(h)) && all[p] && g.dominates(uint32(h), uint32(p)) {
						in[h] = true
						if p != h {
							back(p)
						}
					}
				}
			}
			for b := range next {
				if got := g.Inside(h, uint32(b)); got != in[b] {
					t.Fatalf("%v: block %d is in the loop of %d: %v, not %v", next, b, h, got, in[b])
				}
			}
		}
	}
}

// A layout has each block once, and the entry first.
func TestLayoutHasEachBlockOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		next := random(r)
		order := New(next).Layout()
		if len(order) == 0 || order[0] != 0 {
			t.Fatalf("%v: layout %v does not begin with the entry", next, order)
		}
		sorted := slices.Clone(order)
		slices.Sort(sorted)
		for b := range next {
			if len(sorted) != len(next) || sorted[b] != uint32(b) {
				t.Fatalf("%v: layout %v", next, order)
			}
		}
	}
}

// What follows a loop lies behind the loop, whatever the order of its successors.
func TestLayoutKeepsLoopsTogether(t *testing.T) {
	// 0 -> 1; 1 is a header that goes to 2 (out) or 3 (body); 3 goes back to 1.
	for _, next := range [][][]uint32{{{1}, {2, 3}, {}, {1}}, {{1}, {3, 2}, {}, {1}}} {
		if got := New(next).Layout(); !slices.Equal(got, []uint32{0, 1, 3, 2}) {
			t.Errorf("%v: layout %v", next, got)
		}
	}
}

// With entries a block dominates another exactly when neither the first block nor an entry leads to that
// one without it. Entries may be named twice, and those that are no blocks are none.
func TestDominatorsOfSeveralEntriesAreThoseOfTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		next := random(r)
		var entries []uint32
		for range 1 + r.IntN(3) {
			entries = append(entries, uint32(r.IntN(len(next)+2)))
		}
		entries = append(entries, entries[0])
		// Block n leads to all of them.
		n := len(next)
		rooted := append(slices.Clone(next), []uint32{0})
		for _, e := range entries {
			if int(e) < n {
				rooted[n] = append(rooted[n], e)
			}
		}
		from := func(without int) []bool {
			seen, work := make([]bool, n+1), []uint32{uint32(n)}
			for len(work) > 0 {
				b := work[len(work)-1]
				if work = work[:len(work)-1]; int(b) != without && !seen[b] {
					seen[b] = true
					work = append(work, rooted[b]...)
				}
			}
			return seen
		}
		g, all := New(next, entries...), from(None)
		for a := range next {
			without := from(a)
			for b := range next {
				if !all[a] || !all[b] {
					continue
				}
				if want, got := a == b || !without[b], g.dominates(uint32(a), uint32(b)); got != want {
					t.Fatalf("%v from %v: %d dominates %d: %v, not %v", next, entries, a, b, got, want)
				}
			}
		}
		sorted := slices.Sorted(slices.Values(g.Layout(entries...)))
		if len(sorted) != n || len(slices.Compact(sorted)) != n {
			t.Fatalf("%v from %v: the layout has not each block once", next, entries)
		}
	}
}

// A block lies behind the one that falls through to it, in whatever order that one names its successors. Those that are no blocks are none.
func TestLayoutFallsThrough(t *testing.T) {
	for _, next := range [][][]uint32{{{2, 1}, {3}, {3}, {}}, {{1, 2}, {3}, {3}, {}}, {{2, 1, 4}, {3}, {3, 4}, {4, 5}}} {
		if got := New(next).Layout(); !slices.Equal(got, []uint32{0, 1, 2, 3}) {
			t.Errorf("%v: layout %v", next, got)
		}
	}
}
