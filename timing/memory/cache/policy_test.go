// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replacement"
)

func policyCache(name, allocate string, ways int) *arch.Cache {
	return &arch.Cache{Bytes: 8 * ways * 64, Ways: ways, LineBytes: 64, SectorBytes: 64, Index: "linear", Replacement: name, Allocate: allocate, MSHRs: 6}
}

// The ranks of the tags are the fast form of the policy that orders ways by time. A
// cache that allocates on fill is another matter: its ranks are of the misses, and a
// policy knows a line from its fill on.
func TestLRUOfRanksIsThePolicyOfTimes(t *testing.T) {
	maker, err := replacement.Policies.Lookup(replacement.LRU)
	if err != nil {
		t.Fatal(err)
	}
	for _, ways := range []int{1, 2, 3, 4, 16} {
		c := policyCache("", "on_miss", ways)
		ranks, times := NewTags(c), NewTags(c)
		times.policy = maker(8, ways, 0)
		r := rand.New(rand.NewPCG(5, uint64(ways)))
		for step := range 20000 {
			line, draw := uint64(r.IntN(8*ways*2))*64, r.IntN(8)
			a, b := exercise(ranks, line, draw), exercise(times, line, draw)
			if a != b {
				t.Fatalf("%d ways, step %d: line index %d by rank, %d by time", ways, step, a, b)
			}
		}
	}
}

// exercise accesses a line: hits are used or dropped, misses take a place, and what
// is on its way arrives now and then.
func exercise(t *Tags, line uint64, draw int) int {
	i := t.Find(line)
	switch {
	case i < 0:
		if i = t.Victim(line); i < 0 {
			return -1
		}
		t.Replace(i, line)
		t.Await(i, 0, 0)
	case t.Pending(i) != 0:
		t.Fill(i, 0)
		t.Settle(i)
	case draw == 0:
		t.Drop(i)
	default:
		t.Use(i)
	}
	return i
}

func TestPoliciesNeverReplaceWhatIsAwaitedOrLocked(t *testing.T) {
	for _, name := range replacement.Policies.Names() {
		t.Run(name, func(t *testing.T) {
			tags := NewTags(policyCache(name, "on_miss", 4))
			for way := range 4 {
				line := uint64(way) * 8 * 64
				tags.Replace(tags.Victim(line), line)
			}
			if !tags.Lock(0) || !tags.Lock(8*64) {
				t.Fatal("no lock is free")
			}
			tags.Await(tags.Find(2*8*64), 0, 0)
			for range 50 {
				if i := tags.Victim(9 * 8 * 64); i != tags.Find(3*8*64) {
					t.Fatalf("victim %d, and only the fourth line may go", i)
				}
			}
			tags.Await(tags.Find(3*8*64), 0, 0)
			if i := tags.Victim(9 * 8 * 64); i != -1 {
				t.Errorf("victim %d, where every line is awaited or locked", i)
			}
		})
	}
}

func TestAVictimThatIsRefusedStaysChosen(t *testing.T) {
	tags := NewTags(policyCache("random", "on_miss", 16))
	for way := range 16 {
		line := uint64(way) * 8 * 64
		tags.Replace(tags.Victim(line), line)
	}
	seen := map[string]bool{}
	for range 40 {
		first := tags.Victim(99 * 8 * 64)
		for range 10 {
			if again := tags.Victim(99 * 8 * 64); again != first {
				t.Fatalf("victim %d after %d, with nothing replaced", again, first)
			}
		}
		seen[fmt.Sprint(first)] = true
		tags.Use(first)
	}
	if len(seen) < 8 {
		t.Errorf("only %d of 16 ways were chosen in 40 times", len(seen))
	}
}

// A policy hears of hits in a cache that allocates on fill as well: of four lines it replaces the one
// that was not used since.
func TestPoliciesHearOfHitsWhereFillsAllocate(t *testing.T) {
	maker, err := replacement.Policies.Lookup(replacement.LRU)
	if err != nil {
		t.Fatal(err)
	}
	tags := NewTags(policyCache("", "on_fill", 4))
	tags.policy = maker(8, 4, 0)
	line := func(k int) uint64 { return uint64(k) * 8 * 64 } // all of one set
	bring := func(k int) {
		i := tags.Victim(line(k))
		tags.Replace(i, line(k))
		tags.Await(i, 0, 0)
		tags.Fill(i, 0)
		tags.Settle(i)
	}
	for k := range 4 {
		bring(k)
	}
	for _, k := range []int{0, 1, 3} {
		tags.Use(tags.Find(line(k)))
	}
	bring(4)
	for k, want := range []bool{true, true, false, true, true} {
		if got := tags.Find(line(k)) >= 0; got != want {
			t.Errorf("line %d is there: %v, want %v", k, got, want)
		}
	}
}
