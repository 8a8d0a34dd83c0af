// SPDX-License-Identifier: Apache-2.0

package cache

import "github.com/warptape/warptape/timing/replacement"

// replacementSeed is that of the random choices of all caches: which cache of a
// machine it is makes no difference, since their accesses differ.
const replacementSeed = 1

// setPolicy takes the policy that is named. The architecture's words are those that
// are registered, so that another name has not come through a loader.
func (t *Tags) setPolicy(name string, sets int) {
	p, err := replacement.New(name, sets, t.open, replacementSeed)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	t.policy = p
}

// chosen is the victim in the set that begins at a line index. It is a free way, or
// what the policy chooses of those without pending sectors and locks; -1 for none.
func (t *Tags) chosen(first int) int {
	candidates := uint64(0)
	for way := range t.open {
		i := first + way
		switch {
		case t.tags[i] == 0:
			return i
		case t.rank[i] < awaited && !t.Locked(t.Address(i)):
			candidates |= 1 << way
		}
	}
	if candidates == 0 {
		t.fate.refused = true
		return -1
	}
	// What has been refused room for its dirty bytes asks again each cycle, and a policy
	// may change with each choice.
	if c := &t.choice; c.candidates != candidates || c.first != first {
		*c = choice{first: first, candidates: candidates, way: t.policy.Victim(first/t.ways, candidates)}
	}
	return first + t.choice.way
}

// choice is a victim that has been chosen in a set and not replaced yet. It stands
// while the set is not touched; no candidates are no choice.
type choice struct {
	first, way int
	candidates uint64
}

// inserted tells the policy of a line with new contents; places of the fill buffer are not its.
func (t *Tags) inserted(i int) {
	if !t.fillBuffer.on || i < t.fillBuffer.first {
		t.choice = choice{}
		t.policy.Insert(i/t.ways, i%t.ways)
	}
}

// used tells the policy of a hit.
func (t *Tags) used(i int) {
	if !t.fillBuffer.on || i < t.fillBuffer.first {
		t.choice = choice{}
		t.policy.Use(i/t.ways, i%t.ways)
	}
}
