// SPDX-License-Identifier: Apache-2.0

package replacement

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// set is one set of a cache of the test's own, in front of a policy.
type set struct {
	policy Policy
	ways   []string
}

// access gives whether what is named was there.
func (s *set) access(name string) bool {
	if way := slices.Index(s.ways, name); way >= 0 {
		s.policy.Use(0, way)
		return true
	}
	way := slices.Index(s.ways, "")
	if way < 0 {
		way = s.policy.Victim(0, all(len(s.ways)))
	}
	s.ways[way] = name
	s.policy.Insert(0, way)
	return false
}

func hits(maker Maker, ways int, names ...string) string {
	s := &set{maker(1, ways, 1), make([]string, ways)}
	out := ""
	for _, n := range names {
		if s.access(n) {
			out += "h"
		} else {
			out += "m"
		}
	}
	return out
}

// This is the mixed access pattern of Jaleel et al., ISCA 2010, recalled and not looked up.
// a1 and a2 are used again behind a scan of b1 to b4, which costs LRU both.
func TestSRRIPKeepsTheWorkingSetThroughAScan(t *testing.T) {
	pattern := []string{"a1", "a2", "a2", "a1", "b1", "b2", "b3", "b4", "a1", "a2"}
	for name, want := range map[string]string{"lru": "mmhhmmmmmm", "fifo": "mmhhmmmmmm", "srrip": "mmhhmmmmhh"} {
		maker, err := Policies.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := hits(maker, 4, pattern...); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestFIFOForgetsUses(t *testing.T) {
	// a is used again before it is replaced, which keeps it under LRU only.
	pattern := []string{"a", "b", "a", "c", "a"}
	if got := hits(newFIFO, 2, pattern...); got != "mmhmm" {
		t.Errorf("fifo: %s", got)
	}
	if got := hits(newLRU, 2, pattern...); got != "mmhmh" {
		t.Errorf("lru: %s", got)
	}
}

// The bits of a tree of four ways, followed by hand.
func TestTreePLRUFollowsItsBits(t *testing.T) {
	p := newTreePLRU(2, 4, 0)
	for way := range 4 {
		p.Insert(1, way)
	}
	for _, c := range []struct{ use, victim int }{{-1, 0}, {0, 2}, {2, 1}, {1, 3}, {3, 0}, {0, 2}, {1, 2}} {
		if c.use >= 0 {
			p.Use(1, c.use)
		}
		if got := p.Victim(1, 15); got != c.victim {
			t.Errorf("after a use of way %d the victim is %d, want %d", c.use, got, c.victim)
		}
	}
	if got := p.Victim(0, 15); got != 0 {
		t.Errorf("another set has victim %d, want 0", got)
	}
}

func TestNRUClearsTheBitsWhenAllAreSet(t *testing.T) {
	if got := hits(newNRU, 2, "a", "b", "c", "b", "d", "b"); got != "mmmhmh" {
		t.Errorf("nru: %s", got)
	}
}

func TestRandomChoosesEveryCandidateAlike(t *testing.T) {
	p := newRandom(1, 8, 7)
	var counts [8]float64
	const n = 40000
	for range n {
		counts[p.Victim(0, 0b10110101)]++
	}
	chi := 0.0
	for way, c := range counts {
		if 0b10110101>>way&1 == 0 {
			if c != 0 {
				t.Fatalf("way %d is no candidate and was chosen", way)
			}
			continue
		}
		chi += (c - n/5) * (c - n/5) / (n / 5)
	}
	if chi > 18.5 { // 4 degrees of freedom, 0.1 %
		t.Errorf("chi square %g: %v", chi, counts)
	}
}

// What every policy promises: a victim is a candidate, the same history gives the
// same victims, sets do not touch each other, and nothing is allocated.
func TestPoliciesKeepTheContract(t *testing.T) {
	for _, name := range Policies.Names() {
		for _, ways := range []int{1, 2, 3, 6, 16, 64} {
			maker, err := Policies.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			first, second := maker(4, ways, 3), maker(4, ways, 3)
			r := rand.New(rand.NewPCG(1, uint64(ways)))
			drive := func(p Policy, op, set, way int, candidates uint64) int {
				switch op {
				case 0:
					p.Use(set, way)
				case 1:
					p.Insert(set, way)
				default:
					return p.Victim(set, candidates)
				}
				return -1
			}
			for range 2000 {
				op, set, way, candidates := r.IntN(3), r.IntN(4), r.IntN(ways), r.Uint64()&all(ways)
				if candidates == 0 {
					candidates = 1 << way
				}
				a, b := drive(first, op, set, way, candidates), drive(second, op, set, way, candidates)
				if a != b || op == 2 && (a < 0 || candidates>>a&1 == 0) {
					t.Fatalf("%s with %d ways: victims %d and %d of %b", name, ways, a, b, candidates)
				}
			}
			if n := testing.AllocsPerRun(100, func() { first.Use(1, 0); first.Insert(2, 0); first.Victim(3, all(ways)) }); n != 0 {
				t.Errorf("%s with %d ways allocates %v times", name, ways, n)
			}
		}
	}
}

// A working set that fits is never lost. One that is a way larger and used in a cycle
// is lost whole where the oldest goes. SRRIP is no help against it either: its paper
// leaves that to BRRIP.
func TestCyclesThatFitAlwaysHit(t *testing.T) {
	for _, name := range Policies.Names() {
		maker, _ := Policies.Lookup(name)
		s := &set{maker(1, 8, 1), make([]string, 8)}
		misses := 0
		for i := range 800 {
			if !s.access(string(rune('a' + i%8))) {
				misses++
			}
		}
		if misses != 8 {
			t.Errorf("%s: %d misses of 8 lines in 8 ways", name, misses)
		}
		s = &set{maker(1, 8, 1), make([]string, 8)}
		again := 0
		for i := range 900 {
			if s.access(string(rune('a' + i%9))) {
				again++
			}
		}
		if worst := name != "random" && name != "tree-plru"; worst != (again == 0) {
			t.Errorf("%s: %d hits of 9 lines in 8 ways", name, again)
		}
	}
}

func TestWordsOfTheSchemaAreThePoliciesThatAreBuiltIn(t *testing.T) {
	want := []string{"fifo", "lru", "nru", "random", "srrip", "tree-plru"}
	if diff := cmp.Diff(want, Policies.Names()); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"", LRU} { // caches keep it themselves
		if p, err := New(name, 4, 4, 0); p != nil || err != nil {
			t.Errorf("%q makes %v, %v", name, p, err)
		}
	}
	if p, err := New("fifo", 4, 4, 0); p == nil || err != nil {
		t.Errorf("fifo makes %v, %v", p, err)
	}
	if _, err := New("lur", 1, 1, 0); err == nil {
		t.Error("a policy that does not exist is made")
	}
	if bits.OnesCount64(all(64)) != 64 || all(1) != 1 {
		t.Error("bit sets of all ways are wrong")
	}
}
