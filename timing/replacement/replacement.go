// SPDX-License-Identifier: Apache-2.0

// Package replacement holds the policies by which caches and TLBs choose what a
// miss replaces. Architecture files name them (l1.replacement: srrip); another
// module adds its own with [Policies].
package replacement

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/seam"
)

// Policy orders the ways of the sets of one cache or TLB. It decides which way a
// miss takes when no way of the set is free, and nothing else. What is in the ways,
// and which of them may go, is its owner's to know. Sets and ways count from zero.
type Policy interface {
	// Insert tells that a way has been given new contents.
	Insert(set, way int)
	// Use tells that the contents of a way were hit.
	Use(set, way int)
	// Victim chooses one of the candidate ways, a bit set that is not empty: the
	// others wait for data or are locked. It may change the state of the set.
	Victim(set int, candidates uint64) int
}

// Maker makes the policy of a cache with so many sets of so many ways, at most 64.
// What is random in it follows from the seed.
type Maker func(sets, ways int, seed uint64) Policy

// LRU is the policy that is built into caches and TLBs: they keep it themselves where
// it is named, or no policy is. The registered twin behaves alike.
const LRU = "lru"

// Policies are the replacement policies by name. A registered name is a word of
// the key "replacement" of every cache.
var Policies = seam.NewRegistry[Maker]("replacement policy")

func init() {
	for _, cache := range []string{"l1", "constant_cache", "instruction_cache", "texture_cache", "l2.slice", "llc"} {
		Policies.Open(arch.Word(cache + ".replacement"))
	}
	Policies.Register(LRU, newLRU)
	Policies.Register("fifo", newFIFO)
	Policies.Register("random", newRandom)
	Policies.Register("tree-plru", newTreePLRU)
	Policies.Register("srrip", newSRRIP)
	Policies.Register("nru", newNRU)
}

// New makes the policy that is named; nil for LRU and for no name, which caches and
// TLBs keep themselves. The error lists the names that exist.
func New(name string, sets, ways int, seed uint64) (Policy, error) {
	if name == "" || name == LRU {
		return nil, nil
	}
	maker, err := Policies.Lookup(name)
	if err != nil {
		return nil, err
	}
	return maker(sets, ways, seed), nil
}

// all is the bit set of so many ways.
func all(ways int) uint64 { return ^uint64(0) >> (64 - uint(ways)) }
