// SPDX-License-Identifier: Apache-2.0

package columns

import "slices"

// SequenceTable stores distinct sequences once, numbered in the order of their
// first use. Its memory is reused after reset.
type SequenceTable[T uint32 | uint64] struct {
	Data   []T
	ends   []int // end of each sequence in data
	hashes []uint64
	slots  []uint32 // open addressing: sequence number + 1, 0 is free
	last   int      // the number that intern returned last
}

func (t *SequenceTable[T]) Reset() {
	t.Data, t.ends, t.hashes, t.last = t.Data[:0], t.ends[:0], t.hashes[:0], 0
	clear(t.slots)
}

func (t *SequenceTable[T]) Len() int { return len(t.ends) }

func (t *SequenceTable[T]) At(i int) []T {
	start := 0
	if i > 0 {
		start = t.ends[i-1]
	}
	return t.Data[start:t.ends[i]]
}

// Intern returns the number of the sequence and whether it is new. Neighbouring
// warps mostly do the same, so the last answer is tried before any hashing.
func (t *SequenceTable[T]) Intern(s []T) (number int, added bool) {
	if t.Len() > 0 && slices.Equal(t.At(t.last), s) {
		return t.last, false
	}
	if 2*t.Len() >= len(t.slots) {
		t.grow()
	}
	h := hashWords(s)
	mask := uint64(len(t.slots) - 1)
	i := h & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		n := int(t.slots[i] - 1)
		if t.hashes[n] == h && slices.Equal(t.At(n), s) {
			t.last = n
			return n, false
		}
	}
	t.slots[i] = uint32(t.Len() + 1)
	t.hashes = append(t.hashes, h)
	t.Data = append(t.Data, s...)
	t.ends = append(t.ends, len(t.Data))
	t.last = t.Len() - 1
	return t.last, true
}

// Adopt makes a long sequence the memory of a table that is empty, so that Intern, which
// follows, need not copy it: it may not change any more.
func (t *SequenceTable[T]) Adopt(s []T) (number int, added bool) {
	if t.Len() > 0 {
		return t.Intern(s)
	}
	t.Data = s[:0]
	return t.Intern(s)
}

func (t *SequenceTable[T]) grow() {
	t.slots = make([]uint32, max(64, 2*len(t.slots)))
	mask := uint64(len(t.slots) - 1)
	for n, h := range t.hashes {
		i := h & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = uint32(n + 1)
	}
}

// hashWords mixes by multiplication; quality matters only for speed, since every
// hit is compared.
func hashWords[T uint32 | uint64](s []T) uint64 {
	h := uint64(len(s))
	for _, w := range s {
		h = (h ^ uint64(w)) * HashFactor
		h ^= h >> 29
	}
	return h ^ h>>32
}
