// SPDX-License-Identifier: Apache-2.0

package replacement

import "math/bits"

// nru replaces the first way that was not recently used: a policy to copy. Each way
// has one bit, which a use sets. When every candidate's bit is set, those of the
// others are cleared, so that the next victim is again one that was not used since.
//
// What a policy of your own needs is here. The state of all sets is in one slice,
// made once. Insert and Use are called for each hit and each fill and must not
// allocate; Victim may only choose a candidate. A line in an init function registers
// a name, by which architecture files then ask for it:
//
//	func init() { replacement.Policies.Register("mine", newMine) }
type nru struct {
	used []uint64 // by set: a bit per way
}

func newNRU(sets, _ int, _ uint64) Policy { return &nru{used: make([]uint64, sets)} }

func (n *nru) Insert(set, way int) { n.used[set] |= 1 << way }

func (n *nru) Use(set, way int) { n.used[set] |= 1 << way }

func (n *nru) Victim(set int, candidates uint64) int {
	if candidates&^n.used[set] == 0 {
		n.used[set] &^= candidates
	}
	return bits.TrailingZeros64(candidates &^ n.used[set])
}
