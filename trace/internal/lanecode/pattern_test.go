// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"math/rand/v2"
	"testing"
)

// pooled is an execution whose pattern a pool has a number for.
type pooled struct {
	mask      uint32
	number    int32
	base      uint64
	addresses [WarpLanes]uint64
}

// holds reports whether a list of patterns has the lanes of the execution at its number.
func (x *pooled) holds(lanes *Patterns) bool {
	a := Access{Base: x.base, Lanes: x.number, Mask: x.mask}
	for m := x.mask; m != 0; m &= m - 1 {
		if a.At(Lane(m), lanes) != x.addresses[Lane(m)] {
			return false
		}
	}
	return true
}

// few makes executions of few patterns: they meet again at other bases, lanes without part are anywhere.
func few(r *rand.Rand) (x pooled) {
	x.mask = []uint32{AllWarpLanes, 0x0000ffff, 0x00ffff00, 0x80000001, 3 << 7}[r.IntN(5)]
	x.base = r.Uint64N(2) * 0x1000
	odd, by := r.IntN(WarpLanes), r.Uint64N(3)
	for l := range x.addresses {
		if x.addresses[l] = r.Uint64(); x.mask>>l&1 == 1 {
			x.addresses[l] = x.base + 4*uint64(l-Lane(x.mask))*uint64(l-Lane(x.mask))
		}
	}
	if x.mask>>odd&1 == 1 && odd > Lane(x.mask) {
		x.addresses[odd] += by
	}
	return x
}

// Every number means the lanes that it was given for, until the thread block is dropped. Patterns of the blocks before
// stay, and those that are handed over have all.
func TestPatternsOfAPoolAreThoseOfTheirExecutions(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 1))
	var all Patterns // as its memory comes back
	for range 20 {
		var pool PatternPool
		var kept, block []pooled
		for range 40 {
			pool.Begin()
			block = block[:0]
			for range 1 + r.IntN(12) {
				x := few(r)
				base := x.base
				if x.base, x.number = pool.Add(x.mask, &x.addresses); x.base != base {
					t.Fatalf("the base is %x, the lowest lane at %x", x.base, base)
				}
				block = append(block, x)
			}
			var earlier Patterns
			pool.CopyEarlier(&earlier)
			for i := range kept {
				if !kept[i].holds(&earlier) {
					t.Fatal("a pattern of a thread block before is another one")
				}
			}
			epoch := pool.Epoch
			if r.IntN(3) == 0 {
				before := earlier.count
				if pool.Drop(); pool.patterns.count != before {
					t.Fatalf("%d patterns are left of %d", pool.patterns.count, before)
				}
			} else {
				kept = append(kept, block...)
			}
			if r.IntN(8) == 0 {
				pool.Exchange(&all)
				for i := range kept {
					if !kept[i].holds(&all) {
						t.Fatal("a pattern that is handed over is another one")
					}
				}
				if kept = kept[:0]; pool.patterns.count != 0 || pool.Epoch == epoch {
					t.Fatalf("%d patterns are left, epoch %d after %d", pool.patterns.count, pool.Epoch, epoch)
				}
			}
			for i := range kept {
				if !kept[i].holds(&pool.patterns) {
					t.Fatal("a pattern is another one")
				}
			}
		}
	}
}

// The same lanes at another base, or given by their offsets, have the number that they had, whatever the lanes without
// part hold; other lanes have another one. A new pattern is zero there.
func TestAPatternKeepsItsNumber(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 2))
	for range 600 {
		var pool PatternPool
		x := few(r)
		_, number := pool.Add(x.mask, &x.addresses)
		var offsets Pattern
		for m := x.mask; m != 0; m &= m - 1 {
			offsets[Lane(m)] = x.addresses[Lane(m)] - x.base
		}
		if *pool.patterns.At(number) != offsets {
			t.Fatalf("lanes %08x of %x: the pattern is %x", x.mask, x.addresses, *pool.patterns.At(number))
		}
		moved := x.addresses
		for l := range moved {
			if moved[l] += 0x10; x.mask>>l&1 == 0 {
				moved[l] = r.Uint64()
			}
		}
		if base, again := pool.Add(x.mask, &moved); again != number || base != x.base+0x10 {
			t.Fatalf("lanes %08x at another base have number %d at %x, want %d", x.mask, again, base, number)
		}
		if again := pool.AddPattern(x.mask, &offsets); again != number {
			t.Fatalf("offsets of lanes %08x have number %d, want %d", x.mask, again, number)
		}
		if l := 31 - r.IntN(16); x.mask>>l&1 == 1 && l > Lane(x.mask) {
			other := x.addresses
			other[l]++
			offsets[l]++
			_, a := pool.Add(x.mask, &other)
			if a == number || *pool.patterns.At(a) != offsets {
				t.Fatalf("lane %d elsewhere: number %d", l, a)
			}
			if again := pool.AddPattern(x.mask, &offsets); again != a {
				t.Fatalf("offsets with lane %d elsewhere have number %d, want %d", l, again, a)
			}
		}
	}
}
