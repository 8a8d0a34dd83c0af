// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
)

// takeWays leaves each set the lines that stay, and so many ways. A naive cache does not know in
// which way a line lies, and is told.
func (n *naive) takeWays(ways int, stays func(line uint64) bool) {
	for s := range n.sets {
		n.sets[s] = slices.DeleteFunc(n.sets[s], func(l uint64) bool { return !stays(l * n.line) })
	}
	n.ways = ways
}

// A cache whose ways are taken and given answers as a naive one that has the same lines left.
// It does with few ways (a search) and with many (a table).
func TestWaysAreTakenAndGiven(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for range 15 {
		const line = 128
		sets, ways := 1<<rng.IntN(3), 1+rng.IntN(100)
		tags := NewTags(&arch.Cache{Bytes: sets * ways * line, Ways: ways, LineBytes: line, SectorBytes: line, Index: "linear"})
		ref := &naive{sets: make([][]uint64, sets), ways: ways, line: line}
		for range 2500 {
			if rng.IntN(300) == 0 {
				n := 1 + rng.IntN(ways)
				tags.UseWays(n)
				ref.takeWays(n, func(address uint64) bool { return tags.Find(address) >= 0 })
				held := 0
				for i := range tags.Len() {
					if tags.Present(i) {
						held++
					}
				}
				if want := len(slices.Concat(ref.sets...)); held != want {
					t.Fatalf("%d lines are there and %d are found", held, want)
				}
			}
			address := tags.Line(rng.Uint64N(uint64(sets * ways * line * 2)))
			i := tags.Find(address)
			if got, want := i >= 0, ref.access(address); got != want {
				t.Fatalf("%d sets, %d of %d ways: hit is %v, naive says %v", sets, ref.ways, ways, got, want)
			}
			if i < 0 {
				i = tags.Victim(address)
				tags.Replace(i, address)
			}
			tags.Use(i)
		}
	}
}

// Lines that lie in the ways that stay are kept: of n lines that came into empty ways, in
// order, the first do.
func TestTheFirstWaysStay(t *testing.T) {
	const line, ways = 128, 64
	tags := NewTags(&arch.Cache{Bytes: ways * line, Ways: ways, LineBytes: line, SectorBytes: line, Index: "linear"})
	for l := range uint64(ways) {
		tags.Replace(tags.Victim(l*line), l*line)
	}
	tags.UseWays(16)
	tags.UseWays(64)
	for l := range uint64(ways) {
		if got, want := tags.Find(l*line) >= 0, l < 16; got != want {
			t.Errorf("line %d is found: %v", l, got)
		}
	}
}

// A line on its way into a way that is taken comes without being found, and the sets go on.
func TestALineOnItsWayIntoAWayThatIsTaken(t *testing.T) {
	const line = 128
	for _, ways := range []int{4, 64} {
		tags := NewTags(&arch.Cache{Bytes: ways * line, Ways: ways, LineBytes: line, SectorBytes: line, Index: "linear"})
		var on []int
		for l := range uint64(ways) {
			i := tags.Victim(l * line)
			tags.Replace(i, l*line)
			tags.Await(i, 0, int(l))
			on = append(on, i)
		}
		tags.UseWays(2)
		if tags.Find(3*line) >= 0 || tags.Find(line) < 0 {
			t.Errorf("%d ways: lines of ways that are taken are found, or others are not", ways)
		}
		if v := tags.Victim(99 * line); v >= 0 {
			t.Errorf("%d ways: way %d makes room, and both wait", ways, v)
		}
		for _, i := range on {
			tags.Fill(i, 0)
			tags.Settle(i)
		}
		if v := tags.Victim(99 * line); v != on[0] {
			t.Errorf("%d ways: way %d makes room, not %d", ways, v, on[0])
		}
		tags.UseWays(ways)
		for l := uint64(2); l < uint64(ways); l++ {
			if tags.Find(l*line) >= 0 {
				t.Errorf("%d ways: line %d came back", ways, l)
			}
		}
	}
}

// The table and the floors say what searches through all ways say, after each of random steps.
func TestManyWaysAnswerAsASearchDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	for _, allocate := range []string{"on_miss", "on_fill"} {
		const line, ways, sets, mshrs = 128, 48, 2, 12
		tags := NewTags(&arch.Cache{Bytes: sets * ways * line, Ways: ways, LineBytes: line, SectorBytes: 32, Index: "linear", Allocate: allocate, MSHRs: mshrs})
		if !tags.table.on() {
			t.Fatal("a cache of 48 ways is searched")
		}
		var waiting []int
		for step := range 8_000 {
			address := uint64(rng.IntN(300)) * line
			i := tags.Find(address)
			if want := slices.Index(tags.tags, address|present); i != want {
				t.Fatalf("%s, step %d: line %#x is at %d, a search says %d", allocate, step, address, i, want)
			}
			first := tags.set(address)
			if got, want := tags.lowest(first), least(tags.rank[first:first+tags.open], awaited); got != want {
				t.Fatalf("%s, step %d: the lowest rank is %d, a search says %d", allocate, step, got, want)
			}
			switch {
			case i >= 0 && rng.IntN(12) == 0 && tags.Pending(i) == 0:
				tags.Drop(i)
			case i >= 0:
				tags.Use(i)
			case len(waiting) < mshrs:
				if i = tags.Victim(address); i >= 0 {
					tags.Replace(i, address)
					tags.Await(i, 1, len(waiting))
					waiting = append(waiting, i)
				}
			}
			if len(waiting) > 0 && rng.IntN(3) == 0 {
				k := rng.IntN(len(waiting))
				tags.Fill(waiting[k], 1)
				tags.Settle(waiting[k])
				waiting = slices.Delete(waiting, k, k+1)
			}
		}
	}
}
