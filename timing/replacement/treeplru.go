// SPDX-License-Identifier: Apache-2.0

package replacement

import "math/bits"

// treePLRU approximates LRU with one bit per inner node of a binary tree over the
// ways of a set: the bit points to the half that was used longer ago. A use turns
// the bits on its way from the root away from itself. A victim is found by following
// them (Handy, The Cache Memory Book, 2nd edition 1998, "pseudo-LRU", recalled and
// not looked up). Ways that are no power of two fill the tree from the left.
type treePLRU struct {
	levels int
	nodes  []uint64 // by set; bit i is node i, the root is 1, its halves 2 and 3
}

func newTreePLRU(sets, ways int, _ uint64) Policy {
	return &treePLRU{levels: bits.Len(uint(ways - 1)), nodes: make([]uint64, sets)}
}

func (t *treePLRU) Insert(set, way int) { t.Use(set, way) }

func (t *treePLRU) Use(set, way int) {
	node := 1
	for level := t.levels - 1; level >= 0; level-- {
		right := way >> level & 1
		if right == 1 {
			t.nodes[set] &^= 1 << node
		} else {
			t.nodes[set] |= 1 << node
		}
		node = 2*node + right
	}
}

// Victim follows the bits, but never into a half without a candidate.
func (t *treePLRU) Victim(set int, candidates uint64) int {
	node, way := 1, 0
	for level := t.levels - 1; level >= 0; level-- {
		half := all(1 << level)
		right := int(t.nodes[set] >> node & 1)
		if candidates>>(way+right<<level)&half == 0 {
			right ^= 1
		}
		way += right << level
		node = 2*node + right
	}
	return way
}
