// SPDX-License-Identifier: Apache-2.0

package cache

import "math/bits"

// table finds the line index of a tag in a cache of many ways, where a search through those of
// a set takes longer: a hash table with chains. Line indexes in it count from one, so that zero
// ends a chain. Without heads there is none.
type table struct {
	heads []int32 // by hash of a tag
	next  []int32 // by line index
	shift uint
}

// manyWays is the most ways through which a set is searched: more have a table, and floors.
const manyWays = 32

func newTable(lines int) table {
	log := bits.Len(uint(lines - 1))
	return table{heads: make([]int32, 1<<log), next: make([]int32, lines), shift: uint(64 - log)}
}

func (t *table) on() bool { return t.heads != nil }

// head is the chain of a tag, by multiplication (Knuth, The Art of Computer Programming, volume
// 3, section 6.4).
func (t *table) head(tag uint64) *int32 {
	return &t.heads[tag*0x9e3779b97f4a7c15>>(t.shift&63)]
}

// find gives the line index that has a tag, -1 when none has.
func (t *table) find(tags []uint64, tag uint64) int {
	i := *t.head(tag)
	for i != 0 && tags[i-1] != tag {
		i = t.next[i-1]
	}
	return int(i) - 1
}

// insert adds line index i with a tag, which may be none.
func (t *table) insert(i int, tag uint64) {
	if tag != 0 {
		head := t.head(tag)
		t.next[i], *head = *head, int32(i)+1
	}
}

// remove takes line index i with a tag out, if it is there.
func (t *table) remove(i int, tag uint64) {
	if tag == 0 {
		return
	}
	for at := t.head(tag); *at != 0; at = &t.next[*at-1] {
		if *at == int32(i)+1 {
			*at = t.next[i]
			return
		}
	}
}
