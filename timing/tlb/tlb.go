// SPDX-License-Identifier: Apache-2.0

package tlb

import (
	"fmt"

	"github.com/warptape/warptape/timing/replacement"
)

// Entry is a translation: a page of an address space lies in a frame.
type Entry struct {
	Page, Frame uint64
	Space       uint16
}

// TLB is a set-associative translation lookaside buffer. It replaces the least
// recently used entry of a set, or what a policy chooses.
type TLB struct {
	ways    int
	setMask uint64
	entries []Entry
	used    []uint64 // time of last use; zero: the entry is empty
	clock   uint64
	policy  replacement.Policy // nil for LRU
}

// New makes an empty TLB; ways equal to entries is fully associative. The error
// says which number does not fit: ways must divide entries into a power of two
// of sets.
func New(entries, ways int) (*TLB, error) {
	if err := CheckShape(entries, ways); err != nil {
		return nil, err
	}
	sets := entries / ways
	return &TLB{ways: ways, setMask: uint64(sets - 1), entries: make([]Entry, entries), used: make([]uint64, entries)}, nil
}

// Replace has a TLB choose by a policy of timing/replacement from now on. The error
// says that there is none of the name, or that it has no room for so many ways.
func (t *TLB) Replace(policy string) error {
	if t.ways > 64 && policy != "" && policy != replacement.LRU {
		return fmt.Errorf("the policy %q replaces among at most 64 ways, and there are %d", policy, t.ways)
	}
	var err error
	t.policy, err = replacement.New(policy, int(t.setMask)+1, t.ways, replacementSeed)
	return err
}

// replacementSeed is that of the random choices of all TLBs.
const replacementSeed = 1

// CheckShape says why there is no TLB of so many entries and ways; nil when there
// is.
func CheckShape(entries, ways int) error {
	if entries < 1 || ways < 1 || entries%ways != 0 {
		return fmt.Errorf("%d entries in %d ways: the ways must divide the entries", entries, ways)
	}
	if sets := entries / ways; sets&(sets-1) != 0 {
		return fmt.Errorf("%d entries in %d ways are %d sets: must be a power of two", entries, ways, sets)
	}
	return nil
}

// find is the place of a page, -1 when it is not there.
func (t *TLB) find(space uint16, page uint64) int {
	first := int(page&t.setMask) * t.ways
	for i := first; i < first+t.ways; i++ {
		if e := &t.entries[i]; e.Page == page && e.Space == space && t.used[i] != 0 {
			return i
		}
	}
	return -1
}

// Lookup gives the frame of a page, which becomes the youngest of its set; false
// when the TLB does not have it.
func (t *TLB) Lookup(space uint16, page uint64) (frame uint64, hit bool) {
	i := t.find(space, page)
	if i < 0 {
		return 0, false
	}
	t.clock++
	t.used[i] = t.clock
	if t.policy != nil {
		t.policy.Use(i/t.ways, i%t.ways)
	}
	return t.entries[i].Frame, true
}

// Insert puts a translation in as the youngest of its set. When another page has
// to go for it, that is given back.
func (t *TLB) Insert(e Entry) (dropped Entry, full bool) {
	t.clock++
	i := t.find(e.Space, e.Page)
	if i < 0 {
		i = t.victim(int(e.Page&t.setMask) * t.ways)
		dropped, full = t.entries[i], t.used[i] != 0
	}
	t.entries[i], t.used[i] = e, t.clock
	if t.policy != nil {
		t.policy.Insert(i/t.ways, i%t.ways)
	}
	return dropped, full
}

// victim is the place for another page in the set that begins at first: a free one,
// or the least recently used, or the policy's choice of all.
func (t *TLB) victim(first int) int {
	i := first
	for k := first; k < first+t.ways; k++ {
		if t.used[k] < t.used[i] {
			i = k
		}
	}
	if t.policy != nil && t.used[i] != 0 {
		i = first + t.policy.Victim(first/t.ways, ^uint64(0)>>(64-uint(t.ways)))
	}
	return i
}

// Drop takes a page out; false when it was not there.
func (t *TLB) Drop(space uint16, page uint64) bool {
	i := t.find(space, page)
	if i < 0 {
		return false
	}
	t.used[i] = 0
	return true
}

// Len is the number of pages in the TLB.
func (t *TLB) Len() int {
	n := 0
	for _, u := range t.used {
		if u != 0 {
			n++
		}
	}
	return n
}
